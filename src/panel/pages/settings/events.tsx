import { newEndpoint } from "../../../catalog/event-endpoints/endpoints.ts";
import { listDeliveries, listEndpoints } from "../../../db/catalog/event-store.ts";
import type { Delivery, EventEndpoint } from "../../../db/catalog/event-store.ts";
import * as api from "../../api/event-endpoints.ts";
import { DangerZone, Data, DataLink, Time, Status, ActionButton } from "../../components/data.tsx";
import type { FormState } from "../../components/form.tsx";
import { SettingForm, formOfSettings } from "../../components/setting-fields.tsx";
import type { Columns } from "../../components/table.tsx";
import { requireAdmin, lookUp, page, type PageContext, type Pages } from "../page.tsx";
import { ownAddressOf, List, Part, ROWS, sliceIn } from "../request/list.tsx";
import { SETTINGS, settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings/events";
const TRAIL = [{ name: "Events", href: HERE }];
const FORM = formOfSettings(newEndpoint);

const pathOf = ({ id }: Pick<EventEndpoint, "id">) => `${HERE}/${id}`;

const secretFlash = (value: string) => ({ secret: { label: "The endpoint's secret.", value } });
const deliveryFlash = ({ status, answer }: Pick<Delivery, "status" | "answer">) =>
  status === "delivered"
    ? { notice: `It was delivered: ${answer}.` }
    : { problem: `It was not delivered: ${answer}.` };

export function eventPages(pages: Pages): void {
  pages.use("*", requireAdmin);
  pages.get("/", (context) => eventsTab(context, FORM.state()));
  pages.form("/", api.endpointCreation, (context) => ({
    declared: FORM,
    failedPage: (state) => eventsTab(context, state),
    to: pathOf,
    flashOf: ({ secret }) => secretFlash(secret),
  }));
  const ofEndpoint = pages.forRecord(lookUp(api.findEventEndpoint));
  ofEndpoint.get("/:id", (context, subject) => endpointPage(context, subject));
  ofEndpoint.form("/:id", api.endpointChange, (context, subject) => ({
    declared: FORM,
    changes: subject,
    to: pathOf(subject),
    failedPage: (state) => endpointPage(context, subject, state),
  }));
  ofEndpoint.form("/:id/secret", api.secretRenewal, (_context, subject) => {
    return { to: pathOf(subject), flashOf: secretFlash };
  });
  ofEndpoint.form("/:id/test", api.endpointTest, (_context, subject) => {
    return { to: pathOf(subject), flashOf: deliveryFlash };
  });
  ofEndpoint.form("/:id/:delivery/resend", api.deliveryResend, ({ req }, endpoint) => {
    const subject = [endpoint, req.param("delivery") ?? ""] as const;
    return { subject, to: pathOf(endpoint), flashOf: deliveryFlash };
  });
  ofEndpoint.removal("/:id/remove", api.endpointRemoval, (_context, subject) => ({
    title: "Remove the endpoint",
    trail: TRAIL,
    name: subject.url,
    says: <p>Nothing more is sent to it, and its deliveries are deleted.</p>,
  }));
}

async function eventsTab(context: PageContext, state: FormState): Promise<Response> {
  const content = (
    <>
      <p class="soft">Quarry reports what happens to your programs, by signed requests.</p>
      <List
        {...{ context, columns: ENDPOINTS, label: "Endpoints", empty: "There are none yet." }}
        listed={{ data: await listEndpoints(context.get("services").db) }}
      />
      <h2>New endpoint</h2>
      <SettingForm action={HERE} state={state} submit="Create endpoint" fields={FORM.fields} />
    </>
  );
  return await settingsPage(context, "/events", content, state);
}

const ENDPOINTS: Columns<EventEndpoint> = [
  { head: "URL", main: true, cell: (item) => <DataLink href={pathOf(item)} text={item.url} /> },
  { head: "Events", wide: true, cell: ({ events }) => events.join(", ") },
  { head: "State", cell: (endpoint) => <State of={endpoint} /> },
];

const State = ({ of: { enabled, failingSince: since } }: { of: EventEndpoint }) => {
  if (since === null)
    return <Status tone={enabled ? "ok" : "off"}>{enabled ? "on" : "off"}</Status>;
  return (
    <Status tone={enabled ? "warn" : "bad"}>
      {enabled ? "failing" : "disabled after failures"} since <Time at={since} />
    </Status>
  );
};

async function endpointPage(context: PageContext, endpoint: EventEndpoint, failed?: FormState) {
  const slice = sliceIn(context, ROWS);
  const { data, total } = await listDeliveries(context.get("services").db, endpoint, slice);
  const state = failed ?? FORM.state(endpoint);
  const [path, { url, updatedAt }] = [pathOf(endpoint), endpoint];
  const columns = deliveryColumns(path);
  return await page(
    context,
    { title: url, data: true, trail: TRAIL, place: SETTINGS, status: state.status },
    <>
      <p>
        <State of={endpoint} />
      </p>
      <SettingForm
        {...{ state, fields: FORM.fields }}
        action={path}
        submit="Save"
        shown={updatedAt}
      />
      <ActionButton action={`${path}/test`} label="Send a test" />
      <ActionButton action={`${path}/secret`} label="Renew the secret" />
      <h2>Deliveries</h2>
      <List
        {...{ context, columns, label: "Deliveries", empty: "Nothing was sent yet." }}
        listed={{ data }}
      />
      <Part {...slice} here={ownAddressOf(context)} total={total} unit="event" />
      <DangerZone title="Remove this endpoint" href={`${path}/remove`} label="Remove …" />
    </>,
  );
}

const deliveryColumns = (path: string): Columns<Delivery> => [
  {
    head: "Event",
    main: true,
    cell: ({ type, body }) => (
      <details>
        <summary>{type}</summary>
        <Data mono>{body}</Data>
      </details>
    ),
  },
  {
    head: "State",
    cell: ({ status, answer }) => (
      <Status tone={status === "delivered" ? "ok" : status === "failed" ? "bad" : "work"}>
        {status} {answer === null ? null : <Data>{answer}</Data>}
      </Status>
    ),
  },
  { head: "Tries", numeric: true, cell: ({ tries }) => tries },
  { head: "Created", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    head: "",
    cell: ({ id }) => <ActionButton action={`${path}/${id}/resend`} label="Send again" />,
  },
];
