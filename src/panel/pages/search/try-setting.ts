import { readAs, readerHeaders, readingInPanel } from "../../../access/readers.ts";
import { inferencePatch } from "../../../catalog/inferences/inference-settings.ts";
import { given } from "../../../core/input/given.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { runAgent } from "../../../inference/run-agent.ts";
import type { Listening } from "../../../inference/run-events.ts";
import { runInference } from "../../../inference/run-inference.ts";
import type { EarlierMessage } from "../../../inference/types.ts";
import type { RetrievedChunk } from "../../../retrieval/score-chunks.ts";
import { searchRag, type SearchAnswer } from "../../search/search-rag.ts";
import { collectRun } from "../answers/run-result.tsx";
import type { Model } from "../answers/model-list.tsx";
import { isAdmin, type PageContext } from "../page-env.ts";
import { typed } from "../request/form.ts";
import {
  namedIn,
  publicBodyOf,
  questionsIn,
  runIn,
  searchIn,
  keyOf,
  searchesFirst,
  type Target,
} from "./search-settings.ts";
import { formFrom, type Form } from "../../components/form-state.ts";

/** A passage as a search gives it, or as a model was given it. */
export type Passage = SearchAnswer["chunks"][number] | RetrievedChunk;

/** `queries`: what was searched for, which is marked; without `outcome` a RAG gave passages alone. */
export type Tried = Awaited<ReturnType<typeof trySetting>>;

export type Trial = {
  form: Form;
  /** Before the names of the setting's fields. */
  prefix: string;
  target: Target;
  messages: EarlierMessage[];
};

/** Searches or asks as the form says; nothing is changed. @throws QuarryError `invalid` */
export async function trySetting(
  context: PageContext,
  { form, prefix, target, messages }: Trial,
  listening: Listening,
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
  const model = isAdmin(context) ? changed(target, form, prefix) : target;
  const input = runIn(form, prefix, model);
  const options = { messages, cites: true, caller: { tokenId: null }, signal: listening.signal };
  const { reader, groups } = namedIn(form, prefix);
  const as = reader === undefined ? null : { user: reader, groups };
  const reading = readingInPanel(context.get("caller"), as);
  const rags = await readAs(services.db, reading, model.record.rags);
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

function changed(target: Model, form: Form, prefix: string): Model {
  const shownFor = form.text(`${prefix}promptOf`);
  const prompt =
    shownFor === "" || shownFor === keyOf(target)
      ? typed(form.exact(`${prefix}systemPrompt`))
      : undefined;
  const model = typed(form.text(`${prefix}model`));
  const schema = inferencePatch.pick({ systemPrompt: true, model: true });
  const patch = given(parseOrRefuse(schema, { systemPrompt: prompt, model }));
  return target.kind === "agent"
    ? { kind: target.kind, record: { ...target.record, ...patch } }
    : { kind: target.kind, record: { ...target.record, ...patch } };
}

export type Call = ReturnType<typeof callOf>;

/** The call of a program. @throws QuarryError `invalid` */
function callOf(target: Target, form: Form, prefix: string) {
  const { identifier: key } = target.record;
  const headers = readerHeaders(namedIn(form, prefix));
  if (target.kind === "rag") {
    const body = publicBodyOf(searchIn(form, prefix));
    return { path: `/api/rags/${key}/retrieve`, headers, body, answer: "chunks" as const };
  }
  const input = runIn(form, prefix, target);
  if (target.kind === "agent") {
    const body = { prompt: input.prompt, includeSources: true };
    return { path: `/api/agents/${key}/invoke`, headers, body, answer: "response" as const };
  }
  const body = searchesFirst(target) ? publicBodyOf(input) : { ...input, includeSources: true };
  return { path: `/api/inferences/${key}`, headers, body, answer: "response" as const };
}

/** In the code of a question that nobody has asked yet. */
export const SAMPLE_QUESTION = "What do the documents say about …?";

export const sampleCall = (target: Target) =>
  callOf(target, formFrom(new URLSearchParams({ q: SAMPLE_QUESTION })), "");
