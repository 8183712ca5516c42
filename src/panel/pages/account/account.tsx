import { Hono } from "hono";

import { changeOwnPassword } from "../../../access/users/change-own-password.ts";
import { PASSWORD_MIN_LENGTH } from "../../../access/users/password-rules.ts";
import { endSession, listSessions, type SessionRow } from "../../../db/access/session-store.ts";
import { addressOf } from "../../../http/client-address.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { ownPassword } from "../../../access/users/user-input.ts";
import { Data } from "../../components/data.tsx";
import { ActionButton, Form, TextField } from "../../components/form.tsx";
import { Facts, PageHead } from "../../components/page-head.tsx";
import { Status } from "../../components/status.tsx";
import { Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formOf, freshForm, type FormState } from "../request/form.ts";
import { countTry } from "../request/guards.ts";
import { sessionHashOf } from "./second-factor.tsx";

const HERE = "/panel/account";
const SESSIONS_SHOWN = 20;

/** One's own account: password, second factor, where one is signed in. */
export function accountPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/", async (context) => await accountPage(context, freshForm()));

  app.post("/password", async (context) => {
    const { userId, email } = context.get("session");
    auditAs(context, "session.password.change", email);
    const form = await formOf(context);
    const tried = await attempt(form, ["currentPassword", "newPassword"], async () => {
      await countTry(context);
      const given = parseOrRefuse(ownPassword, {
        currentPassword: form.exact("currentPassword"),
        newPassword: form.exact("newPassword"),
      });
      const sessionHash = await sessionHashOf(context);
      const address = addressOf(context.req.raw.headers);
      const services = context.get("services");
      await changeOwnPassword(services, { userId, sessionHash, address, ...given });
    });
    if (!tried.done) return await accountPage(context, tried.state);
    return redirectWithNotice(context, HERE, {
      notice: "The password is changed. Your other sessions have ended.",
    });
  });

  app.post("/sessions/:id/end", async (context) => {
    const id = context.req.param("id");
    auditAs(context, "sessions.remove", id);
    await endSession(context.get("services").db, id, context.get("session").userId);
    return redirectWithNotice(context, HERE, { notice: "The session has ended." });
  });
  return app;
}

async function accountPage(context: PageContext, state: FormState): Promise<Response> {
  const services = context.get("services");
  const session = context.get("session");
  const own = { userId: session.userId, offset: 0, limit: SESSIONS_SHOWN };
  const open = await listSessions(services.db, own, services.now());
  const current = await sessionHashOf(context);
  const content = (
    <>
      <PageHead title="Your account" />
      <Facts
        facts={[
          ["E-mail", <Data>{session.email}</Data>],
          [
            "Role",
            session.role === "admin" ? "admin" : "member: reads everything, changes nothing",
          ],
          [
            "Second factor",
            <>
              {session.hasTotp ? "on" : "off"} ·{" "}
              <a href="/panel/account/second-factor">
                {session.hasTotp ? "Change" : "Switch it on"}
              </a>
            </>,
          ],
        ]}
      />
      <h2>Password</h2>
      <Form action={`${HERE}/password`} state={state} submit="Change the password">
        <TextField
          state={state}
          name="currentPassword"
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
        />
        <TextField
          state={state}
          name="newPassword"
          label="New password"
          type="password"
          autocomplete="new-password"
          required
          hint={`At least ${PASSWORD_MIN_LENGTH} characters. Your other sessions end.`}
        />
      </Form>
      <h2>Where you are signed in</h2>
      <OpenSessions sessions={open.data} current={current} now={services.now()} />
    </>
  );
  return await page(context, { title: "Account", place: null, status: state.status }, content);
}

type OpenProps = { sessions: SessionRow[]; current: string; now: number };

const OpenSessions = ({ sessions, current, now }: OpenProps) => (
  <Table
    label="Open sessions"
    rows={sessions}
    empty={null}
    columns={[
      {
        head: "Browser",
        cell: ({ userAgent }) => <Data>{userAgent === "" ? "unknown" : userAgent}</Data>,
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
            <ActionButton action={`${HERE}/sessions/${encodeURIComponent(id)}/end`} label="End" />
          ),
      },
    ]}
  />
);
