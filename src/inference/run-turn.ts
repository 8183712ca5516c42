import type { ModelMessage, ToolSet } from "ai";

import { modelFailed, QuarryError } from "../core/errors.ts";
import { Deadline, DeadlineExceeded } from "../core/work/deadline.ts";
import type { AgentRecord, InferenceRecord } from "../db/records.ts";
import { ModelFailure } from "../ports/models.ts";
import type { ChatModel } from "../ports/models.ts";
import type { RetrievedChunk } from "../retrieval/score-chunks.ts";
import { citedBlock, readSaid } from "./citations/citing.ts";
import type { Citing, Said } from "./citations/citing.ts";
import { MarkReader } from "./citations/marks.ts";
import type { RunTools } from "./record-usage.ts";
import { retryingModel } from "./retrying-model.ts";
import type { Hearing } from "./streamed-call.ts";
import type { EmitEvent } from "./run-events.ts";
import type { OutputPlan } from "./structured-output.ts";
import { newSearchLog, searchTools, timesOf } from "./tools/search-tools.ts";
import type { SearchLog, SearchSettings } from "./tools/search-tools.ts";
import type { FinishedRun, InferenceResult, InferenceServices, ToolCall } from "./types.ts";

/** Concurrent searches within one step. */
const TOOLS_AT_ONCE = 4;

const NOT_FOUND = 404;

type Setting = Pick<
  InferenceRecord | AgentRecord,
  "systemPrompt" | "temperature" | "maxOutputTokens" | "rags"
>;

export type TurnRequest = {
  setting: Setting;
  chat: ChatModel;
  messages: ModelMessage[];
  /** Null: plain text. */
  output: OutputPlan | null;
  /** Null: the answer cites nothing. */
  citing: Citing | null;
  /** Passages in `messages`, numbered from 1. */
  shown: RetrievedChunk[];
  /** Null: the model gets no tools. */
  search: SearchSettings | null;
  /** Model calls at most, tool calls included; the repair call is extra. */
  maxSteps: number;
  /** An answer without text is one: the steps of an agent are used up. */
  mayBeEmpty?: boolean;
  signal: AbortSignal | undefined;
  /** Absent: nobody listens, and the model is not asked to stream. */
  emit: EmitEvent | undefined;
} & RunTools;

/**
 * The model's part of a run, within `MODEL_TIMEOUT_MS` as a whole: the tool loop, the answer, and
 * for structured output one repair. `response` without an output plan has no text when the step
 * limit was reached first.
 * @throws QuarryError `model-failed`
 */
export async function runTurn(
  services: InferenceServices,
  request: TurnRequest,
): Promise<FinishedRun> {
  const { chat, setting, search, key, meter, signal, emit, citing } = request;
  const { now, config } = services;
  // The first answer of an isolate evaluates the module; this must not count as the model's time.
  await import("./ai-sdk.ts");
  const log = newSearchLog(meter.uses, now);
  const { contextTokens, tokenizer } = chat;
  const tools =
    search === null
      ? {}
      : await searchTools(
          {
            services,
            settings: search,
            contextTokens,
            tokenizer,
            key,
            howToCite: citing?.notice,
            log,
            emit,
          },
          setting.rags,
        );
  const maxSteps = Object.keys(tools).length === 0 ? 1 : request.maxSteps;
  const deadline = new Deadline(now, config.MODEL_TIMEOUT_MS, signal);
  const items = () => [...request.shown, ...log.items].map(({ text }) => text);
  const turn = { ...request, tools, maxSteps, deadline, now, items };
  const { response, asked, finish } = await answerOf(turn);
  return {
    response,
    finish,
    items: log.items,
    toolCalls: inOrder(asked, log),
    degradations: [...log.degradations],
    ...timesOf(log),
  };
}

type Turn = TurnRequest & {
  tools: ToolSet;
  deadline: Deadline;
  now: InferenceServices["now"];
  /** The texts of the run's items so far. */
  items: () => string[];
};

/** A tool call as the model made it, in order. */
type AskedCall = { id: string; tool: string; input: unknown; invalid: boolean };
type Response = InferenceResult["response"];
type Answer = { response: Response; asked: AskedCall[]; finish: InferenceResult["finish"] };

async function answerOf(turn: Turn): Promise<Answer> {
  try {
    return await turn.deadline.run("model", (signal) => answerWithin(turn, signal));
  } catch (thrown) {
    throw asModelFailed(thrown);
  }
}

