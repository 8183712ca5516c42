import type { z } from "zod";

import { indexScope } from "../../../catalog/rags/rag-settings.ts";
import { problemWithScope } from "../../../catalog/rags/scope-values.ts";
import { addScope, removeScope } from "../../../catalog/rags/scopes.ts";
import { conflict, invalidField } from "../../../core/errors.ts";
import { countScopeFiles, countScopes } from "../../../db/catalog/rag-scope-store.ts";
import { listFolder } from "../../../db/files/source-file-list.ts";
import type { RagRecord } from "../../../db/records.ts";
import type { IndexScope } from "../../../ports/rag-index.ts";
import { action, type ActionCall } from "../../action.ts";
import { ragChange, ragRemoval } from "../../api/rags.ts";
import { Data } from "../../components/data.tsx";
import { countOrMore, countText } from "../../components/figures.ts";
import {
  Choices,
  type Option,
  field,
  type FormValues,
  type FormState,
} from "../../components/form.tsx";
import type { Pages } from "../page.tsx";
import { withQuery, FILES_COUNTED } from "../request/list.tsx";
import { ragAddress, RAGS, trailTo } from "./rag-tab.tsx";
import { ScopeFields, scopePage } from "./scope.tsx";

const FOLDERS_OFFERED = 50;
/** From so many passages, files or choices on the RAG's name must be typed. */
const MUCH = 1_000;

const scopeAddress = (rag: RagRecord) => `${ragAddress(rag.identifier)}/scope`;

/** A scope as the tree names it, or as it was typed: nobody types a space before a path. */
function scopeIn(form: FormValues): IndexScope {
  const type = form.text("type") === "externalId" ? "externalId" : "path";
  return { type, value: form.has("typed") ? form.text("value") : form.exact("value") };
}

/** Back in the folder of the tree where the change was made. */
function treeAddress(rag: RagRecord, form: FormValues): string {
  const path = form.exact("path");
  return path === "" ? scopeAddress(rag) : withQuery(scopeAddress(rag), { path });
}

/** The loss when a RAG, or a part of its scope, is removed. */
const lossOf = (rag: RagRecord) => ({
  trail: trailTo(rag),
  name: rag.name,
  isMuch: rag.numberVectors >= MUCH,
});

export function addRemovals(ofRag: Pages<RagRecord>): void {
  ofRag.removal("/:id/remove", ragRemoval, (_context, rag) => ({
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
    to: RAGS.href,
  }));
  addScopeChanges(ofRag);
}

type ScopeCall = ActionCall<RagRecord, typeof indexScope>;

const scopeAddition = action({
  name: "rags.scopes.create",
  about: "Index a part of the source.",
  body: indexScope,
  work: ({ services, subject: rag, body: scope }: ScopeCall) => addScope(services, { rag, scope }),
});

type ScopeOfRag = { rag: RagRecord; scope: IndexScope };

const scopeRemoval = action({
  name: "rags.scopes.remove",
  about: "Leave a part of the source out of the index.",
  work: ({ services, subject }: ActionCall<ScopeOfRag, z.ZodUndefined>) =>
    removeScope(services, subject),
  target: ({ rag }) => rag.identifier,
  previousValues: ({ scope }) => scope,
});

function addScopeChanges(ofRag: Pages<RagRecord>): void {
  ofRag.form("/:id/scope/add", scopeAddition, (context, rag) => ({
    fields: ["type", "value"],
    body: scopeIn,
    failedPage: (state) => scopePage(context, rag, state),
    to: (_none, form) => treeAddress(rag, form),
  }));

  ofRag.removal("/:id/scope/remove", scopeRemoval, async (context, rag, form) => {
    const scope = scopeIn(form);
    const { db } = context.get("services");
    const files = await countScopeFiles(db, rag.fileSource.id, scope, FILES_COUNTED);
    return {
      ...lossOf(rag),
      subject: { rag, scope },
      title: "Leave out of the index",
      isMuch: files >= MUCH,
      values: { ...scope, path: form.exact("path") },
      submit: "Leave it out",
      cancel: treeAddress(rag, form),
      says: (
        <p>
          Leaves out <Data>{scope.value}</Data>: <Data>{rag.name}</Data> no longer finds its{" "}
          {countOrMore(files, FILES_COUNTED, "file")}, unless another choice includes them. The
          documents stay in <Data>{rag.fileSource.name}</Data>.
        </p>
      ),
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

/** The RAG's scopes become this one. @throws QuarryError `conflict`, `invalid` */
function readNarrowing(rag: RagRecord, form: FormValues) {
  const entry = form.exact("entry");
  const scope: IndexScope = entry === "" ? scopeIn(form) : { type: "path", value: entry };
  if (rag.scopeMode !== "global") throw conflict("Parts of it are already chosen");
  const problem = problemWithScope(rag.fileSource.provider, scope);
  if (problem !== null) throw invalidField("value", problem);
  return { scopeMode: "scoped", scopes: [scope] };
}

function addNarrowing(ofRag: Pages<RagRecord>): void {
  const narrowing = { ...ragChange, notice: "Only the chosen parts are indexed now." };
  ofRag.removal("/:id/scope/narrow", narrowing, async (context, rag) => {
    const root = { sourceId: rag.fileSource.id, folder: "", after: null, limit: FOLDERS_OFFERED };
    const entries = await listFolder(context.get("services").db, root);
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
      fields: {
        names: ["type", "value", "entry"],
        chosen: { type: "path" },
        show: (state) => <FirstPart state={state} options={offered} />,
        body: (form) => readNarrowing(rag, form),
      },
      to: scopeAddress(rag),
    };
  });
}

function addWidening(ofRag: Pages<RagRecord>): void {
  const widening = { ...ragChange, notice: "Everything is indexed now." };
  ofRag.removal("/:id/scope/everything", widening, async (context, rag) => {
    const scopes = await countScopes(context.get("services").db, rag.id, MUCH);
    return {
      ...lossOf(rag),
      title: "Index everything",
      isHarmless: true,
      isMuch: scopes >= MUCH,
      submit: "Index everything",
      cancel: scopeAddress(rag),
      says: (
        <p>
          Discards {countOrMore(scopes, MUCH, "choice")} of folders, files and ids, and indexes all
          of <Data>{rag.fileSource.name}</Data>. Nothing is removed from the index.
        </p>
      ),
      body: { scopeMode: "global" },
      to: scopeAddress(rag),
    };
  });
}
