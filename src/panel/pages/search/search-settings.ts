import { searchSettings } from "../../../core/input/search-settings.ts";
import { settingFields } from "../../../core/input/setting-fields.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { panelSearch, type PanelSearch } from "../../search/search-rag.ts";
import type { InferenceInput } from "../../../inference/types.ts";
import { InferenceRunRequest } from "../../../inference/run-requests.ts";
import { typed } from "../request/form.ts";
import { bodyIn } from "../../components/setting-fields.tsx";
import { findAgent, findInference } from "../../../catalog/inferences/runner-verbs.ts";
import { findRag } from "../../../catalog/rags/find-rag.ts";
import { choicesByKind, type Choice } from "../../../db/catalog/panel-lists.ts";
import type { RagRecord } from "../../../db/records.ts";
import type { Services } from "../../../services.ts";
import type { Model } from "../answers/model-list.tsx";
import type { Form } from "../../components/form-state.ts";

/** The fields of one setting, as they stand in the address; those of the second have a `b.`. */
export const SETTING_FIELDS = [
  "with",
  ...Object.keys(searchSettings.shape),
  "reranker",
  "selectedFiles",
  "selectedFolders",
  "modifiedAfter",
  "modifiedBefore",
  "providerFilter",
  "model",
  "systemPrompt",
  "jsonSchema",
  "reader",
  "groups",
];

export const SECOND = "b.";
/** The value that stands for a RAG's search without any reranker. */
export const NO_RERANKER = "none";

/** `rag=` names a RAG alone. A new comparison starts from the first setting. */
export function withSecond(parameters: URLSearchParams): URLSearchParams {
  const values = new URLSearchParams(parameters);
  for (const prefix of ["", SECOND]) {
    const rag = values.get(`${prefix}rag`);
    if (rag !== null && !values.has(`${prefix}with`)) values.set(`${prefix}with`, `rag:${rag}`);
  }
  const isBegun = SETTING_FIELDS.some((name) => values.has(SECOND + name));
  if (!values.has("compare") || isBegun) return values;
  for (const name of SETTING_FIELDS) {
    const value = values.get(name);
    if (value !== null) values.set(SECOND + name, value);
  }
  return values;
}

/** `labels = contract, 2026`: a field of the metadata and the values of which one must match. */
function filterOf(line: string) {
  const at = line.indexOf("=");
  const field = (at === -1 ? line : line.slice(0, at)).trim();
  const values = at === -1 ? [] : line.slice(at + 1).split(",");
  return { field, values: values.map((value) => value.trim()).filter((value) => value !== "") };
}

/** The question, and other wordings that are searched as well. */
export function questionsIn(form: Form) {
  const question = form.text("q").replaceAll("\r\n", "\n");
  return { question, queries: [question, ...form.lines("more")] };
}

/** The fields that every search has. What was left empty is the default. */
function searchFieldsIn(form: Form, prefix: string) {
  const text = (field: string) => form.text(prefix + field);
  const filters = form.lines(`${prefix}providerFilter`).map(filterOf);
  const files = form.lines(`${prefix}selectedFiles`);
  const folders = form.lines(`${prefix}selectedFolders`);
  const fields = {
    semanticSearch: questionsIn(form).queries,
    ...bodyIn(form, settingFields(searchSettings), { prefix }),
    useReranking: text("useReranking") === "on",
    modifiedAfter: typed(text("modifiedAfter")),
    modifiedBefore: typed(text("modifiedBefore")),
    ...(filters.length === 0 ? {} : { providerFilter: filters }),
  };
  return { fields, files, folders, isRestricted: files.length + folders.length > 0 };
}