async function answerWithin(turn: Turn, signal: AbortSignal): Promise<Answer> {
  const first = await callModel(turn, turn.messages, turn.maxSteps, signal);
  const { asked, said, finish } = first;
  const { text } = said;
  if (turn.output === null) {
    if (text === "" && asked.length === 0 && turn.mayBeEmpty !== true) {
      throw modelFailed("Model call failed: empty answer");
    }
    const block =
      turn.citing === null ? { type: "text" as const, text } : citedBlock(said, turn.items());
    return { response: [block], asked, finish };
  }
  const read = turn.output.read(text);
  if (read.ok) return { response: read.value, asked, finish };
  const note = turn.output.repairNote(read.findings);
  const messages = [...turn.messages, ...first.messages, { role: "user", content: note } as const];
  const response = await repairedAnswer(turn, turn.output, messages, signal);
  return { response, asked, finish: "stop" };
}

/** The one call that asks the model to correct an answer which does not follow the schema. */
async function repairedAnswer(
  turn: Turn,
  output: OutputPlan,
  messages: ModelMessage[],
  signal: AbortSignal,
): Promise<Response> {
  const { said } = await callModel(turn, messages, 1, signal);
  const repaired = output.read(said.text);
  if (repaired.ok) return repaired.value;
  throw modelFailed("Model call failed: the answer does not follow the JSON Schema");
}

async function callModel(
  turn: Turn,
  messages: ModelMessage[],
  maxSteps: number,
  signal: AbortSignal,
): Promise<Omit<Answer, "response"> & { said: Said; messages: ModelMessage[] }> {
  const { chat, deadline, now, meter, tools, setting } = turn;
  const { systemPrompt, temperature, maxOutputTokens } = setting;
  const providerSchema = turn.output?.providerSchema ?? null;
  const toolsUntil = meter.calls + maxSteps;
  // As large as the rest of the Worker, and only answers need it.
  const { generateText, isStepCount } = await import("./ai-sdk.ts");
  const hearing = hearingOf(turn);
  const { steps } = await generateText({
    model: retryingModel({ chat, deadline, now, meter, providerSchema, toolsUntil, hearing }),
    messages,
    stopWhen: isStepCount(maxSteps),
    maxRetries: 0,
    abortSignal: signal,
    toolCallConcurrency: TOOLS_AT_ONCE,
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    ...(systemPrompt === "" ? {} : { instructions: systemPrompt }),
    ...(temperature === null ? {} : { temperature }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
  });
  const asked = steps.flatMap(({ toolCalls }) =>
    toolCalls.map(({ toolCallId, toolName, input, invalid }) => ({
      id: toolCallId,
      tool: toolName,
      input: input as unknown,
      invalid: invalid === true,
    })),
  );
  const texts = steps.map((step) => readSaid(step, turn.citing));
  return {
    said: texts.findLast(({ text }) => text.trim() !== "") ?? NOTHING_SAID,
    asked,
    finish: steps.at(-1)?.finishReason === "length" ? "length" : "stop",
    messages: steps.flatMap(({ response }) => response.messages),
  };
}

const NOTHING_SAID: Said = { text: "", marks: [], own: [] };

/** Structured output is heard by nobody: it is told when it was checked. */
function hearingOf({ emit, output, citing }: Turn): Hearing | undefined {
  if (emit === undefined || output !== null) return undefined;
  const hear = async (text: string, step: number) => {
    if (text !== "") await emit({ type: "delta", text, step });
  };
  if (citing === null) return { hear, end: () => Promise.resolve() };
  let reader = new MarkReader(citing.word);
  return {
    hear: (text, step) => hear(reader.push(text), step),
    async end(step) {
      const rest = reader.end();
      reader = new MarkReader(citing.word);
      await hear(rest, step);
    },
  };
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

/** The error of a failed model call: the provider's status, without the provider's own text. */
function asModelFailed(thrown: unknown): QuarryError {
  if (thrown instanceof QuarryError) return thrown;
  if (thrown instanceof ModelFailure) {
    const told = thrown.status === null ? thrown.message : statusInWords(thrown.status);
    return modelFailed(`Model call failed: ${told}`, thrown);
  }
  if (thrown instanceof DeadlineExceeded) {
    return modelFailed(`Model call failed: ${thrown.problem}`, thrown);
  }
  return modelFailed("Model call failed: unusable reply", thrown);
}

/** Servers answer 404 for a model that they do not have. */
const statusInWords = (status: number) =>
  `provider answered ${status}${status === NOT_FOUND ? " (it knows no such model or address)" : ""}`;
