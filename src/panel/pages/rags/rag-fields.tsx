import { newRag } from "../../../catalog/rags/rag-settings.ts";
import { listModelRows } from "../../../db/catalog/model-store.ts";
import type { Services } from "../../../services.ts";
import { Data } from "../../components/data.tsx";
import { modelsHint } from "../../components/more-choices.tsx";
import { formName, shownFields } from "../request/setting-form.ts";
import { BUILT_IN_MODELS } from "../../../ports/models.ts";

/** Chosen when a RAG is made, and on its page of scopes. */
const ONCE = new Set(["identifier", "fileSource", "scopeMode"]);

export const NEW_RAG_FIELDS = shownFields(newRag);
export const RAG_FIELDS = NEW_RAG_FIELDS.filter((field) => !ONCE.has(formName(field)));
/** The same without the name. */
export const SEARCH_FIELDS = RAG_FIELDS.filter((field) => formName(field) !== "name");

/** Names the rerankers that are offered. */
export async function ragHints({ db }: Pick<Services, "db">) {
  const models = await listModelRows(db);
  const rerankers = models.filter(({ kind }) => kind === "reranker").map(({ model }) => model);
  const hint = `${modelsHint(rerankers, BUILT_IN_MODELS.reranker)}. If empty, none.`;
  return { reranker: <Data>{hint}</Data> };
}
