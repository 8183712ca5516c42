import { newRag } from "../../../catalog/rags/rag-settings.ts";
import { listModelRows } from "../../../db/catalog/model-store.ts";
import type { Services } from "../../../services.ts";
import { Data } from "../../components/data.tsx";
import { modelsHint } from "../../components/more-choices.tsx";
import { declaredForm } from "../request/setting-form.ts";
import { BUILT_IN_MODELS } from "../../../ports/models.ts";

/** Chosen when a RAG is made, and on its page of scopes. */
const ONCE = ["identifier", "fileSource", "scopeMode"];

export const NEW_RAG_FORM = declaredForm(newRag);
export const RAG_FORM = declaredForm(newRag, ONCE);
/** The same without the name. */
export const SEARCH_FIELDS = declaredForm(newRag, [...ONCE, "name"]).fields;

/** Names the rerankers that are offered. */
export async function ragHints({ db }: Pick<Services, "db">) {
  const models = await listModelRows(db);
  const rerankers = models.filter(({ kind }) => kind === "reranker").map(({ model }) => model);
  const hint = `${modelsHint(rerankers, BUILT_IN_MODELS.reranker)}. If empty, none.`;
  return { reranker: <Data>{hint}</Data> };
}
