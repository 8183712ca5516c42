import { resolveReaders, readerHeaders, readingInPanel } from "../../../access/readers.ts";
import { inferencePatch } from "../../../catalog/inferences/inference-settings.ts";
import { findAgent, findInference } from "../../../catalog/inferences/runner-verbs.ts";
import { findRag } from "../../../catalog/rags/find-rag.ts";
import { omitUndefined } from "../../../core/input/omit-undefined.ts";
import { searchSettings } from "../../../core/input/search-settings.ts";
import { settingFields } from "../../../core/input/setting-fields.ts";
import { choicesByKind, type Choice } from "../../../db/catalog/panel-lists.ts";
import type { RagRecord } from "../../../db/records.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { runAgent } from "../../../inference/run-agent.ts";
import type { RunListener } from "../../../inference/run-events.ts";
import { runInference } from "../../../inference/run-inference.ts";
import { InferenceRunRequest } from "../../../inference/run-requests.ts";
import type { InferenceInput, EarlierMessage } from "../../../inference/types.ts";
import type { RetrievedChunk } from "../../../retrieval/score-chunks.ts";
import type { Services } from "../../../services.ts";
import { type FormValues, formFrom } from "../../components/form.tsx";
import { bodyIn } from "../../components/setting-fields.tsx";
import { panelSearch, type PanelSearch } from "../../search/search-rag.ts";
import { searchRag, type SearchAnswer } from "../../search/search-rag.ts";
import type { Model } from "../answers/model-list.tsx";
import { collectRun } from "../answers/run-result.tsx";
import { isAdmin, type PageContext } from "../page-env.ts";
import { omitBlank } from "../request/form.ts";

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
/** Stands for no reranker at all, where an empty field is the RAG's own. */
export const NO_RERANKER = "none";

