import type { InferenceRecord } from "../db/records.ts";
import { keepQueries } from "../catalog/usage/keep-queries.ts";
import { assemblePrompt } from "./assemble-prompt.ts";
import { newCiting } from "./citations/citing.ts";
import { checkInferenceInput } from "./check-input.ts";
import { restrictionOf, searchLinkedRags } from "./retrieve-context.ts";
import { measured, type RunTools } from "./record-usage.ts";
import type { EmitEvent } from "./run-events.ts";
import { runTurn } from "./run-turn.ts";
import { planOutput, type OutputPlan } from "./structured-output.ts";
import type { SearchSettings } from "./tools/search-tools.ts";
import type {
  Caller,
  EarlierMessage,
  FinishedRun,
  InferenceInput,
  InferenceResult,
  InferenceServices,
} from "./types.ts";

/** Model calls of a run whose model searches by itself. */
const MAX_STEPS = 5;

export type InferenceRun = {
  inference: InferenceRecord;
  input: InferenceInput;
  /** Earlier turns, oldest first; the passages and the prompt follow them. */
  messages?: EarlierMessage[] | undefined;
  /** Whether the answer tells which passages stand behind it; structured output never does. */
  cites?: boolean | undefined;
  caller: Caller;
  /** The caller's disconnect: it ends all work at once. */
  signal?: AbortSignal | undefined;
  emit?: EmitEvent | undefined;
};

/**
 * Runs an inference: the passages, the prompt, the model, the answer in its form.
 * @throws QuarryError `invalid` for the input, `model-failed` for the model.
 */
export async function runInference(
  services: InferenceServices,
  { inference, input, messages = [], cites, caller, signal, emit }: InferenceRun,
): Promise<InferenceResult> {
  const schema = checkInferenceInput(inference, input);
  const output = schema === null ? null : planOutput(schema);
  const { systemPrompt, rags, model } = inference;
  const ragIds = rags.map(({ id }) => id);
  const subject = { inferenceId: inference.id, agentId: null, ragIds, caller, model };
  const sent = { setting: inference, input, messages, output, cites };
  const of = { ...sent, caller, signal, emit, mayBeEmpty: false };
  return await measured(services, { kind: "inference", ...subject }, systemPrompt, (tools) =>
    answerFromPassages(services, of, tools),
  );
}

type Setting = Omit<InferenceRecord, "id">;

/** Searches, puts the passages into the prompt, and asks the model. */
export async function answerFromPassages(
  services: InferenceServices,
  {
    setting,
    input,
    messages = [],
    output,
    cites,
    caller,
    signal,
    emit,
    mayBeEmpty,
  }: Omit<InferenceRun, "inference"> & {
    setting: Setting;
    output: OutputPlan | null;
    mayBeEmpty: boolean;
  },
  tools: RunTools,
): Promise<FinishedRun> {
  const { systemPrompt, rags, model, maxOutputTokens } = setting;
  const chat = services.models.chat(model);
  const found = await searchLinkedRags(services, { inference: setting, input, signal });
  tools.meter.uses.push(...found.uses);
  const queries = input.semanticSearch ?? [];
  if (hasSearched(setting)) keepQueries(services, { rags, queries, ...caller }, found);
  const citing = cites === true && output === null ? newCiting() : null;
  const { text, used, leftOut } = assemblePrompt({
    systemPrompt,
    prompt: input.prompt,
    earlier: messages.map(({ content }) => content),
    chunks: found.chunks,
    formNote: output?.formNote ?? "",
    contextTokens: chat.contextTokens,
    tokenizer: chat.tokenizer,
    maxOutputTokens,
    key: tools.key,
    howToCite: citing?.notice,
  });
  const degradations = [...found.degradations, ...leftOutOf(leftOut, found.chunks.length)];
  if (hasSearched(setting)) await emit?.({ type: "retrieval", items: used, degradations });
  const turn = await runTurn(services, {
    setting,
    chat,
    messages: [...messages, { role: "user", content: text }],
    output,
    citing,
    shown: used,
    search: setting.nativeRag ? null : searchSettings(input),
    maxSteps: MAX_STEPS,
    mayBeEmpty,
    ...tools,
    signal,
    emit,
  });
  return together({ used, degradations, ...found.timings }, turn);
}

type Searched = {
  used: FinishedRun["items"];
  degradations: string[];
  contextMs: number;
  rerankingMs: number;
};

const together = (searched: Searched, turn: FinishedRun): FinishedRun => ({
  ...turn,
  items: [...searched.used, ...turn.items],
  degradations: [...searched.degradations, ...turn.degradations],
  contextMs: searched.contextMs + turn.contextMs,
  rerankingMs: searched.rerankingMs + turn.rerankingMs,
});

const hasSearched = ({ nativeRag, rags }: Setting) => nativeRag && rags.length > 0;

function leftOutOf(leftOut: number, of: number): string[] {
  return leftOut === 0 ? [] : [`context: ${leftOut} of ${of} passages did not fit the model`];
}

function searchSettings(input: InferenceInput): SearchSettings {
  const { topK, useReranking, candidateMultiplier, includeDuplicates, searchMode } = input;
  return {
    searchMode,
    topK,
    useReranking,
    candidateMultiplier,
    includeDuplicates,
    similarityThreshold: null,
    restrictionOf: (rag) => restrictionOf(rag, input),
  };
}
