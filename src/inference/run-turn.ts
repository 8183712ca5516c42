import type { ModelMessage, StepResult, ToolSet } from "ai";

import { modelFailed, QuarryError } from "../core/errors.ts";
import { Deadline, DeadlineExceeded } from "../core/work/deadline.ts";
import type { AgentRecord, InferenceRecord } from "../db/records.ts";
import { ModelFailure, type ChatModel } from "../ports/models.ts";
import type { RetrievedChunk } from "../retrieval/score-chunks.ts";
import { delimiterRemover } from "../text/prompt-delimiters.ts";
import { finishOf, WITHOUT_TEXT } from "./answer-text.ts";
import { outputLimit, remainingTokens } from "./assemble-prompt.ts";
import { citeBlock, citedTextOf, type CiteRule, type CitedText } from "./citations/citing.ts";
import { MarkReader } from "./citations/marks.ts";
import type { RunTools } from "./record-usage.ts";
import { retryingModel } from "./retrying-model.ts";
import type { RunContext } from "./run-events.ts";
import type { TextReceiver } from "./streamed-call.ts";
import type { OutputPlan } from "./structured-output.ts";
import { functionCallsIn, modelMessages, offerTools } from "./tools/caller-functions.ts";
import type { AskedCall, OfferedTools } from "./tools/caller-functions.ts";
import { newSearchLog, searchTools, timesOf } from "./tools/search-tools.ts";
import type { SearchLog, SearchSettings } from "./tools/search-tools.ts";
import type {
  EarlierMessage,
  FinishedRun,
  InferenceResult,
  InferenceServices,
  ToolCall,
} from "./types.ts";

/** Concurrent searches within one step. */
const TOOLS_AT_ONCE = 4;

type TurnSettings = Pick<
  InferenceRecord | AgentRecord,
  "systemPrompt" | "temperature" | "maxOutputTokens" | "rags"
>;

export type TurnRequest = {
  setting: TurnSettings;
  chat: ChatModel;
  messages: EarlierMessage[];
  /** Null: plain text. */
  output: OutputPlan | null;
  /** Null: the answer cites nothing. */
  citing: CiteRule | null;
  /** Passages in `messages`, numbered from 1. */
  shown: RetrievedChunk[];
  /** Null: the model gets no search tools. */
  search: SearchSettings | null;
  /** Model calls at most, tool calls included; the repair call is extra. */
  maxSteps: number;
  /** The answer is without text where the model searches in its last step: that of an agent. */
  mayBeEmpty?: boolean;
} & RunTools &
  Pick<RunContext, "functions" | "signal" | "emit">;

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
  await Promise.all([import("./ai-sdk.ts"), chat.window?.read()]);
  const log = newSearchLog(meter.uses, now);
  const { contextTokens, tokenizer } = chat;
  const howToCite = citing?.notice;
  const turnOf = { services, contextTokens, tokenizer, key, howToCite, log, emit };
  const searches =
    search === null
      ? {}
      : await searchTools({ ...turnOf, room: freeTokens(request), settings: search }, setting.rags);
  const maxSteps = Object.keys(searches).length === 0 ? 1 : request.maxSteps;
  const toolset = await offerTools(searches, request.functions);
  // Time that the model used before the turn counts.
  const deadline = new Deadline(now, config.MODEL_TIMEOUT_MS - meter.modelMs, signal);
  const items = () => [...request.shown, ...log.items].map(({ text }) => text);
  const losses = log.degradations;
  const turn = { ...request, offered: toolset, maxSteps, deadline, now, items, losses };
  const { response, asked: calls, functionCalls, finish } = await answerOf(turn);
  const own = calls.filter(({ toolName }) => !toolset.handedBack.has(toolName));
  return {
    response,
    finish,
    functionCalls,
    items: log.items,
    questions: [],
    toolCalls: orderCalls(own, log),
    degradations: [...log.degradations],
    ...timesOf(log),
  };
}

function freeTokens({ setting, messages, functions, chat }: TurnRequest): number {
  const besides = [...messages, functions ?? {}].map((message) => JSON.stringify(message));
  const texts = [setting.systemPrompt, ...besides];
  // Not the configured maximum: steps that search write little.
  return remainingTokens(texts, { ...chat, maxOutputTokens: null });
}