/** `rag=` names a RAG alone. A new comparison starts from the first setting. */
export function fillSecond(parameters: URLSearchParams): URLSearchParams {
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
function questionsIn(form: FormValues) {
  const question = form.text("q").replaceAll("\r\n", "\n");
  return { question, queries: [question, ...form.lines("more")] };
}

/** The fields that every search has. What was left empty is the default. */
function searchFieldsIn(form: FormValues, prefix: string) {
  const text = (field: string) => form.text(prefix + field);
  const filters = form.lines(`${prefix}providerFilter`).map(filterOf);
  const files = form.lines(`${prefix}selectedFiles`);
  const folders = form.lines(`${prefix}selectedFolders`);
  const fields = {
    semanticSearch: questionsIn(form).queries,
    ...bodyIn(form, settingFields(searchSettings), { prefix }),
    useReranking: text("useReranking") === "on",
    modifiedAfter: omitBlank(text("modifiedAfter")),
    modifiedBefore: omitBlank(text("modifiedBefore")),
    ...(filters.length === 0 ? {} : { providerFilter: filters }),
  };
  return { fields, files, folders, isRestricted: files.length + folders.length > 0 };
}

/** The body of the API's search that a form asks for. @throws QuarryError `invalid`. */
function searchIn(form: FormValues, prefix: string): PanelSearch {
  const { fields, files, folders, isRestricted } = searchFieldsIn(form, prefix);
  const reranker = form.text(`${prefix}reranker`);
  const isRerankerChosen = reranker !== "" && reranker !== NO_RERANKER;
  return parseOrRefuse(panelSearch, {
    ...fields,
    reranker: reranker === NO_RERANKER ? null : omitBlank(reranker),
    ...readerFieldsIn(form, prefix),
    useReranking: isRerankerChosen || fields.useReranking,
    ...(isRestricted ? { useAllFiles: false, selectedFiles: files, selectedFolders: folders } : {}),
  });
}

/** The settings of a run, whose files may be in any of its RAGs. @throws QuarryError `invalid`. */
function runIn(form: FormValues, prefix: string, target: Target): InferenceInput {
  const { question: prompt } = questionsIn(form);
  const jsonSchema = omitBlank(form.text(`${prefix}jsonSchema`));
  if (!needsSearchFirst(target)) return parseOrRefuse(InferenceRunRequest, { prompt, jsonSchema });
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

/** The reader of a search and its groups, which may be none. */
function readerFieldsIn(form: FormValues, prefix: string) {
  const groups = form.text(`${prefix}groups`).split(",");
  return {
    reader: omitBlank(form.text(`${prefix}reader`)),
    groups: groups.map((group) => group.trim()).filter((group) => group !== ""),
  };
}

/** The body of a program that gets the same result: nothing that is the default anyhow. */
function publicBodyOf(search: PanelSearch | InferenceInput): object {
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

/** Whether a target searches before its model answers. */
export const needsSearchFirst = (target: Target) =>
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

/** A passage as a search gives it, or as a model was given it. */
export type Passage = SearchAnswer["chunks"][number] | RetrievedChunk;

/** `queries`: what was searched for, which is marked; without `outcome` a RAG gave passages alone. */
export type TrialRun = Awaited<ReturnType<typeof trySetting>>;

export type Trial = {
  form: FormValues;
  /** Before the names of the setting's fields. */
  prefix: string;
  target: Target;
  messages: EarlierMessage[];
};

/** Searches or asks as the form says; nothing is changed. @throws QuarryError `invalid` */
export async function trySetting(
  context: PageContext,
  { form, prefix, target, messages }: Trial,
  listening: RunListener,
) {
  const services = context.get("services");
  const { question, queries } = questionsIn(form);
  const call = callOf(target, form, prefix);
  const result = { target, question, queries, call, timings: undefined, degraded: undefined };
  if (target.kind === "rag") {
    const search = searchIn(form, prefix);
    const of = { rag: target.record, caller: context.get("caller"), signal: listening.signal };
    const { chunks, ...answer } = await searchRag(services, of, search);
    return { ...result, ...answer, passages: chunks, outcome: null };
  }
  const model = isAdmin(context) ? applyChanges(target, form, prefix) : target;
  const input = runIn(form, prefix, model);
  const options = { messages, cites: true, caller: { tokenId: null }, signal: listening.signal };
  const { reader, groups } = readerFieldsIn(form, prefix);
  const as = reader === undefined ? null : { user: reader, groups };
  const reading = readingInPanel(context.get("caller"), as);
  const rags = await resolveReaders(services.db, reading, model.record.rags);
  const outcome = await collectRun(
    async (emit) => {
      if (model.kind === "agent") {
        const { prompt, jsonSchema } = input;
        const agent = { ...model.record, rags };
        return await runAgent(services, { ...options, agent, prompt, jsonSchema, emit });
      }
      // Without other wordings it searches for what the turns ask, as it is set.
      const searchesTurns = queries.length === 1;
      return await runInference(services, {
        ...options,
        inference: { ...model.record, rags },
        input,
        searchesTurns,
        emit,
      });
    },
    listening.emit,
    isAdmin(context),
  );
  const { items: passages } = outcome.kind === "whole" ? outcome.result : outcome.broken;
  const questions = outcome.kind === "whole" ? outcome.result.questions : [];
  return { ...result, queries: questions.length > 0 ? questions : queries, passages, outcome };
}

function applyChanges(target: Model, form: FormValues, prefix: string): Model {
  const shownFor = form.text(`${prefix}promptOf`);
  const prompt =
    shownFor === "" || shownFor === keyOf(target)
      ? omitBlank(form.exact(`${prefix}systemPrompt`))
      : undefined;
  const model = omitBlank(form.text(`${prefix}model`));
  const schema = inferencePatch.pick({ systemPrompt: true, model: true });
  const patch = omitUndefined(parseOrRefuse(schema, { systemPrompt: prompt, model }));
  return target.kind === "agent"
    ? { kind: target.kind, record: { ...target.record, ...patch } }
    : { kind: target.kind, record: { ...target.record, ...patch } };
}

export type Call = ReturnType<typeof callOf>;

/** The call of a program. @throws QuarryError `invalid` */
function callOf(target: Target, form: FormValues, prefix: string) {
  const { identifier: key } = target.record;
  const headers = readerHeaders(readerFieldsIn(form, prefix));
  if (target.kind === "rag") {
    const body = publicBodyOf(searchIn(form, prefix));
    return { path: `/api/rags/${key}/retrieve`, headers, body, answer: "chunks" as const };
  }
  const input = runIn(form, prefix, target);
  if (target.kind === "agent") {
    const body = { prompt: input.prompt, includeSources: true };
    return { path: `/api/agents/${key}/invoke`, headers, body, answer: "response" as const };
  }
  const body = needsSearchFirst(target) ? publicBodyOf(input) : { ...input, includeSources: true };
  return { path: `/api/inferences/${key}`, headers, body, answer: "response" as const };
}

/** In the code of a question that nobody has asked yet. */
export const SAMPLE_QUESTION = "What do the documents say about …?";

export const sampleCall = (target: Target) =>
  callOf(target, formFrom(new URLSearchParams({ q: SAMPLE_QUESTION })), "");
