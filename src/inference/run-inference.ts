import { keepQueries } from "../catalog/usage/keep-queries.ts";
import { QuarryError } from "../core/errors.ts";
import { searchSettings } from "../core/input/search-settings.ts";
import type { InferenceRecord } from "../db/records.ts";
import { ModelFailure, type ChatModel } from "../ports/models.ts";
import type { RetrievalResult } from "../retrieval/retrieve.ts";
import { answerTokens, assemblePrompt, tokensAfterRefusal } from "./assemble-prompt.ts";
import type { AssembledPrompt, PromptParts } from "./assemble-prompt.ts";
import { checkInferenceInput } from "./check-input.ts";
import { newCiting } from "./citations/citing.ts";
import { measureRun, type RunTools } from "./record-usage.ts";
import { restrictionOf, searchLinkedRags } from "./retrieve-context.ts";
import type { RunContext } from "./run-events.ts";
import { runTurn } from "./run-turn.ts";
import { planOutput, type OutputPlan } from "./structured-output.ts";
import type { SearchSettings } from "./tools/search-tools.ts";
import type {
  EarlierMessage,
  FinishedRun,
  InferenceInput,
  InferenceResult,
  InferenceServices,
} from "./types.ts";
import { questionsOf } from "./write-questions.ts";

/** Model calls of a run whose model searches by itself. */
const MAX_STEPS = 5;

export type InferenceRun = RunContext & {
  inference: InferenceRecord;
  input: InferenceInput;
  /** Searches for what the turns ask, as the inference is set, in place of `semanticSearch`. */
  searchesTurns?: boolean | undefined;
};

/** Runs an inference. @throws QuarryError `invalid` for the input, `model-failed` for the model */
export async function runInference(
  services: InferenceServices,
  { inference, input, ...request }: InferenceRun,
): Promise<InferenceResult> {
  const schema = checkInferenceInput(inference, input);
  const output = schema === null ? null : planOutput(schema);
  const { rags, model } = inference;
  const ragIds = rags.map(({ id }) => id);
  const { caller, messages = [], followUp = [] } = request;
  const subject = { inferenceId: inference.id, agentId: null, ragIds, caller, model };
  const runInput = { ...request, messages, followUp, setting: inference, input, output };
  return await measureRun(services, { kind: "inference", ...subject }, inference, (tools, own) =>
    answerFromPassages(own, runInput, tools),
  );
}

type InferenceSettings = Omit<InferenceRecord, "id">;

type PassagesRun = Omit<InferenceRun, "inference" | "messages" | "followUp"> & {
  messages: EarlierMessage[];
  followUp: EarlierMessage[];
  setting: InferenceSettings;
  output: OutputPlan | null;
  mayBeEmpty?: boolean;
};

/** Searches, puts the passages into the prompt, and asks the model. */
export async function answerFromPassages(
  services: InferenceServices,
  run: PassagesRun,
  tools: RunTools,
): Promise<FinishedRun> {
  const { setting, input, messages, followUp, cites, ...request } = run;
  const { systemPrompt, model, maxOutputTokens } = setting;
  const chat = services.models.chat(model);
  const { functions, output, emit } = request;
  const [{ questions, found: result }] = await Promise.all([
    search(services, run, tools),
    chat.window?.read(),
  ]);
  const citing = cites === true && output === null ? newCiting() : null;
  const parts = {
    systemPrompt,
    prompt: input.prompt,
    besides: [...messages, ...followUp, functions ?? {}].map((message) => JSON.stringify(message)),
    chunks: result.chunks,
    formNote: output?.formNote ?? "",
    contextTokens: chat.contextTokens,
    tokenizer: chat.tokenizer,
    maxOutputTokens,
    key: tools.key,
    howToCite: citing?.notice,
  };
  const first = assemblePrompt(parts);
  const degradationsOfPrompt = ({ leftOut }: AssembledPrompt) => [
    ...result.degradations,
    ...degradationsOf(leftOut, result.chunks.length),
  ];
  if (hasSearched(setting)) {
    const degradations = degradationsOfPrompt(first);
    await emit?.({ type: "retrieval", items: first.used, degradations, questions });
  }
  const answer = async (prompt: AssembledPrompt): Promise<FinishedRun> => {
    const turn = await runTurn(services, {
      ...request,
      setting,
      chat,
      messages: [...messages, { role: "user", content: prompt.text }, ...followUp],
      citing,
      shown: prompt.used,
      search: setting.nativeRag ? null : settingsOf(input),
      maxSteps: MAX_STEPS,
      ...tools,
    });
    return {
      ...turn,
      items: [...prompt.used, ...turn.items],
      questions,
      degradations: [...degradationsOfPrompt(prompt), ...turn.degradations],
      contextMs: result.timings.contextMs + turn.contextMs,
      rerankingMs: result.timings.rerankingMs + turn.rerankingMs,
    };
  };
  return await answer(first).catch((thrown: unknown) =>
    answer(shorterPrompt(thrown, first, parts, chat)),
  );
}

/** With fewer passages, where the server refused a prompt for its length. @throws the refusal */
function shorterPrompt(
  thrown: unknown,
  tooLong: AssembledPrompt,
  parts: PromptParts,
  chat: ChatModel,
): AssembledPrompt {
  const cause = thrown instanceof QuarryError ? thrown.cause : null;
  if (!(cause instanceof ModelFailure) || cause.tooLong === null) throw thrown;
  const { limit } = cause.tooLong;
  const maxOutputTokens = answerTokens({ ...parts, contextTokens: limit ?? parts.contextTokens });
  const contextTokens = tokensAfterRefusal(cause.tooLong, tooLong.tokens) + maxOutputTokens;
  // By our count, which may be lower than the server's.
  chat.window?.learn(Math.min(contextTokens, limit ?? contextTokens));
  const prompt = assemblePrompt({ ...parts, contextTokens, maxOutputTokens });
  if (prompt.used.length === tooLong.used.length) throw thrown;
  return prompt;
}

/** The search before the model call, kept and counted. */
async function search(
  services: InferenceServices,
  { setting, input, messages, followUp, searchesTurns, caller, signal }: PassagesRun,
  tools: RunTools,
): Promise<{ questions: string[]; found: RetrievalResult }> {
  const asGiven = { queries: input.semanticSearch ?? [], written: [], degradations: [] };
  const { prompt } = input;
  const turns = { setting, prompt, messages, signal };
  const search =
    searchesTurns === true && hasSearched(setting)
      ? await questionsOf(services, turns, tools)
      : asGiven;
  const { queries } = search;
  const request = { inference: setting, input: { ...input, semanticSearch: queries }, signal };
  const result = await searchLinkedRags(services, request);
  tools.meter.uses.push(...result.uses);
  // With results of the caller's functions, the same question comes again.
  const isNew = followUp.length === 0;
  if (hasSearched(setting) && isNew) {
    keepQueries(services, { rags: setting.rags, queries, ...caller }, result);
  }
  const degradations = [...search.degradations, ...result.degradations];
  return { questions: search.written, found: { ...result, degradations } };
}

const hasSearched = ({ nativeRag, rags }: InferenceSettings) => nativeRag && rags.length > 0;

function degradationsOf(leftOut: number, total: number): string[] {
  return leftOut === 0 ? [] : [`context: ${leftOut} of ${total} passages did not fit the model`];
}

const givenSettings = searchSettings.partial({ searchMode: true, similarityThreshold: true });

function settingsOf(input: InferenceInput): SearchSettings {
  return {
    ...givenSettings.parse(input),
    similarityThreshold: null,
    restrictionOf: (rag) => restrictionOf(rag, input),
  };
}
