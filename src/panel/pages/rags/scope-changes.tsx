import { addScope, removeScope } from "../../../catalog/rags/scopes.ts";
import { problemWithScope } from "../../../catalog/rags/scope-values.ts";
import { removeRag } from "../../../catalog/rags/remove-rag.ts";
import { updateRag } from "../../../catalog/rags/update-rag.ts";
import { conflict, invalidField } from "../../../core/errors.ts";
import { countScopeFiles, countScopes } from "../../../db/catalog/rag-scope-store.ts";
import { listFolder } from "../../../db/files/source-file-list.ts";
import type { RagRecord } from "../../../db/records.ts";
import type { IndexScope } from "../../../ports/rag-index.ts";
import { Data } from "../../components/data.tsx";
import { atLeast, countText } from "../../components/figures.ts";
import { Choices, type Option, field } from "../../components/form.tsx";
import type { Pages } from "../page.tsx";
import type { Form, FormState } from "../request/form.ts";
import { changed } from "../request/list.tsx";
import { ragAddress, trailTo } from "./rag-tab.tsx";
import { ScopeFields, scopePage } from "./scope.tsx";

/** Counting further would read one row per file. */
const FILES_COUNTED = 10_000;
const FOLDERS_OFFERED = 50;
/** From so many passages, files or choices on the RAG's name is asked for. */
const MUCH = 1_000;

const scopeAddress = (rag: RagRecord) => `${ragAddress(rag.identifier)}/scope`;

/** A scope as the tree names it, or as it was typed: nobody types a space before a path. */
function scopeIn(form: Form): IndexScope {
  const type = form.text("type") === "externalId" ? "externalId" : "path";
  return { type, value: form.has("typed") ? form.text("value") : form.exact("value") };
}

/** Back in the folder of the tree where the change was asked for. */
function treeAddress(rag: RagRecord, form: Form): string {
  const path = form.exact("path");
  return path === "" ? scopeAddress(rag) : changed(scopeAddress(rag), { path });
}

/** What a RAG loses when it, or a part of its scope, is removed. */
const lossOf = (rag: RagRecord) => ({
  trail: trailTo(rag),
  name: rag.name,
  isMuch: rag.numberVectors >= MUCH,
});

export function addRemovals(ofRag: Pages<RagRecord>): void {
  ofRag.removal("/:id/remove", (_context, rag) => ({
    ...lossOf(rag),
    title: "Remove the RAG",
    says: (
      <p>
        Removes <Data>{rag.name}</Data> with its {countText(rag.numberVectors, "passage")} from{" "}
        {countText(rag.processedFiles, "file")}. The documents stay in{" "}
        <Data>{rag.fileSource.name}</Data>. Tokens no longer cover it; programs that search it get
        404.
      </p>
    ),
    audit: ["rags.remove", rag.identifier],
    remove: (services) => removeRag(services, { rag }),
    to: "/panel/rags",
    notice: `${rag.name} is removed.`,
  }));
  addScopeChanges(ofRag);
}

function addScopeChanges(ofRag: Pages<RagRecord>): void {
  ofRag.submit("/:id/scope/add", (context, rag) => ({
    audit: ["rags.scopes.create", rag.identifier],
    fields: ["type", "value"],
    work: async (services, form) => {
      await addScope(services, { rag, scope: scopeIn(form) });
      return treeAddress(rag, form);
    },
    again: (state) => scopePage(context, rag, state),
    leads: (to) => ({ to }),
  }));

  ofRag.removal("/:id/scope/remove", async (context, rag, form) => {
    const scope = scopeIn(form);
    const { db } = context.get("services");
    const files = await countScopeFiles(db, rag.fileSource.id, scope, FILES_COUNTED);
    return {
      ...lossOf(rag),
      title: "Leave out of the index",
      isMuch: files >= MUCH,
      values: { ...scope, path: form.exact("path") },
      submit: "Leave it out",
      cancel: treeAddress(rag, form),
      says: (
        <p>
          Leaves out <Data>{scope.value}</Data>: <Data>{rag.name}</Data> no longer finds its{" "}
          {atLeast(files, FILES_COUNTED, "file")}, unless another choice includes them. The
          documents stay in <Data>{rag.fileSource.name}</Data>.
        </p>
      ),
      audit: ["rags.scopes.remove", rag.identifier],
      remove: (services) => removeScope(services, { rag, scope }),
      to: treeAddress(rag, form),
    };
  });
  addNarrowing(ofRag);
  addWidening(ofRag);
}

const FirstPart = ({ state, options }: { state: FormState; options: Option[] }) => (
  <>
    <Choices
      {...field(state, "entry", "The first part")}
      kind="radio"
      options={[...options, { value: "", label: "Another one:" }]}
    />
    <ScopeFields state={state} />
  </>
);

function addNarrowing(ofRag: Pages<RagRecord>): void {
  ofRag.removal("/:id/scope/narrow", async (context, rag, form) => {
    const services = context.get("services");
    const root = { sourceId: rag.fileSource.id, folder: "", after: null, limit: FOLDERS_OFFERED };
    const entries = await listFolder(services.db, root);
    const offered = entries.map(({ path }) => ({ value: path, label: path }));
    return {
      ...lossOf(rag),
      title: "Index chosen parts only",
      values: { typed: "on" },
      submit: "Index this part only",
      cancel: scopeAddress(rag),
      says: (
        <p>
          The index has {countText(rag.numberVectors, "passage")} from{" "}
          {countText(rag.processedFiles, "file")}. Only passages from the part that you choose here
          are kept. You can add more parts next. The documents stay in{" "}
          <Data>{rag.fileSource.name}</Data>.
        </p>
      ),
      fields: (state) => <FirstPart state={state} options={offered} />,
      audit: ["rags.change", rag.identifier],
      remove: async () => {
        const entry = form.exact("entry");
        const scope: IndexScope = entry === "" ? scopeIn(form) : { type: "path", value: entry };
        if (rag.scopeMode !== "global") throw conflict("Parts of it are already chosen");
        const problem = problemWithScope(rag.fileSource.provider, scope);
        if (problem !== null) throw invalidField("value", problem);
        await updateRag(services, { rag, patch: { scopeMode: "scoped", scopes: [scope] } });
      },
      to: scopeAddress(rag),
      notice: "Only the chosen parts are indexed now.",
    };
  });
}

function addWidening(ofRag: Pages<RagRecord>): void {
  ofRag.removal("/:id/scope/everything", async (context, rag) => {
    const services = context.get("services");
    const scopes = await countScopes(services.db, rag.id, MUCH);
    return {
      ...lossOf(rag),
      title: "Index everything",
      isHarmless: true,
      isMuch: scopes >= MUCH,
      submit: "Index everything",
      cancel: scopeAddress(rag),
      says: (
        <p>
          Discards {atLeast(scopes, MUCH, "choice")} of folders, files and ids, and indexes all of{" "}
          <Data>{rag.fileSource.name}</Data>. Nothing is removed from the index.
        </p>
      ),
      audit: ["rags.change", rag.identifier],
      remove: (services) => updateRag(services, { rag, patch: { scopeMode: "global" } }),
      to: scopeAddress(rag),
      notice: "Everything is indexed now.",
    };
  });
}