type Turn = TurnRequest & {
  offered: OfferedTools;
  deadline: Deadline;
  now: InferenceServices["now"];
  /** The texts of the run's items so far. */
  items: () => string[];
  losses: Set<string>;
};

type Response = InferenceResult["response"];
/** `asked`: every call that the model made, in order. */
type Answer = { response: Response; asked: AskedCall[] } & Pick<
  InferenceResult,
  "finish" | "functionCalls"
>;

async function answerOf(turn: Turn): Promise<Answer> {
  try {
    return await turn.deadline.run("model", (signal) => runModel(turn, signal));
  } catch (thrown) {
    throw toModelError(thrown);
  }
}

async function runModel(turn: Turn, signal: AbortSignal): Promise<Answer> {
  const modelInput = modelMessages(turn.messages);
  const first = await callModel(turn, modelInput, turn.maxSteps, signal);
  const { asked: calls, functionCalls, said: answerText, finish } = first;
  const { text } = answerText;
  const outcome = { asked: calls, functionCalls, finish };
  if (turn.output === null || functionCalls.length > 0) {
    if (text === "" && calls.length === 0 && !(turn.mayBeEmpty === true && first.searched)) {
      throw modelFailed(`Model call failed: ${WITHOUT_TEXT[finish]}`);
    }
    const block =
      turn.citing === null ? { type: "text" as const, text } : citeBlock(answerText, turn.items());
    const cut = finish === "stop" ? {} : { isCut: true as const };
    return { response: [{ ...block, ...cut }], ...outcome };
  }
  const structured = turn.output.read(text);
  if (structured.ok) return { response: structured.value, ...outcome };
  if (finish !== "stop") {
    throw modelFailed("Model call failed: the answer was cut off before its JSON was complete");
  }
  const note = turn.output.repairNote(structured.findings);
  const messages = [...modelInput, ...first.messages, { role: "user", content: note } as const];
  const response = await repairAnswer(turn, turn.output, messages, signal);
  return { response, ...outcome, finish: "stop" };
}

/** The one call that asks the model to correct an answer which does not follow the schema. */
async function repairAnswer(
  turn: Turn,
  output: OutputPlan,
  messages: ModelMessage[],
  signal: AbortSignal,
): Promise<Response> {
  const toolset = { ...turn.offered, handedBack: new Set<string>() };
  const { said: answerText } = await callModel({ ...turn, offered: toolset }, messages, 1, signal);
  const repaired = output.read(answerText.text);
  if (repaired.ok) return repaired.value;
  throw modelFailed("Model call failed: the answer does not follow the JSON Schema");
}

type TurnAnswer = Omit<Answer, "response"> & {
  said: CitedText;
  /** Whether its last step was a search, which is not run. */
  searched: boolean;
  messages: ModelMessage[];
};

