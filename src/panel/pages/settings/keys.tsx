import { Hono } from "hono";

import { createKey, newKey } from "../../../access/keys/create-key.ts";
import { notFound } from "../../../core/errors.ts";
import { removeKey } from "../../../db/access/key-store.ts";
import { findListedKey, readKeyPage, type ListedKey } from "../../../db/access/key-store.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { ConfirmRemoval } from "../../components/confirm-removal.tsx";
import { Data } from "../../components/data.tsx";
import { Form, SelectField, TextField } from "../../components/form.tsx";
import { PrefixFilter } from "../../components/filters.tsx";
import { Empty, PageHead } from "../../components/page-head.tsx";
import { Pager } from "../../components/pager.tsx";
import { Status } from "../../components/status.tsx";
import { Table, type Column } from "../../components/table.tsx";
import { Time, TimeOr } from "../../components/time.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formOf, freshForm, typed, type FormState } from "../request/form.ts";
import { adminsOnly, isAdmin } from "../request/guards.ts";
import { filterIn, hereOf, pageAt } from "../request/list-query.ts";
import { settingsPage } from "./settings-page.tsx";
import { ROLES } from "./users.tsx";

const HERE = "/panel/settings/keys";

/** Keys with which programs use the panel's API: pushing folders, setting things up. */
export function keyPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/", async (context) => await keysTab(context, freshForm({ role: "admin" })));

  app.post("/", async (context) => {
    const form = await formOf(context);
    const services = context.get("services");
    auditAs(context, "keys.create");
    const made = await attempt(form, ["name", "role", "expiresAt"], async () => {
      const input = parseOrRefuse(newKey(services.now()), {
        name: form.text("name"),
        role: form.text("role"),
        expiresAt: typed(form.text("expiresAt")),
      });
      return await createKey(services, { ...input, createdBy: context.get("session").userId });
    });
    if (!made.done) return await keysTab(context, made.state);
    const { key, secret } = made.result;
    auditAs(context, "keys.create", key.id);
    return redirectWithNotice(context, HERE, {
      secret: { label: `The key “${key.name}”.`, value: secret },
    });
  });

  app.get("/:id/remove", adminsOnly, async (context) => {
    return await removalPage(context, await keyOf(context));
  });
  app.post("/:id/remove", async (context) => {
    const { id, name } = await keyOf(context);
    auditAs(context, "keys.remove", id);
    await removeKey(context.get("services").db, id);
    return redirectWithNotice(context, HERE, {
      notice: `${name} is removed and has stopped working.`,
    });
  });
  return app;
}

async function keyOf(context: PageContext): Promise<ListedKey> {
  const found = await findListedKey(context.get("services").db, context.req.param("id") ?? "");
  if (found === null) throw notFound();
  return found;
}

async function removalPage(context: PageContext, { id, name }: ListedKey): Promise<Response> {
  const title = "Remove the key";
  const content = (
    <>
      <PageHead title={title} trail={[{ name: "Automation keys", href: HERE }]} />
      <ConfirmRemoval
        action={`${HERE}/${encodeURIComponent(id)}/remove`}
        state={freshForm()}
        name={name}
        isMuch={false}
        cancel={HERE}
        submit="Remove it"
      >
        <p>
          <Data>{name}</Data> stops working at once, in every program that has it, and cannot be
          brought back.
        </p>
      </ConfirmRemoval>
    </>
  );
  return await page(context, { title, place: "settings" }, content);
}

async function keysTab(context: PageContext, state: FormState): Promise<Response> {
  const { db, now } = context.get("services");
  const prefix = filterIn(context, "begins") ?? "";
  const listed = await readKeyPage(db, pageAt(context), prefix);
  const content = (
    <>
      <p class="soft">
        For programs that use the panel’s API, such as <code>npm run quarry -- push</code>. The
        public API takes tokens instead. Every call of it, to read and to try:{" "}
        <a href="/panel/reference">the reference</a>.
      </p>
      <PrefixFilter action={HERE} label="Name begins with" prefix={prefix} />
      <Table
        label="Automation keys"
        rows={listed.data}
        columns={columnsFor(isAdmin(context), now())}
        empty={<Empty title={prefix === "" ? "There are no keys." : "No key is like that."} />}
      />
      <Pager here={hereOf(context)} before={listed.before} after={listed.after} />
      {isAdmin(context) ? <NewKey state={state} /> : null}
    </>
  );
  return await settingsPage(context, "/keys", content, state);
}

const columnsFor = (mayRemove: boolean, now: number): Column<ListedKey>[] => [
  { head: "Name", cell: ({ name }) => <Data>{name}</Data> },
  { head: "Role", cell: (key) => key.role },
  { head: "Made by", wide: true, cell: ({ createdByEmail }) => <Data>{createdByEmail}</Data> },
  { head: "Made", wide: true, cell: ({ createdAt }) => <Time at={createdAt} now={now} /> },
  {
    head: "Expires",
    cell: ({ expiresAt }) =>
      expiresAt !== null && expiresAt <= now ? (
        <Status tone="bad">expired</Status>
      ) : (
        <TimeOr at={expiresAt} now={now} none="never" />
      ),
  },
  ...(mayRemove
    ? [
        {
          head: "",
          cell: ({ id }: ListedKey) => (
            <a class="btn small" href={`${HERE}/${encodeURIComponent(id)}/remove`}>
              Remove
            </a>
          ),
        },
      ]
    : []),
];

const NewKey = ({ state }: { state: FormState }) => (
  <>
    <h2>New key</h2>
    <Form action={HERE} state={state} submit="Make the key">
      <TextField state={state} name="name" label="Name" required hint="Which program it is for." />
      <SelectField state={state} name="role" label="Role" options={ROLES} />
      <TextField
        state={state}
        name="expiresAt"
        label="Expires"
        type="date"
        hint="Ends at the start of this day (UTC). Leave empty for no end."
      />
    </Form>
  </>
);
