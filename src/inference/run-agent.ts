import type { AgentRecord } from "../db/records.ts";
import { newCiting } from "./citations/citing.ts";
import { measureRun } from "./record-usage.ts";
import { schemaIn } from "./response-schema.ts";
import type { RunContext } from "./run-events.ts";
import { answerFromPassages } from "./run-inference.ts";
import { runTurn } from "./run-turn.ts";
import { planOutput } from "./structured-output.ts";
import { turnWithTools } from "./tool-support.ts";
import type { SearchSettings } from "./tools/search-tools.ts";
import type { InferenceResult, InferenceServices } from "./types.ts";

export type AgentRun = RunContext & {
  agent: AgentRecord;
  prompt: string;
  /** As of an inference; absent: plain text. */
  jsonSchema?: string | undefined;
};

/** A search for which the API has no fields: an agent's, and other protocols'. */
export const SEARCH = {
  topK: 5,
  useReranking: true,
  candidateMultiplier: 4,
  includeDuplicates: false,
};
const AGENT_SEARCH: SearchSettings = {
  ...SEARCH,
  similarityThreshold: null,
  restrictionOf: () => ({ named: null, metadata: [] }),
};

const SEARCHES_FIRST = {
  nativeRag: true,
  conversation: "last-message" as const,
  planning: "off" as const,
};

/** One turn; nothing is remembered. @throws QuarryError `invalid` for the schema, `model-failed` */
export async function runAgent(
  services: InferenceServices,
  { agent, prompt, jsonSchema, ...request }: AgentRun,
): Promise<InferenceResult> {
  const output = jsonSchema === undefined ? null : planOutput(schemaIn(jsonSchema));
  const content = output === null ? prompt : `${prompt}\n\n${output.formNote}`;
  const { rags, model, maxSteps } = agent;
  const ragIds = rags.map(({ id }) => id);
  const { cites, caller, messages = [], followUp = [], ...listened } = request;
  const subject = { inferenceId: null, agentId: agent.id, ragIds, caller, model };

  // Its one step may not search: its question is searched before.
  const searchesFirst = maxSteps === 1 && rags.length > 0;
  return await measureRun(services, { kind: "agent", ...subject }, agent, async (tools, own) => {
    const chat = own.models.chat(model);
    const searchFirst = () => {
      const setting = { ...agent, ...SEARCHES_FIRST };
      const input = { ...SEARCH, prompt, semanticSearch: [prompt], useAllFiles: true };
      const turn = { ...request, messages, followUp, setting, input, output, mayBeEmpty: true };
      return answerFromPassages(own, turn, tools);
    };
    if (searchesFirst) return await searchFirst();
    const turn = () =>
      runTurn(own, {
        ...listened,
        setting: agent,
        chat,
        messages: [...messages, { role: "user", content }, ...followUp],
        output,
        citing: cites === true && output === null ? newCiting() : null,
        shown: [],
        search: AGENT_SEARCH,
        maxSteps,
        mayBeEmpty: true,
        ...tools,
      });
    if (rags.length === 0 || request.functions !== undefined) return await turn();
    return await turnWithTools(own, { chat, meter: tools.meter }, { turn, searchFirst });
  });
}
