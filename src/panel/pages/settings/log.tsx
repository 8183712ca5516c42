import { Hono } from "hono";
import type { Child } from "hono/jsx";

import { forbidden } from "../../../core/errors.ts";
import { DAY_MS } from "../../../core/time.ts";
import { readEventPage, type AuditEvent } from "../../../db/access/audit-store.ts";
import { Data, Time, Faint } from "../../components/data.tsx";
import { counted } from "../../components/figures.ts";
import { Filters, FilterText } from "../../components/filters.tsx";
import { Status } from "../../components/status.tsx";
import type { Column } from "../../components/table.tsx";
import { type PageEnv, isAdmin } from "../page-env.ts";
import { List } from "../request/list.tsx";
import { filterIn, pageAt } from "../request/list-query.ts";
import { settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings/log";
const FAILED_FROM = 400;

/** Who changed what, when, from where: every change and sign-in of the last 90 days. */
export function logPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/", async (context) => {
    if (!isAdmin(context)) throw forbidden();
    const { db, now } = context.get("services");
    const filter = {
      actor: filterIn(context, "actor"),
      action: filterIn(context, "action"),
      from: dayIn(filterIn(context, "from"), 0),
      to: dayIn(filterIn(context, "to"), DAY_MS),
    };
    const isFiltered = Object.values(filter).some((value) => value !== null);
    const content = (
      <>
        <p class="soft">
          Every change and sign-in of the last 90 days, failed ones included.{" "}
          <a href="/panel/api/audit?format=jsonl" download="audit.jsonl">
            All of it as JSON Lines
          </a>
        </p>
        <Filters action={HERE} active={isFiltered}>
          <FilterText
            name="action"
            label="Action, such as rags.create"
            value={filter.action ?? ""}
          />
          <Day name="from" label="From" value={filterIn(context, "from")} />
          <Day name="to" label="To" value={filterIn(context, "to")} />
        </Filters>
        {filter.actor === null ? null : (
          <p>
            One actor only: <Data mono>{filter.actor}</Data>
          </p>
        )}
        <List
          context={context}
          label="What happened"
          listed={await readEventPage(db, filter, pageAt(context))}
          columns={columnsAt(now())}
          empty={isFiltered ? "Nothing is like that." : "Nothing has happened yet."}
        />
      </>
    );
    return await settingsPage(context, "/log", content);
  });
  return app;
}

const Day = ({ name, label, value }: { name: string; label: string; value: string | null }) => (
  <input type="date" name={name} aria-label={label} value={value ?? ""} />
);

/** The instant at which a day of UTC begins, or ends; null for no day. */
function dayIn(text: string | null, more: number): number | null {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const begins = Date.parse(text);
  return Number.isNaN(begins) ? null : begins + more;
}

const columnsAt = (now: number): Column<AuditEvent>[] => [
  { head: "When", cell: ({ at }) => <Time at={at} now={now} /> },
  { head: "Who", cell: actorOf },
  {
    head: "What",
    cell: ({ action, count, status, target, fields }) => (
      <>
        <a href={`${HERE}?action=${encodeURIComponent(action)}`}>
          <Data mono>{action}</Data>
        </a>{" "}
        {count === 1 ? null : <span class="soft">{counted(count, "time")} in an hour </span>}
        {status < FAILED_FROM ? null : <Status tone="bad">refused, {status}</Status>}
        {target === null ? null : <Faint text={target} />}
        {fields.length === 0 ? null : <Faint text={fields.join(", ")} />}
      </>
    ),
  },
  {
    head: "From",
    wide: true,
    cell: ({ address }) => <Data>{address === "" ? "–" : address}</Data>,
  },
];

function actorOf({ actorKind, actorId, actorName }: AuditEvent): Child {
  if (actorId === null) return <span class="soft">nobody signed in</span>;
  const kind = actorKind === "user" ? "" : `${actorKind} `;
  return (
    <a href={`${HERE}?actor=${encodeURIComponent(actorId)}`}>
      {kind}
      <Data>{actorName ?? actorId}</Data>
    </a>
  );
}