async function callModel(
  turn: Turn,
  messages: ModelMessage[],
  maxSteps: number,
  signal: AbortSignal,
): Promise<TurnAnswer> {
  const { chat, deadline, now, meter, setting } = turn;
  const { tools, toolChoice, handedBack } = turn.offered;
  const { systemPrompt, temperature } = setting;
  const maxOutputTokens = outputLimit(setting, chat);
  const providerSchema = turn.output?.providerSchema ?? null;
  const toolsUntil = meter.calls + maxSteps;
  // As large as the rest of the Worker, and only answers need it.
  const { generateText, isStepCount } = await import("./ai-sdk.ts");
  const hearing = receiverOf(turn);
  const { losses } = turn;
  const base = { chat, deadline, now, meter, providerSchema, toolsUntil, handedBack };
  const isCallRequired = toolChoice === "required";
  const mayStop = turn.mayBeEmpty === true;
  const call = { ...base, hearing, losses, isCallRequired, mayStop };
  const { steps } = await generateText({
    model: retryingModel(call),
    messages,
    stopWhen: isStepCount(maxSteps),
    maxRetries: 0,
    abortSignal: signal,
    toolCallConcurrency: TOOLS_AT_ONCE,
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    ...(toolChoice === undefined || isCallRequired ? {} : { toolChoice }),
    ...(systemPrompt === "" ? {} : { instructions: systemPrompt }),
    ...(temperature === null ? {} : { temperature }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
  });
  return outcomeOfSteps(steps, turn);
}

function outcomeOfSteps(steps: StepResult<ToolSet>[], turn: Turn): TurnAnswer {
  const { handedBack } = turn.offered;
  const callsByStep = steps.map(({ toolCalls }) => toolCalls);
  const { parallel = true } = turn.functions ?? {};
  const last = steps.at(-1);
  const functionCalls = functionCallsIn(callsByStep.at(-1) ?? [], handedBack, { parallel });
  // Text before an own search is no part of a turn that the caller continues.
  const texts = steps
    .slice(functionCalls.length > 0 ? -1 : 0)
    .map((step) => citedTextOf(step, turn.citing, turn.key));
  return {
    said: texts.findLast(({ text }) => text.trim() !== "") ?? NOTHING_SAID,
    asked: callsByStep.flat(),
    functionCalls,
    finish: finishOf(last),
    searched: last?.finishReason === "tool-calls",
    messages: steps.flatMap(({ response }) => response.messages),
  };
}

const NOTHING_SAID: CitedText = { text: "", marks: [], own: [] };

/** Structured output is not streamed: it is sent once it was checked. */
function receiverOf({ emit, output, citing, key }: Turn): TextReceiver | undefined {
  if (emit === undefined || output !== null) return undefined;
  const emitText = async (text: string, step: number) => {
    if (text !== "") await emit({ type: "delta", text, step });
  };
  const newReaders = () => {
    return { delimiters: delimiterRemover(key), marks: citing && new MarkReader(citing.word) };
  };
  let { delimiters, marks } = newReaders();
  const removeMarks = (text: string) => marks?.push(text) ?? text;
  return {
    receive: (text, step) => emitText(removeMarks(delimiters.push(text)), step),
    async end(step) {
      const rest = removeMarks(delimiters.end()) + (marks?.end() ?? "");
      ({ delimiters, marks } = newReaders());
      await emitText(rest, step);
    },
  };
}

/** Calls in the order of the model, including those that could not be run. */
function orderCalls(calls: AskedCall[], log: SearchLog): ToolCall[] {
  const remaining = [...log.calls];
  return calls.map(({ toolCallId: id, toolName: tool, input, invalid }) => {
    const at = remaining.findIndex((call) => call.id === id && call.tool === tool);
    const [match] = at === -1 ? [] : remaining.splice(at, 1);
    if (match !== undefined) return match;
    const output = invalid === true ? "no such tool, or its arguments are not valid" : "not run";
    return { id, tool, ok: false, debug: { input, output, durationMs: 0 } };
  });
}

function promptTooLong(failure: ModelFailure): QuarryError {
  const { sent: sentTokens, limit } = failure.tooLong ?? {};
  const figures =
    sentTokens && limit ? `: it has ${sentTokens} tokens, and the model takes ${limit}` : "";
  const message = `Invalid request: the prompt is too long for the model${figures}`;
  return new QuarryError("invalid", message, { cause: failure, code: "context-length-exceeded" });
}

/** The error of a failed model call: the provider's status, without the provider's own text. */
export function toModelError(thrown: unknown): QuarryError {
  if (thrown instanceof QuarryError) return thrown;
  if (thrown instanceof ModelFailure) {
    if (thrown.tooLong !== null) return promptTooLong(thrown);
    const reason = thrown.status === null ? thrown.message : statusInWords(thrown);
    return modelFailed(`Model call failed: ${reason}`, thrown);
  }
  if (thrown instanceof DeadlineExceeded) {
    return modelFailed(`Model call failed: ${thrown.problem}`, thrown);
  }
  return modelFailed("Model call failed: unusable reply", thrown);
}

/** A message that begins with the status says what the provider means by it. */
const statusInWords = ({ status, message }: ModelFailure) =>
  `provider answered ${message.startsWith(`${status} `) ? message : status}`;
