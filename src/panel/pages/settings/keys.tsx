import { newKey } from "../../../access/keys/create-key.ts";
import { readKeyPage, type ListedKey } from "../../../db/access/key-store.ts";
import { findKey, keyCreation, keyRemoval } from "../../api/users.ts";
import { Data, Shortened, Time, ForAdmins } from "../../components/data.tsx";
import type { FormState } from "../../components/form.tsx";
import { SettingForm, formOfSettings } from "../../components/setting-fields.tsx";
import { removeColumn, type Columns } from "../../components/table.tsx";
import { lookUp, type PageContext, type Pages } from "../page.tsx";
import { endOfLastDay } from "../request/form.ts";
import { List, filterIn, pageAt } from "../request/list.tsx";
import { Expiry } from "../tokens/programs.tsx";
import { settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings/keys";
const FORM = formOfSettings(newKey(0));

export function keyPages(pages: Pages): void {
  pages.get("/", (context) => keysTab(context, FORM.state({}, { role: "admin" })));

  pages.form("/", keyCreation, (context) => ({
    declared: FORM,
    body: (form) => ({ ...FORM.body(form), expiresAt: endOfLastDay(form) }),
    failedPage: (state) => keysTab(context, state),
    to: HERE,
    flashOf: ({ key, secret }) => ({ secret: { label: `The key “${key.name}”.`, value: secret } }),
  }));

  pages.forRecord(lookUp(findKey)).removal("/:id/remove", keyRemoval, (_context, subject) => ({
    title: "Remove the key",
    trail: [{ name: "Automation keys", href: HERE }],
    name: subject.name,
    says: (
      <p>
        <Data>{subject.name}</Data> stops working at once, in every program that has it, and cannot
        be restored.
      </p>
    ),
  }));
}

async function keysTab(context: PageContext, state: FormState): Promise<Response> {
  const part = filterIn(context, "q") ?? "";
  const content = (
    <>
      <p class="soft">
        For programs that use the panel’s API, such as <code>npm run quarry -- push</code>. The
        public API takes tokens instead. <a href="/panel/reference">Panel API reference</a>
      </p>
      <List
        context={context}
        label="Automation keys"
        one="key"
        listed={await readKeyPage(context.get("services").db, pageAt(context), part)}
        search="Name contains"
        columns={COLUMNS}
        empty="There are no keys yet."
      />
      <ForAdmins>
        <h2>New key</h2>
        <SettingForm action={HERE} state={state} submit="Create key" fields={FORM.fields} />
      </ForAdmins>
    </>
  );
  return await settingsPage(context, "/keys", content, state);
}

const COLUMNS: Columns<ListedKey> = [
  { head: "Name", main: true, cell: ({ name }) => <Data>{name}</Data> },
  { head: "Role", cell: (key) => key.role },
  {
    head: "Created by",
    wide: true,
    cell: ({ createdByEmail }) => <Shortened text={createdByEmail} />,
  },
  { head: "Created", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { head: "Expires", cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
  removeColumn(({ id }) => `${HERE}/${id}/remove`),
];
