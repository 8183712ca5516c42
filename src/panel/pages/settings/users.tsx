import { Hono } from "hono";

import { createUser } from "../../../access/users/create-user.ts";
import { PASSWORD_MIN_LENGTH } from "../../../access/users/password-rules.ts";
import { readPersonPage, type Person } from "../../../db/access/user-store.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { newUser } from "../../../access/users/user-input.ts";
import { Data } from "../../components/data.tsx";
import { Form, SelectField, TextField } from "../../components/form.tsx";
import { PrefixFilter } from "../../components/filters.tsx";
import { Empty } from "../../components/page-head.tsx";
import { Pager } from "../../components/pager.tsx";
import { Status } from "../../components/status.tsx";
import { Table, type Column } from "../../components/table.tsx";
import { Time, TimeOr } from "../../components/time.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formOf, freshForm, type FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { filterIn, hereOf, pageAt } from "../request/list-query.ts";
import { settingsPage } from "./settings-page.tsx";

export const ROLES = [
  { value: "member", label: "member: reads everything, changes nothing" },
  { value: "admin", label: "admin: may change everything" },
];

/** Who may sign in. */
export function userListPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/", async (context) => await usersTab(context, freshForm({ role: "member" })));

  app.post("/", async (context) => {
    const form = await formOf(context);
    auditAs(context, "users.create");
    const made = await attempt(form, ["email", "password", "role"], async () => {
      const input = parseOrRefuse(newUser, {
        email: form.text("email"),
        password: form.exact("password"),
        role: form.text("role"),
      });
      return await createUser(context.get("services"), input);
    });
    if (!made.done) return await usersTab(context, made.state);
    auditAs(context, "users.create", made.result.id);
    return redirectWithNotice(context, "/panel/settings", {
      notice: `${made.result.email} can sign in now.`,
    });
  });
  return app;
}

async function usersTab(context: PageContext, state: FormState): Promise<Response> {
  const { db, now } = context.get("services");
  const prefix = (filterIn(context, "begins") ?? "").toLowerCase();
  const listed = await readPersonPage(db, pageAt(context), prefix);
  const content = (
    <>
      <PrefixFilter action="/panel/settings" label="E-mail begins with" prefix={prefix} />
      <Table
        label="Users"
        rows={listed.data}
        columns={columnsFor(isAdmin(context), now())}
        empty={<Empty title="No user is like that." />}
      />
      <Pager here={hereOf(context)} before={listed.before} after={listed.after} />
      {isAdmin(context) ? <NewUser state={state} /> : null}
    </>
  );
  return await settingsPage(context, "", content, state);
}

const columnsFor = (mayOpen: boolean, now: number): Column<Person>[] => [
  {
    head: "E-mail",
    cell: ({ id, email }) =>
      mayOpen ? (
        <a href={`/panel/settings/users/${id}`}>
          <Data>{email}</Data>
        </a>
      ) : (
        <Data>{email}</Data>
      ),
  },
  { head: "Role", cell: (person) => person.role },
  {
    head: "Second factor",
    wide: true,
    cell: ({ hasTotp }) => <Status tone={hasTotp ? "ok" : "off"}>{hasTotp ? "on" : "off"}</Status>,
  },
  {
    head: "Last seen",
    cell: ({ lastSeenAt }) => <TimeOr at={lastSeenAt} now={now} none="–" />,
  },
  { head: "Since", wide: true, cell: ({ createdAt }) => <Time at={createdAt} now={now} /> },
];

const NewUser = ({ state }: { state: FormState }) => (
  <>
    <h2>New user</h2>
    <Form action="/panel/settings" state={state} submit="Make the user">
      <TextField state={state} name="email" label="E-mail" type="email" required />
      <TextField
        state={state}
        name="password"
        label="Password"
        type="password"
        autocomplete="new-password"
        required
        hint={`At least ${PASSWORD_MIN_LENGTH} characters; tell it to them, they can change it.`}
      />
      <SelectField state={state} name="role" label="Role" options={ROLES} />
    </Form>
  </>
);
