import { changeOwnPassword } from "../../../access/users/change-own-password.ts";
import { ownPassword, ROLES } from "../../../access/users/user-input.ts";
import { Data, Time, visible } from "../../components/data.tsx";
import { Form, ActionButton } from "../../components/form.tsx";
import { SettingFields } from "../../components/setting-fields.tsx";
import { Facts, Empty } from "../../components/page-head.tsx";
import { page, type PageContext, type Pages } from "../page.tsx";
import { freshForm, type FormState, auditAs, redirectWithNotice } from "../request/form.ts";
import { declaredForm } from "../request/setting-form.ts";
import { countTry, ownSession, sessionHashOf } from "../../api/request/guards.ts";
import type { Child } from "hono/jsx";
import type { UserId } from "../../../core/ids.ts";
import { endSession, listSessions } from "../../../db/access/session-store.ts";
import { Status } from "../../components/status.tsx";
import { Table } from "../../components/table.tsx";

const HERE = "/panel/account";
const PASSWORDS = declaredForm(ownPassword);

export function accountPages(pages: Pages): void {
  pages.get("/", (context) => accountPage(context, freshForm()));

  pages.submit("/password", (context) => ({
    audit: ["session.password.change", context.get("session").email],
    fields: PASSWORDS.names,
    work: async (services, form) => {
      await countTry(context);
      const given = PASSWORDS.read(form);
      const own = await ownSession(context);
      await changeOwnPassword(services, { ...own, ...given });
    },
    again: (state) => accountPage(context, state),
    leads: () => ({
      to: HERE,
      notice: "The password is changed. Your other sessions have ended.",
    }),
  }));

  pages.post("/sessions/:session/end", (context) =>
    endOne(context, { userId: context.get("session").userId, here: HERE }),
  );
}

async function accountPage(context: PageContext, state: FormState): Promise<Response> {
  const session = context.get("session");
  const isAdmin = session.role === "admin";
  const factor = session.hasTotp ? ["on", "Change"] : ["off", "Switch it on"];
  return await page(
    context,
    { title: "Your account", status: state.status },
    <>
      <Facts
        facts={{
          "E-mail": <Data>{session.email}</Data>,
          Role: isAdmin ? ROLES.admin : ROLES.member,
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

export async function endOne(context: PageContext, { userId, here }: Whose): Promise<Response> {
  const id = context.req.param("session") ?? "";
  auditAs(context, "sessions.remove", id);
  await endSession(context.get("services").db, id, userId);
  return redirectWithNotice(context, here, { notice: "The session has ended." });
}

export async function openSessions(context: PageContext, { userId, here }: Whose): Promise<Child> {
  const { db, now: clock } = context.get("services");
  const now = clock();
  const { data } = await listSessions(db, { userId, offset: 0, limit: SESSIONS_SHOWN }, now);
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
            <span title={visible(userAgent)}>
              <Data>{browserInWords(userAgent)}</Data>
            </span>
          ),
        },
        { head: "Address", wide: true, cell: ({ address }) => address },
        { head: "Last used", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} now={now} /> },
        { head: "Since", wide: true, cell: ({ createdAt }) => <Time at={createdAt} now={now} /> },
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