/** The body of the API's search that a form asks for. @throws QuarryError `invalid`. */
export function searchIn(form: Form, prefix: string): PanelSearch {
  const { fields, files, folders, isRestricted } = searchFieldsIn(form, prefix);
  const reranker = form.text(`${prefix}reranker`);
  const isRerankerChosen = reranker !== "" && reranker !== NO_RERANKER;
  return parseOrRefuse(panelSearch, {
    ...fields,
    reranker: reranker === NO_RERANKER ? null : typed(reranker),
    ...namedIn(form, prefix),
    useReranking: isRerankerChosen || fields.useReranking,
    ...(isRestricted ? { useAllFiles: false, selectedFiles: files, selectedFolders: folders } : {}),
  });
}

/** The settings of a run, whose files may be in any of its RAGs. @throws QuarryError `invalid`. */
export function runIn(form: Form, prefix: string, target: Target): InferenceInput {
  const { question: prompt } = questionsIn(form);
  const jsonSchema = typed(form.text(`${prefix}jsonSchema`));
  if (!searchesFirst(target)) return parseOrRefuse(InferenceRunRequest, { prompt, jsonSchema });
  const { fields, files, folders, isRestricted } = searchFieldsIn(form, prefix);
  const rags = ragsOf(target).map(({ identifier }) => identifier);
  return parseOrRefuse(InferenceRunRequest, {
    prompt,
    jsonSchema,
    ...fields,
    ...(isRestricted && {
      useAllFiles: false,
      selectedFiles: rags.map((ragIdentifier) => ({ ragIdentifier, files })),
      selectedFolders: rags.map((ragIdentifier) => ({ ragIdentifier, folders })),
    }),
  });
}

/** For whom it is searched; the groups may be none. */
export function namedIn(form: Form, prefix: string) {
  const groups = form.text(`${prefix}groups`).split(",");
  return {
    reader: typed(form.text(`${prefix}reader`)),
    groups: groups.map((group) => group.trim()).filter((group) => group !== ""),
  };
}

/** The body of a program that gets the same result: nothing that is the default anyhow. */
export function publicBodyOf(search: PanelSearch | InferenceInput): object {
  const { useReranking, candidateMultiplier, includeDuplicates, ...searchRest } = search;
  const { useAllFiles, selectedFiles, selectedFolders, ...rest } = searchRest;
  return {
    ...rest,
    reranker: undefined,
    reader: undefined,
    groups: undefined,
    includeSystemPrompt: undefined,
    ...(useReranking ? { useReranking, candidateMultiplier } : {}),
    ...(includeDuplicates ? { includeDuplicates } : {}),
    ...(useAllFiles ? {} : { useAllFiles, selectedFiles, selectedFolders }),
    includeSources: true,
  };
}

/** A RAG finds passages, the others answer from them. */
export type Target = { kind: "rag"; record: RagRecord } | Model;

export type TargetKind = Target["kind"];

/** A target in a form and in an address: `inference:ask`. */
export const targetKey = (kind: TargetKind, identifier: string) => `${kind}:${identifier}`;

export const keyOf = ({ kind, record }: Target) => targetKey(kind, record.identifier);

export const ragsOf = ({ kind, record }: Target) => (kind === "rag" ? [record] : record.rags);

/** Whether it searches before its model answers. */
export const searchesFirst = (target: Target) =>
  target.kind === "rag" ||
  (target.kind === "inference" && target.record.nativeRag && target.record.rags.length > 0);

/** @throws QuarryError `not-found` */
export async function findTarget(services: Services, named: string): Promise<Target> {
  const [kind = "", key = ""] = named.split(":", 2);
  if (kind === "inference") return { kind, record: await findInference(services, { key }) };
  if (kind === "agent") return { kind, record: await findAgent(services, { key }) };
  return { kind: "rag", record: await findRag(services, { key }) };
}

export type Choices = { label: string; kind: TargetKind; choices: Choice[] }[];

export async function targetChoices({ db }: Pick<Services, "db">): Promise<Choices> {
  const { rag, inference, agent } = await choicesByKind(db);
  return [
    { label: "Search a RAG", kind: "rag", choices: rag },
    { label: "Ask an inference", kind: "inference", choices: inference },
    { label: "Ask an agent", kind: "agent", choices: agent },
  ];
}
