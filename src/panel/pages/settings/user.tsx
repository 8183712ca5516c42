import { Hono } from "hono";

import { removeTotp } from "../../../access/totp/remove-totp.ts";
import { removeUser } from "../../../access/users/remove-user.ts";
import { updateUser } from "../../../access/users/update-user.ts";
import { forbidden, invalidField, notFound } from "../../../core/errors.ts";
import { asId } from "../../../core/ids.ts";
import { findPerson, type Person } from "../../../db/access/user-store.ts";
import { endSession, listSessions, type SessionRow } from "../../../db/access/session-store.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { given } from "../../../core/given.ts";
import { userPatch } from "../../../access/users/user-input.ts";
import { ConfirmRemoval } from "../../components/confirm-removal.tsx";
import { Data } from "../../components/data.tsx";
import { ActionButton, Form, SelectField, TextField } from "../../components/form.tsx";
import { Empty, PageHead } from "../../components/page-head.tsx";
import { Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formOf, freshForm, typed, type FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { refuseStale, shownState } from "../request/stale.ts";
import { ROLES } from "./users.tsx";

const LIST = "/panel/settings";
const FIELDS = ["email", "role", "password"];
const SESSIONS_SHOWN = 20;

async function personOf(context: PageContext): Promise<Person> {
  if (!isAdmin(context)) throw forbidden();
  const id = context.req.param("id") ?? "";
  const person = await findPerson(context.get("services").db, asId(id));
  if (person === null) throw notFound();
  return person;
}

const ownId = (context: PageContext) => context.get("session").userId;

const formOfPerson = ({ email, role }: Person) => freshForm({ email, role });

const pathOf = ({ id }: Person) => `${LIST}/users/${id}`;

/** One user, for administrators: address, role, password, second factor, sessions, removal. */
export function userPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/:id", async (context) => await userPage(context, await personOf(context), null));

  app.post("/:id", async (context) => {
    const person = await personOf(context);
    const form = await formOf(context);
    auditAs(context, "users.change", person.id);
    const saved = await attempt(form, FIELDS, async () => {
      await refuseStale(context, form, ["users", person.id]);
      const body = {
        email: form.text("email"),
        role: form.text("role"),
        password: typed(form.exact("password")),
      };
      const patch = parseOrRefuse(userPatch, body);
      await updateUser(context.get("services"), {
        id: person.id,
        patch: given(patch),
        by: ownId(context),
      });
    });
    if (!saved.done) return await userPage(context, person, saved.state);
    return redirectWithNotice(context, pathOf(person), { notice: "The user is changed." });
  });
  addActions(app);
  return app;
}

function addActions(app: Hono<PageEnv>): void {
  app.post("/:id/second-factor/remove", async (context) => {
    const person = await personOf(context);
    auditAs(context, "users.totp.remove", person.id);
    await removeTotp(context.get("services"), { userId: person.id, by: ownId(context) });
    return redirectWithNotice(context, pathOf(person), { notice: "Their second factor is off." });
  });

  app.post("/:id/sessions/:session/end", async (context) => {
    const person = await personOf(context);
    const session = context.req.param("session");
    auditAs(context, "sessions.remove", session);
    await endSession(context.get("services").db, session, person.id);
    return redirectWithNotice(context, pathOf(person), { notice: "The session has ended." });
  });

  app.get("/:id/remove", async (context) => {
    return await removalPage(context, await personOf(context), freshForm());
  });

  app.post("/:id/remove", async (context) => {
    const person = await personOf(context);
    const form = await formOf(context);
    auditAs(context, "users.remove", person.id);
    const removed = await attempt(form, ["confirmation"], async () => {
      if (form.text("confirmation") !== person.email) {
        throw invalidField("confirmation", "is not the user's e-mail");
      }
      await removeUser(context.get("services"), { id: person.id });
    });
    if (!removed.done) return await removalPage(context, person, removed.state);
    return redirectWithNotice(context, LIST, { notice: `${person.email} is removed.` });
  });
}

const TRAIL = [{ name: "Settings", href: LIST }];

async function userPage(context: PageContext, person: Person, failed: FormState | null) {
  const services = context.get("services");
  const slice = { userId: person.id, offset: 0, limit: SESSIONS_SHOWN };
  const open = await listSessions(services.db, slice, services.now());
  const stored = formOfPerson(person);
  const state = failed ?? stored;
  const seen = await shownState(context, "users", person.id);
  const isOwn = person.id === ownId(context);
  const content = (
    <>
      <PageHead title={person.email} data trail={TRAIL} />
      <Form action={pathOf(person)} state={state} submit="Save" shown={seen}>
        <TextField state={state} name="email" label="E-mail" type="email" required />
        <SelectField state={state} name="role" label="Role" options={ROLES} />
        {isOwn ? null : (
          <TextField
            state={state}
            name="password"
            label="New password"
            type="password"
            autocomplete="new-password"
            hint="Leave empty to keep it. A new password or role ends the user’s sessions."
          />
        )}
      </Form>
      <h2>Second factor</h2>
      {isOwn ? (
        <p>
          Change your own password and second factor under <a href="/panel/account">Account</a>.
        </p>
      ) : person.hasTotp ? (
        <ActionButton
          action={`${pathOf(person)}/second-factor/remove`}
          label="Remove it: the user lost the app"
          kind="danger"
        />
      ) : (
        <p>It is off; they switch it on themselves.</p>
      )}
      <h2>Open sessions</h2>
      <Sessions person={person} sessions={open.data} now={services.now()} />
      <section class="danger-zone">
        <h2>Remove this user</h2>
        <p>
          <a class="btn danger" href={`${pathOf(person)}/remove`}>
            Remove …
          </a>
        </p>
      </section>
    </>
  );
  const of = { title: person.email, place: "settings", status: state.status } as const;
  return await page(context, of, content);
}

type SessionsProps = { person: Person; sessions: SessionRow[]; now: number };

const Sessions = ({ person, sessions, now }: SessionsProps) => (
  <Table
    label="Open sessions"
    rows={sessions}
    empty={<Empty title="They are not signed in anywhere." />}
    columns={[
      {
        head: "Browser",
        cell: ({ userAgent }) => <Data>{userAgent === "" ? "unknown" : userAgent}</Data>,
      },
      { head: "Address", wide: true, cell: ({ address }) => address },
      { head: "Last used", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} now={now} /> },
      {
        head: "",
        cell: ({ id }) => (
          <ActionButton
            action={`${pathOf(person)}/sessions/${encodeURIComponent(id)}/end`}
            label="End"
          />
        ),
      },
    ]}
  />
);

async function removalPage(context: PageContext, person: Person, state: FormState) {
  const content = (
    <>
      <PageHead
        title="Remove a user"
        trail={[...TRAIL, { name: person.email, href: pathOf(person) }]}
      />
      <ConfirmRemoval
        action={`${pathOf(person)}/remove`}
        state={state}
        name={person.email}
        isMuch
        cancel={pathOf(person)}
        submit="Remove this user"
      >
        <p>
          Ends the sessions of <Data>{person.email}</Data> and the automation keys that they made.
          What they set up stays, and what they did stays in the record.
        </p>
      </ConfirmRemoval>
    </>
  );
  const of = { title: "Remove a user", place: "settings", status: state.status } as const;
  return await page(context, of, content);
}
