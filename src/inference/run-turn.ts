import { Deadline } from "../core/work/deadline.ts";
import type { AgentRecord, InferenceRecord } from "../db/records.ts";
import type { ChatModel } from "../ports/models.ts";
import { converse } from "./converse.ts";
import type { Answer, AskedCall, Turn } from "./converse.ts";
import type { RunTools } from "./measured-run.ts";
import { newSearchLog, searchTools } from "./tools/search-tools.ts";
import type { SearchLog, SearchSettings } from "./tools/search-tools.ts";
import type { InferenceServices, ToolCall } from "./types.ts";

type Setting = Pick<
  InferenceRecord | AgentRecord,
  "systemPrompt" | "temperature" | "maxOutputTokens" | "rags"
>;

export type TurnRequest = {
  setting: Setting;
  chat: ChatModel;
  messages: Turn["messages"];
  output: Turn["output"];
  /** Null: the model gets no tools. */
  search: SearchSettings | null;
  maxSteps: number;
  signal: AbortSignal | undefined;
} & RunTools;

export type TurnResult = { answer: Answer; log: SearchLog; toolCalls: ToolCall[] };

/** The model's part of a run, within `MODEL_TIMEOUT_MS` as a whole. */
export async function runTurn(
  services: InferenceServices,
  request: TurnRequest,
): Promise<TurnResult> {
  const { chat, setting, search, key, meter, uses, messages, output, signal } = request;
  const { now, config } = services;
  // The first answer of an isolate evaluates the module; this must not count as the model's time.
  await import("./ai-sdk.ts");
  const log = newSearchLog(uses);
  const { contextTokens, tokenizer } = chat;
  const tools =
    search === null
      ? {}
      : await searchTools(
          { services, settings: search, contextTokens, tokenizer, key, log },
          setting.rags,
        );
  const { systemPrompt, temperature, maxOutputTokens } = setting;
  const answer = await converse({
    chat,
    systemPrompt,
    temperature,
    maxOutputTokens,
    messages,
    tools,
    output,
    maxSteps: Object.keys(tools).length === 0 ? 1 : request.maxSteps,
    deadline: new Deadline(now, config.MODEL_TIMEOUT_MS, signal),
    now,
    meter,
  });
  return { answer, log, toolCalls: inOrder(answer.asked, log) };
}

/** Every call that the model made, in order, including those that could not be run. */
function inOrder(asked: AskedCall[], log: SearchLog): ToolCall[] {
  const done = [...log.calls];
  return asked.map(({ id, tool, input, invalid }) => {
    const at = done.findIndex((call) => call.id === id && call.tool === tool);
    const [found] = at === -1 ? [] : done.splice(at, 1);
    if (found !== undefined) return found;
    const output = invalid ? "no such tool, or its arguments are not valid" : "not run";
    return { id, tool, ok: false, debug: { input, output, durationMs: 0 } };
  });
}
