import { z } from "zod";

import { BYTES_PER_HALF } from "../../../core/bytes/half-float.ts";
import { invalidField } from "../../../core/errors.ts";
import { MEASURED_FILES, measureExport } from "../../../db/archive/export-store.ts";
import { listImports, type ArchiveImport } from "../../../db/archive/import-store.ts";
import { listChoices } from "../../../db/catalog/panel-lists.ts";
import { findArchiveImport, importRemoval } from "../../api/archive.ts";
import type { WholePlan } from "../../archive/plan-import.ts";
import { importWish, type PlannedThing } from "../../archive/rename-things.ts";
import { continueImport, storeUpload } from "../../archive/run-import.ts";
import { choicesIn, LongChoices } from "../../components/choice-fields.tsx";
import { Data, Time, ActionButton, Hidden } from "../../components/data.tsx";
import { countOrMore, countText, size } from "../../components/figures.ts";
import { field, FileField, Form } from "../../components/form.tsx";
import { freshForm, type FormValues, type FormState } from "../../components/form.tsx";
import { SettingForm, formOfSettings } from "../../components/setting-fields.tsx";
import type { Columns } from "../../components/table.tsx";
import { requireAdmin, lookUp, page, type PageContext, type Pages } from "../page.tsx";
import { attempt, formOf, multipartOf, redirectWithNotice } from "../request/form.ts";
import { List } from "../request/list.tsx";
import { SETTINGS, settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings/archive";
/** A posted file is in memory; the command sends larger ones in pieces. */
const MAX_BYTES = 32 * 1_024 * 1_024;
/** The text of a usual passage, and its place. */
const PASSAGE_BYTES = 2_000;

const EXPORT = formOfSettings(
  z.object({
    vectors: z
      .boolean()
      .meta({ label: "With vectors", hint: "Without them, an import embeds the passages." }),
    access: z.boolean().meta({
      label: "With users, tokens and keys",
      hint: "Hashes of tokens and keys, never passwords.",
    }),
  }),
);
const IMPORT = formOfSettings(importWish);

export function archivePages(pages: Pages): void {
  pages.use("*", requireAdmin);
  pages.get("/", (context) => archiveTab(context, IMPORT.state()));
  pages.receive("/export", async (context) => {
    const form = await formOf(context);
    const [sources, rags] = [choicesIn(form, "sources"), choicesIn(form, "rags")];
    const all = sources.length + rags.length === 0;
    const choice = Object.entries({ sources, rags, all, ...EXPORT.body(form) });
    const query = choice.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
    return context.redirect(`/panel/api/archive?${query.join("&")}`, 303);
  });
  const upload = async (context: PageContext) => {
    const { form, files } = await multipartOf(context, MAX_BYTES);
    const [file] = files("file");
    return await step(context, form, async () => {
      if (file === undefined) throw invalidField("file", "is required");
      return await storeUpload(context.get("services"), file.stream());
    });
  };
  pages.receive("/import", upload, "admins", "archive.import");
  const next = async (context: PageContext) =>
    await step(context, await formOf(context), () => context.req.param("id") ?? "");
  pages.receive("/imports/:id", next, "admins", "archive.import");
  const ofImport = pages.forRecord(lookUp(findArchiveImport));
  ofImport.form("/imports/:id/give-up", importRemoval, () => ({ to: HERE }));
}

async function archiveTab(context: PageContext, state: FormState): Promise<Response> {
  const { db, config } = context.get("services");
  const sources = await listChoices(db, "file_source");
  const rags = await listChoices(db, "rag");
  const imports = (await listImports(db)).filter((row) => row.state !== "done");
  const choice = EXPORT.state({ vectors: true });
  const { files, bytes, passages } = await measureExport(db);
  const content = (
    <>
      <h2>Export</h2>
      <p class="soft">
        A zip file with settings, files, passages and vectors, without secrets. If you choose
        nothing, it has the whole service: {countOrMore(files, MEASURED_FILES, "file")} (
        {size(bytes)}) and {countText(passages, "passage")} (about{" "}
        {size(passages * (PASSAGE_BYTES + config.EMBEDDING_DIMENSIONS * BYTES_PER_HALF))} with
        vectors).
      </p>
      <SettingForm
        {...{ state: choice, fields: EXPORT.fields, action: `${HERE}/export` }}
        submit="Download archive"
      >
        <LongChoices
          state={choice}
          group="sources"
          label="Sources with their RAGs"
          choices={sources}
        />
        <LongChoices state={choice} group="rags" label="RAGs with their sources" choices={rags} />
      </SettingForm>
      <h2>Import</h2>
      <SettingForm
        {...{ state, fields: IMPORT.fields, action: `${HERE}/import` }}
        submit="Show the changes"
        hasFiles
      >
        <FileField
          {...field(state, "file", "Archive")}
          accept=".zip"
          hint="At most 32 MiB; the command imports larger ones. You confirm the changes first."
        />
      </SettingForm>
      <h2>Unfinished imports</h2>
      <List
        {...{ context, columns: IMPORTS, label: "Unfinished imports" }}
        listed={{ data: imports }}
        empty="There are none."
      />
    </>
  );
  return await settingsPage(context, "/archive", content, state);
}

const IMPORTS: Columns<ArchiveImport> = [
  { head: "Created", main: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { head: "State", cell: ({ state }) => state },
  {
    head: "",
    cell: ({ id }) => <ActionButton action={`${HERE}/imports/${id}/give-up`} label="Give up" />,
  },
];

/** Shows the changes of an import and asks, or works on one that is confirmed. */
async function step(context: PageContext, form: FormValues, idOf: () => string | Promise<string>) {
  const isDry = !form.has("confirmed");
  const work = async () => {
    const wish = { ...importWish.parse(IMPORT.body(form)), dryRun: isDry };
    return await continueImport(context, await idOf(), wish);
  };
  const attempted = await attempt(form, ["file", ...IMPORT.names], work);
  if (!attempted.done) return await archiveTab(context, attempted.state);
  const { id, state, part, parts, plan } = attempted.result;
  if (state === "done") return redirectWithNotice(context, HERE, { notice: "It is imported." });
  const values = Object.fromEntries(IMPORT.names.map((name) => [name, form.text(name)]));
  if (plan !== null) values["confirmed"] = "on";
  const isPlan = isDry && plan !== null;
  const isTaken = plan?.things.some(({ outcome }) => outcome === "taken") === true;
  const action = `${HERE}/imports/${id}`;
  return await page(
    context,
    { title: "Import", trail: [{ name: "Archive", href: HERE }], place: SETTINGS },
    <>
      <p>{isPlan ? countsOf(plan) : `${part} of ${countText(parts, "part")} done.`}</p>
      <List
        {...{ context, columns: THINGS, label: "Changes", empty: "" }}
        listed={{ data: plan?.things ?? [] }}
      />
      {isTaken ? (
        <>
          <h2>Change the import</h2>
          <SettingForm
            {...{
              action,
              state: IMPORT.state(IMPORT.body(form)),
              fields: IMPORT.fields,
              cancel: HERE,
            }}
            submit="Show the changes"
          />
        </>
      ) : (
        <Form
          {...{ action, state: freshForm(), cancel: HERE }}
          submit={isPlan ? "Import" : "Continue"}
        >
          <Hidden values={values} />
        </Form>
      )}
    </>,
  );
}

const countsOf = ({ files, passages, embedderCalls }: WholePlan) =>
  `${countText(files, "file")}, ${countText(passages, "passage")}, ${countText(embedderCalls, "call")} of the embedding model.`;

const THINGS: Columns<PlannedThing> = [
  { head: "Name", main: true, cell: ({ thing }) => <Data>{thing}</Data> },
  { head: "Change", cell: ({ outcome }) => outcome },
  { head: "New name", cell: ({ as }) => (as === undefined ? null : <Data>{as}</Data>) },
];
