import type { Child } from "hono/jsx";

import { ownPassword, ROLES } from "../../../access/users/user-input.ts";
import type { UserId } from "../../../core/ids.ts";
import { listSessions } from "../../../db/access/session-store.ts";
import { countTry, sessionHashOf } from "../../api/request/guards.ts";
import { passwordChange } from "../../api/session.ts";
import { sessionEnd } from "../../api/users.ts";
import { Data, Time, showHidden, Status, ActionButton } from "../../components/data.tsx";
import { Form, freshForm, type FormState } from "../../components/form.tsx";
import { Facts, Empty } from "../../components/page-head.tsx";
import { SettingFields, formOfSettings } from "../../components/setting-fields.tsx";
import { Table } from "../../components/table.tsx";
import { page, type PageContext, type Pages } from "../page.tsx";

const HERE = "/panel/account";
const PASSWORDS = formOfSettings(ownPassword);

export function accountPages(pages: Pages): void {
  pages.get("/", (context) => accountPage(context, freshForm()));

  pages.form("/password", passwordChange, (context) => ({
    fields: PASSWORDS.names,
    body: async (form) => {
      await countTry(context);
      return PASSWORDS.body(form);
    },
    failedPage: (state) => accountPage(context, state),
    to: HERE,
  }));

  addSessionEnd(pages, "", () => HERE);
}

async function accountPage(context: PageContext, state: FormState): Promise<Response> {
  const session = context.get("session");
  const factor = session.hasTotp ? ["on", "Change"] : ["off", "Switch it on"];
  return await page(
    context,
    { title: "Your account", status: state.status },
    <>
      <Facts
        facts={{
          "E-mail": <Data>{session.email}</Data>,
          Role: ROLES[session.role],
          "Second factor": (
            <>
              {factor[0]} · <a href="/panel/account/second-factor">{factor[1]}</a>
            </>
          ),
        }}
      />
      <h2>Password</h2>
      <Form action={`${HERE}/password`} state={state} submit="Change the password">
        <SettingFields fields={PASSWORDS.fields} state={state} isStored />
      </Form>
      <h2>Where you are signed in</h2>
      {await openSessions(context, { userId: session.userId, here: HERE })}
    </>,
  );
}

const SESSIONS_SHOWN = 20;

type Whose = { userId: UserId; here: string };

/** Ends one of the sessions that a page lists, and leads back to it. */
export function addSessionEnd(
  pages: Pages,
  path: string,
  hereOf: (context: PageContext) => string,
): void {
  pages.form(`${path}/sessions/:session/end`, sessionEnd, (context) => ({
    subject: { id: context.req.param("session") ?? "" },
    to: hereOf(context),
  }));
}

export async function openSessions(context: PageContext, { userId, here }: Whose): Promise<Child> {
  const { db, now } = context.get("services");
  const { data } = await listSessions(db, { userId, offset: 0, limit: SESSIONS_SHOWN }, now());
  const current = await sessionHashOf(context);
  return (
    <Table
      label="Open sessions"
      rows={data}
      empty={<Empty title="They are not signed in anywhere." />}
      columns={[
        {
          head: "Browser",
          cell: ({ userAgent }) => (
            <span title={showHidden(userAgent)}>
              <Data>{browserInWords(userAgent)}</Data>
            </span>
          ),
        },
        { head: "Address", wide: true, cell: ({ address }) => address },
        { head: "Last used", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
        { head: "Since", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          head: "",
          cell: ({ id, hash }) =>
            hash === current ? (
              <Status tone="ok">this one</Status>
            ) : (
              <ActionButton action={`${here}/sessions/${id}/end`} label="End" />
            ),
        },
      ]}
    />
  );
}

/** The first that matches: later browsers name the earlier ones as well. */
const BROWSERS: [pattern: RegExp, name: string][] = [
  [/Edg(?:e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/(?:Firefox|FxiOS)\//, "Firefox"],
  [/(?:Chrome|CriOS)\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/^curl\//, "curl"],
];
const SYSTEMS: [pattern: RegExp, name: string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Macintosh/, "macOS"],
  [/Linux/, "Linux"],
];

/** "Chrome on macOS"; what is not known stays as it is. */
export function browserInWords(userAgent: string): string {
  const nameIn = (names: typeof BROWSERS) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const known = [nameIn(BROWSERS), nameIn(SYSTEMS)].filter((name) => name !== undefined);
  return known.length === 0 ? userAgent || "unknown browser" : known.join(" on ");
}
