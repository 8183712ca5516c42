import { addScope } from "../../../catalog/rags/add-scope.ts";
import { problemWithScope } from "../../../catalog/rags/problem-with-scope.ts";
import { removeScope } from "../../../catalog/rags/remove-scope.ts";
import type { RagPatch } from "../../../catalog/rags/rag-settings.ts";
import { updateRag } from "../../../catalog/rags/update-rag.ts";
import { conflict, invalidField } from "../../../core/errors.ts";
import { countScopeFiles } from "../../../db/catalog/scope-files.ts";
import { countScopes } from "../../../db/catalog/rag-scope-store.ts";
import { listFolder } from "../../../db/files/folder-list.ts";
import type { RagRecord } from "../../../db/records.ts";
import type { IndexScope } from "../../../ports/rag-index.ts";
import { ConfirmRemoval } from "../../components/confirm-removal.tsx";
import { Data } from "../../components/data.tsx";
import { atLeast, counted } from "../../components/figures.ts";
import { Choices } from "../../components/form.tsx";
import { PageHead } from "../../components/page-head.tsx";
import type { PageContext } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formFrom, formOf, freshForm } from "../request/form.ts";
import type { Form, FormState } from "../request/form.ts";
import { ragAddress } from "./rag-list.tsx";
import { checkNamed, MUCH } from "./removal.tsx";
import { ScopeFields, scopePage } from "./scope.tsx";

const FIELDS = ["type", "value", "entry", "confirmation"];
/** Counting further would read one row per file. */
const FILES_COUNTED = 10_000;
const FOLDERS_OFFERED = 50;

const scopeAddress = (rag: RagRecord) => `${ragAddress(rag.identifier)}/scope`;

/** A scope as the tree names it, or as it was typed: nobody types a space before a path. */
function scopeIn(form: Form): IndexScope {
  const type = form.text("type") === "externalId" ? "externalId" : "path";
  return { type, value: form.has("typed") ? form.text("value") : form.exact("value") };
}

/** Back in the folder of the tree where the change was asked for. */
function treeAddress(rag: RagRecord, form: Form): string {
  const path = form.exact("path");
  const query = path === "" ? "" : `?${new URLSearchParams({ path }).toString()}`;
  return scopeAddress(rag) + query;
}

export async function addToScope(context: PageContext, rag: RagRecord): Promise<Response> {
  auditAs(context, "rags.scopes.create", rag.identifier);
  const form = await formOf(context);
  const scope = scopeIn(form);
  const tried = await attempt(form, FIELDS, async () => {
    await addScope(context.get("services"), { rag, scope });
  });
  if (!tried.done) return await scopePage(context, rag, tried.state);
  return redirectWithNotice(context, treeAddress(rag, form));
}

/** How much leaves the index with one folder, file or id. */
export async function leaveOutPage(context: PageContext, rag: RagRecord): Promise<Response> {
  const form = formFrom(new URL(context.req.url).searchParams);
  return await showLeavingOut(context, { rag, form, state: freshForm() });
}

type LeavingOut = { rag: RagRecord; form: Form; state: FormState };

const filesIn = async (context: PageContext, rag: RagRecord, scope: IndexScope) =>
  await countScopeFiles(context.get("services").db, rag.fileSource.id, scope, FILES_COUNTED);

async function showLeavingOut(context: PageContext, { rag, form, state }: LeavingOut) {
  const scope = scopeIn(form);
  const files = await filesIn(context, rag, scope);
  return await confirmPage(context, {
    rag,
    title: "Leave out of the index",
    state,
    isMuch: files >= MUCH,
    action: "/remove",
    values: { ...scope, path: form.exact("path") },
    submit: "Leave it out",
    cancel: treeAddress(rag, form),
    children: (
      <p>
        Leaves out <Data>{scope.value}</Data>: {atLeast(files, FILES_COUNTED, "file")} of it
        {files === 1 ? " is" : " are"} no longer found by <Data>{rag.name}</Data>, unless another
        choice holds them. The documents stay in <Data>{rag.fileSource.name}</Data>.
      </p>
    ),
  });
}

export async function leaveOut(context: PageContext, rag: RagRecord): Promise<Response> {
  auditAs(context, "rags.scopes.remove", rag.identifier);
  const form = await formOf(context);
  const scope = scopeIn(form);
  const tried = await attempt(form, FIELDS, async () => {
    if ((await filesIn(context, rag, scope)) >= MUCH) checkNamed(form, rag);
    await removeScope(context.get("services"), { rag, scope });
  });
  if (!tried.done) return await showLeavingOut(context, { rag, form, state: tried.state });
  return redirectWithNotice(context, treeAddress(rag, form));
}

