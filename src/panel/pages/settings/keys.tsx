import { createKey, newKey } from "../../../access/keys/create-key.ts";
import { orNotFound } from "../../../core/errors.ts";
import { removeKey, findListedKey, readKeyPage } from "../../../db/access/key-store.ts";
import type { ListedKey } from "../../../db/access/key-store.ts";
import { Data, Shortened, Time } from "../../components/data.tsx";
import { SettingForm } from "../../components/setting-fields.tsx";
import { removeColumn, type Columns } from "../../components/table.tsx";
import { isAdmin, type PageContext, type Pages } from "../page.tsx";
import type { FormState } from "../request/form.ts";
import { List, filterIn, pageAt } from "../request/list.tsx";
import { declaredForm } from "../request/setting-form.ts";
import { Expiry } from "../tokens/programs.tsx";
import { settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings/keys";
const FORM = declaredForm(newKey(0));

export function keyPages(pages: Pages): void {
  pages.get("/", (context) => keysTab(context, FORM.state({}, { role: "admin" })));

  pages.submit("/", (context) => ({
    audit: ["keys.create"],
    fields: FORM.names,
    work: async (services, form) => {
      const input = FORM.read(form, newKey(services.now()));
      return await createKey(services, { ...input, createdBy: context.get("session").userId });
    },
    again: (state) => keysTab(context, state),
    leads: ({ key, secret }) => {
      const secretView = { label: `The key “${key.name}”.`, value: secret };
      return { to: HERE, target: key.id, secret: secretView };
    },
  }));

  pages.removal("/:id/remove", async (context) => {
    const { db } = context.get("services");
    const { id, name } = orNotFound(await findListedKey(db, context.req.param("id") ?? ""));
    return {
      title: "Remove the key",
      trail: [{ name: "Automation keys", href: HERE }],
      name,
      says: (
        <p>
          <Data>{name}</Data> stops working at once, in every program that has it, and cannot be
          restored.
        </p>
      ),
      audit: ["keys.remove", id],
      remove: ({ db }) => removeKey(db, id),
      notice: `${name} is removed and has stopped working.`,
    };
  });
}

async function keysTab(context: PageContext, state: FormState): Promise<Response> {
  const { db, now } = context.get("services");
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
        listed={await readKeyPage(db, pageAt(context), part)}
        search="Name contains"
        columns={columnsFor(isAdmin(context), now())}
        empty="There are no keys yet."
      />
      {isAdmin(context) ? (
        <>
          <h2>New key</h2>
          <SettingForm action={HERE} state={state} submit="Create key" fields={FORM.fields} />
        </>
      ) : null}
    </>
  );
  return await settingsPage(context, "/keys", content, state);
}

const columnsFor = (mayRemove: boolean, now: number): Columns<ListedKey> => [
  { head: "Name", main: true, cell: ({ name }) => <Data>{name}</Data> },
  { head: "Role", cell: (key) => key.role },
  {
    head: "Created by",
    wide: true,
    cell: ({ createdByEmail }) => <Shortened text={createdByEmail} />,
  },
  { head: "Created", wide: true, cell: ({ createdAt }) => <Time at={createdAt} now={now} /> },
  { head: "Expires", cell: ({ expiresAt }) => <Expiry at={expiresAt} now={now} /> },
  mayRemove ? removeColumn(({ id }) => `${HERE}/${id}/remove`) : null,
];
