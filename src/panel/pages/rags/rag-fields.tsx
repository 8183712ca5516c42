import { newRag } from "../../../catalog/rags/rag-settings.ts";
import { modelChoices } from "../../../catalog/models/model-choices.ts";
import type { Services } from "../../../services.ts";
import { ModelField } from "../../components/model-field.tsx";
import type { FormState } from "../request/form.ts";
import { declaredForm } from "../request/setting-form.ts";

/** Chosen when a RAG is made, and on its page of scopes. */
const ONCE = ["identifier", "fileSource", "scopeMode"];

export const NEW_RAG_FORM = declaredForm(newRag);
export const RAG_FORM = declaredForm(newRag, ONCE);
/** The same without the name. */
export const SEARCH_FIELDS = declaredForm(newRag, [...ONCE, "name"]).fields;

/** Offers the rerankers that are there. */
export async function ragControls(services: Pick<Services, "db" | "models">, state: FormState) {
  const choices = await modelChoices(services, "reranker");
  const of = { state, choices, name: "reranker", label: "Reranker", none: "None" };
  return { reranker: <ModelField {...of} /> };
}
