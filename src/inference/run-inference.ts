import type { InferenceRecord } from "../db/records.ts";
import { keepQueries } from "../catalog/usage/keep-queries.ts";
import { assemblePrompt } from "./assemble-prompt.ts";
import { newCiting } from "./citations/citing.ts";
import { checkInferenceInput } from "./check-input.ts";
import { restrictionOf, searchLinkedRags } from "./retrieve-context.ts";
import { measured } from "./record-usage.ts";
import type { Tell } from "./run-events.ts";
import { runTurn } from "./run-turn.ts";
import { planOutput } from "./structured-output.ts";
import type { SearchSettings } from "./tools/search-tools.ts";
import type {
  Caller,
  EarlierMessage,
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
  tell?: Tell | undefined;
};

/**
 * Runs an inference: the passages, the prompt, the model, the answer in its form.
 * @throws QuarryError `invalid` for the input, `model-failed` for the model.
 */
export async function runInference(
  services: InferenceServices,
  { inference, input, messages = [], cites, caller, signal, tell }: InferenceRun,
): Promise<InferenceResult> {
  const schema = checkInferenceInput(inference, input);
  const output = schema === null ? null : planOutput(schema);
  const { systemPrompt, rags, model, maxOutputTokens } = inference;
  const ragIds = rags.map(({ id }) => id);
  const subject = { inferenceId: inference.id, agentId: null, ragIds, caller, model };

  return measured(services, { kind: "inference", ...subject }, systemPrompt, async (tools) => {
    const chat = services.models.chat(model);
    const found = await searchLinkedRags(services, { inference, input, signal });
    tools.meter.uses.push(...found.uses);
    const queries = input.semanticSearch ?? [];
    if (hasSearched(inference)) keepQueries(services, { rags, queries, ...caller }, found);
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
    if (hasSearched(inference)) await tell?.({ type: "retrieval", items: used, degradations });
    const turn = await runTurn(services, {
      setting: inference,
      chat,
      messages: [...messages, { role: "user", content: text }],
      output,
      citing,
      shown: used,
      search: inference.nativeRag ? null : searchSettings(input),
      maxSteps: MAX_STEPS,
      ...tools,
      signal,
      tell,
    });
    return {
      ...turn,
      items: [...used, ...turn.items],
      degradations: [...degradations, ...turn.degradations],
      contextMs: found.timings.contextMs + turn.contextMs,
      rerankingMs: found.timings.rerankingMs + turn.rerankingMs,
    };
  });
}

const hasSearched = ({ nativeRag, rags }: InferenceRecord) => nativeRag && rags.length > 0;

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
