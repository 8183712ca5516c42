import type { AgentRecord } from "../db/records.ts";
import { newCiting } from "./citations/citing.ts";
import { measured } from "./record-usage.ts";
import type { EmitEvent } from "./run-events.ts";
import { answerFromPassages } from "./run-inference.ts";
import { runTurn } from "./run-turn.ts";
import { schemaIn } from "./response-schema.ts";
import { planOutput } from "./structured-output.ts";
import type { SearchSettings } from "./tools/search-tools.ts";
import type {
  Caller,
  CallerFunctions,
  EarlierMessage,
  InferenceResult,
  InferenceServices,
} from "./types.ts";

export type AgentRun = {
  agent: AgentRecord;
  prompt: string;
  messages?: EarlierMessage[] | undefined;
  /** Calls of the caller's functions since the prompt, with their results. */
  followUp?: EarlierMessage[] | undefined;
  functions?: CallerFunctions | undefined;
  /** Whether the answer tells which passages stand behind it; structured output never does. */
  cites?: boolean | undefined;
  /** As of an inference; absent: plain text. */
  jsonSchema?: string | undefined;
  caller: Caller;
  signal?: AbortSignal | undefined;
  emit?: EmitEvent | undefined;
};

/** Settings of an agent's searches; the API does not expose them. */
const SEARCH: SearchSettings = {
  topK: 5,
  useReranking: true,
  candidateMultiplier: 4,
  similarityThreshold: null,
  includeDuplicates: false,
  restrictionOf: () => ({ named: null, metadata: [] }),
};

const SEARCHES_FIRST = {
  nativeRag: true,
  conversation: "last-message" as const,
  planning: "off" as const,
};

/**
 * One turn of an agent; nothing is remembered.
 * @throws QuarryError `invalid` for the schema, `model-failed`
 */
export async function runAgent(
  services: InferenceServices,
  {
    agent,
    prompt,
    messages = [],
    followUp = [],
    functions,
    jsonSchema,
    cites,
    caller,
    signal,
    emit,
  }: AgentRun,
): Promise<InferenceResult> {
  const output = jsonSchema === undefined ? null : planOutput(schemaIn(jsonSchema));
  const content = output === null ? prompt : `${prompt}\n\n${output.formNote}`;
  const { systemPrompt, rags, model, maxSteps } = agent;
  const ragIds = rags.map(({ id }) => id);
  const subject = { inferenceId: null, agentId: agent.id, ragIds, caller, model };

  // Its one step may not search: what is asked is searched before.
  const searchesFirst = maxSteps === 1 && rags.length > 0;
  return await measured(services, { kind: "agent", ...subject }, systemPrompt, async (tools) => {
    if (searchesFirst) {
      const setting = { ...agent, ...SEARCHES_FIRST };
      const { restrictionOf: _all, similarityThreshold: _none, ...wanted } = SEARCH;
      const input = { ...wanted, prompt, semanticSearch: [prompt], useAllFiles: true };
      const of = {
        setting,
        input,
        messages,
        followUp,
        functions,
        output,
        cites,
        caller,
        signal,
        emit,
        mayBeEmpty: true,
      };
      return await answerFromPassages(services, of, tools);
    }
    return await runTurn(services, {
      setting: agent,
      chat: services.models.chat(model),
      messages: [...messages, { role: "user", content }, ...followUp],
      functions,
      output,
      citing: cites === true && output === null ? newCiting() : null,
      shown: [],
      search: SEARCH,
      maxSteps,
      ...tools,
      signal,
      emit,
    });
  });
}