/** What is lost by choosing parts, and the first of them: until one is chosen all would be. */
export async function narrowPage(
  context: PageContext,
  rag: RagRecord,
  state: FormState = freshForm({ type: "path" }),
): Promise<Response> {
  const { db } = context.get("services");
  const root = { sourceId: rag.fileSource.id, folder: "", after: null, limit: FOLDERS_OFFERED };
  const entries = await listFolder(db, root);
  return await confirmPage(context, {
    rag,
    title: "Index chosen parts only",
    state,
    isMuch: rag.numberVectors >= MUCH,
    action: "/narrow",
    values: { typed: "on" },
    submit: "Index this part only",
    cancel: scopeAddress(rag),
    children: (
      <p>
        The index has {counted(rag.numberVectors, "passage")} of{" "}
        {counted(rag.processedFiles, "file")}. Only those of the part that you choose here stay in
        it; you can add parts next. The documents stay in <Data>{rag.fileSource.name}</Data>.
      </p>
    ),
    fields: (
      <>
        <Choices
          state={state}
          name="entry"
          label="The first part"
          kind="radio"
          options={[
            ...entries.map(({ path }) => ({ value: path, label: path })),
            { value: "", label: "Another one:" },
          ]}
        />
        <ScopeFields state={state} />
      </>
    ),
  });
}

export async function narrow(context: PageContext, rag: RagRecord): Promise<Response> {
  auditAs(context, "rags.change", rag.identifier);
  const form = await formOf(context);
  const entry = form.exact("entry");
  const scope: IndexScope = entry === "" ? scopeIn(form) : { type: "path", value: entry };
  const tried = await attempt(form, FIELDS, async () => {
    if (rag.scopeMode !== "global") throw conflict("Parts of it are chosen already");
    const problem = problemWithScope(rag.fileSource.provider, scope);
    if (problem !== null) throw invalidField("value", problem);
    if (rag.numberVectors >= MUCH) checkNamed(form, rag);
    const patch: RagPatch = { scopeMode: "scoped", scopes: [scope] };
    await updateRag(context.get("services"), { rag, patch });
  });
  if (!tried.done) return await narrowPage(context, rag, tried.state);
  return redirectWithNotice(context, scopeAddress(rag), {
    notice: "Only what is chosen is indexed now.",
  });
}

/** How many choices are forgotten by indexing everything. */
export async function everythingPage(
  context: PageContext,
  rag: RagRecord,
  state: FormState = freshForm(),
): Promise<Response> {
  const scopes = await countScopes(context.get("services").db, rag.id, MUCH);
  return await confirmPage(context, {
    rag,
    title: "Index everything",
    state,
    isMuch: scopes >= MUCH,
    action: "/everything",
    values: {},
    submit: "Index everything",
    cancel: scopeAddress(rag),
    children: (
      <p>
        Forgets {atLeast(scopes, MUCH, "choice")} of folders, files and ids, and indexes all of{" "}
        <Data>{rag.fileSource.name}</Data>. Nothing leaves the index.
      </p>
    ),
  });
}

export async function indexEverything(context: PageContext, rag: RagRecord): Promise<Response> {
  auditAs(context, "rags.change", rag.identifier);
  const form = await formOf(context);
  const services = context.get("services");
  const tried = await attempt(form, FIELDS, async () => {
    if ((await countScopes(services.db, rag.id, MUCH)) >= MUCH) checkNamed(form, rag);
    await updateRag(services, { rag, patch: { scopeMode: "global" } });
  });
  if (!tried.done) return await everythingPage(context, rag, tried.state);
  return redirectWithNotice(context, scopeAddress(rag), { notice: "Everything is indexed now." });
}

type ConfirmProps = Omit<Parameters<typeof ConfirmRemoval>[0], "name"> & {
  rag: RagRecord;
  title: string;
};

async function confirmPage(context: PageContext, of: ConfirmProps): Promise<Response> {
  const { rag, title, action, ...confirm } = of;
  const trail = [
    { name: "RAGs", href: "/panel/rags" },
    { name: rag.name, href: ragAddress(rag.identifier) },
  ];
  const content = (
    <>
      <PageHead title={title} trail={trail} />
      <ConfirmRemoval {...confirm} action={scopeAddress(rag) + action} name={rag.name} />
    </>
  );
  return await page(context, { title, place: "rags", status: of.state.status }, content);
}
