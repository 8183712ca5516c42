import { Hono } from "hono";

import { createUser } from "../../../access/users/create-user.ts";
import { readPersonPage, type Person } from "../../../db/access/user-store.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { newUser } from "../../../access/users/user-input.ts";
import { Data } from "../../components/data.tsx";
import { Form } from "../../components/form.tsx";
import { SettingFields } from "../../components/setting-fields.tsx";
import { Status } from "../../components/status.tsx";
import type { Column } from "../../components/table.tsx";
import { Time, TimeOr } from "../../components/time.tsx";
import { DataLink } from "../../components/link.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { submit } from "../request/action.ts";
import { freshForm, type FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { List } from "../request/list.tsx";
import { filterIn, pageAt } from "../request/list-query.ts";
import { bodyIn, formName, shownFields } from "../request/setting-form.ts";
import { settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings";
const FIELDS = shownFields(newUser);

/** Who may sign in. */
export function userListPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/", async (context) => await usersTab(context, freshForm({ role: "member" })));
  app.post("/", (context) =>
    submit(context, {
      audit: ["users.create"],
      fields: FIELDS.map(formName),
      work: async (form) =>
        await createUser(context.get("services"), parseOrRefuse(newUser, bodyIn(form, FIELDS))),
      again: (state) => usersTab(context, state),
      leads: ({ id, email }) => ({ to: HERE, target: id, notice: `${email} can sign in now.` }),
    }),
  );
  return app;
}

async function usersTab(context: PageContext, state: FormState): Promise<Response> {
  const { db, now } = context.get("services");
  const prefix = (filterIn(context, "begins") ?? "").toLowerCase();
  const content = (
    <>
      <List
        context={context}
        label="Users"
        listed={await readPersonPage(db, pageAt(context), prefix)}
        begins={{ label: "E-mail begins with", prefix }}
        columns={columnsFor(isAdmin(context), now())}
        empty={null}
      />
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
        <DataLink href={`/panel/settings/users/${id}`} text={email} />
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
    <Form action={HERE} state={state} submit="Make the user">
      <SettingFields fields={FIELDS} state={state} isStored={false} />
    </Form>
  </>
);
