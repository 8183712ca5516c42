import { newUser, userPatch } from "../../../access/users/user-input.ts";
import { groupsOfUser } from "../../../db/access/openid-store.ts";
import { readPersonPage, type Person } from "../../../db/access/user-store.ts";
import { findUser, totpRemoval, userChange, userCreation, userRemoval } from "../../api/users.ts";
import { Data, Time, TimeOr, DataLink, DangerZone, Status } from "../../components/data.tsx";
import { ForAdmins, useView, ActionButton } from "../../components/data.tsx";
import { freshForm, type FormState } from "../../components/form.tsx";
import { Facts } from "../../components/page-head.tsx";
import { SettingForm, formOfSettings } from "../../components/setting-fields.tsx";
import type { Columns } from "../../components/table.tsx";
import { addSessionEnd, openSessions } from "../account/account.tsx";
import { requireAdmin, lookUp, page, type PageContext, type Pages } from "../page.tsx";
import { List, filterIn, pageAt } from "../request/list.tsx";
import { settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings";
const NEW_FORM = formOfSettings(newUser);

export function userListPages(pages: Pages): void {
  pages.get("/", (context) => usersTab(context, NEW_FORM.state({}, { role: "member" })));
  pages.form("/", userCreation, (context) => ({
    declared: NEW_FORM,
    failedPage: (state) => usersTab(context, state),
    to: HERE,
  }));
}

async function usersTab(context: PageContext, state: FormState): Promise<Response> {
  const part = filterIn(context, "q") ?? "";
  const content = (
    <>
      <List
        context={context}
        label="Users"
        one="user"
        listed={await readPersonPage(context.get("services").db, pageAt(context), part)}
        search="E-mail contains"
        columns={COLUMNS}
        empty={null}
      />
      <ForAdmins>
        <h2>New user</h2>
        <SettingForm action={HERE} state={state} submit="Create user" fields={NEW_FORM.fields} />
      </ForAdmins>
    </>
  );
  return await settingsPage(context, "", content, state);
}

const Name = ({ person: { id, email } }: { person: Person }) =>
  useView().mayChange ? <DataLink href={pathOf({ id })} text={email} /> : <Data>{email}</Data>;

const COLUMNS: Columns<Person> = [
  { head: "E-mail", main: true, cell: (person) => <Name person={person} /> },
  { head: "Role", cell: (person) => person.role },
  {
    head: "Second factor",
    wide: true,
    cell: ({ hasTotp }) => <Status tone={hasTotp ? "ok" : "off"}>{hasTotp ? "on" : "off"}</Status>,
  },
  { head: "Last seen", cell: ({ lastSeenAt }) => <TimeOr at={lastSeenAt} none="–" /> },
  { head: "Since", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const FORM = formOfSettings(userPatch);
const OWN_FORM = formOfSettings(userPatch, ["password"]);

const pathOf = ({ id }: { id: string }) => `${HERE}/users/${id}`;

export function userPages(pages: Pages): void {
  pages.use("*", requireAdmin);
  const ofPerson = pages.forRecord(lookUp(findUser));
  ofPerson.get("/:id", (context, person) => userPage(context, person, null));
  ofPerson.form("/:id", userChange, (context, person) => ({
    declared: FORM,
    changes: person,
    failedPage: (state) => userPage(context, person, state),
    to: pathOf(person),
  }));

  ofPerson.form("/:id/second-factor/remove", totpRemoval, (_context, person) => ({
    to: pathOf(person),
  }));

  addSessionEnd(pages, "/:id", ({ req }) => pathOf({ id: req.param("id") ?? "" }));

  ofPerson.removal("/:id/remove", userRemoval, (_context, person) => ({
    title: "Remove a user",
    trail: [...TRAIL, { name: person.email, href: pathOf(person) }],
    name: person.email,
    isMuch: true,
    submit: "Remove this user",
    says: (
      <p>
        Ends the sessions of <Data>{person.email}</Data> and removes their automation keys. What
        they set up stays, as does the audit log.
      </p>
    ),
    to: HERE,
  }));
}

const TRAIL = [{ name: "Settings", href: HERE }];

async function userPage(context: PageContext, person: Person, failed: FormState | null) {
  const { email, role } = person;
  const state = failed ?? freshForm({ email, role });
  const groups = await groupsOfUser(context.get("services").db, person.id);
  const isOwn = person.id === context.get("session").userId;
  const { fields } = isOwn ? OWN_FORM : FORM;
  return await page(
    context,
    { title: email, data: true, trail: TRAIL, status: state.status },
    <>
      <SettingForm
        action={pathOf(person)}
        state={state}
        submit="Save"
        shown={person.updatedAt}
        fields={fields}
      />
      {groups.length === 0 ? null : (
        <Facts facts={{ "Groups at the provider": <Data>{groups.join(", ")}</Data> }} />
      )}
      <h2>Second factor</h2>
      {isOwn ? (
        <p>
          Change your own password and second factor under <a href="/panel/account">Account</a>.
        </p>
      ) : person.hasTotp ? (
        <ActionButton
          action={`${pathOf(person)}/second-factor/remove`}
          label="Remove the second factor"
          kind="danger"
        />
      ) : (
        <p>Off. Users switch it on themselves.</p>
      )}
      <h2>Open sessions</h2>
      {await openSessions(context, { userId: person.id, here: pathOf(person) })}
      <DangerZone title="Remove this user" href={`${pathOf(person)}/remove`} label="Remove …" />
    </>,
  );
}
