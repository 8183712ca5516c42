import type { ModelMessage, ToolSet } from "ai";

import type { Deadline } from "../core/work/deadline.ts";
import { modelFailed } from "../core/errors.ts";
import type { Now } from "../core/time.ts";
import type { ChatModel } from "../ports/models.ts";
import { retryingModel } from "./retrying-model.ts";
import type { Meter } from "./retrying-model.ts";
import { asModelFailed } from "./model-errors.ts";
import type { OutputPlan } from "./structured-output.ts";
import type { ContentBlock, InferenceResult } from "./types.ts";

/** Concurrent searches within one step. */
const TOOLS_AT_ONCE = 4;

export type Turn = {
  chat: ChatModel;
  systemPrompt: string;
  messages: ModelMessage[];
  /** Empty: none are offered. */
  tools: ToolSet;
  /** Model calls at most, tool calls included; the repair call is extra. */
  maxSteps: number;
  /** Null: plain text. */
  output: OutputPlan | null;
  temperature: number | null;
  maxOutputTokens: number | null;
  deadline: Deadline;
  now: Now;
  meter: Meter;
};

/** A tool call as the model made it, in order. */
export type AskedCall = { id: string; tool: string; input: unknown; invalid: boolean };

/**
 * `response` of a turn without an output plan has no text when the step limit was reached first.
 */
export type Answer = { response: InferenceResult["response"]; asked: AskedCall[] };

/**
 * One turn with the model: the tool loop, the answer, and for structured output one repair.
 * @throws QuarryError `model-failed`
 */
export async function converse(turn: Turn): Promise<Answer> {
  try {
    return await turn.deadline.run("model", (signal) => answerWithin(turn, signal));
  } catch (thrown) {
    throw asModelFailed(thrown);
  }
}

async function answerWithin(turn: Turn, signal: AbortSignal): Promise<Answer> {
  const first = await speak(turn, turn.messages, turn.maxSteps, signal);
  const { asked } = first;
  if (turn.output === null) {
    if (first.text === "" && asked.length === 0) {
      throw modelFailed("Model call failed: empty answer");
    }
    const response: ContentBlock[] = [{ type: "text", text: first.text }];
    return { response, asked };
  }
  const read = turn.output.read(first.text);
  if (read.ok) return { response: read.value, asked };
  const note = repairNote(read.findings, turn.output.formNote);
  return { response: await repairedAnswer(turn, turn.output, first, note, signal), asked };
}

/** The one call that asks the model to correct an answer which does not follow the schema. */
async function repairedAnswer(
  turn: Turn,
  output: OutputPlan,
  first: Spoken,
  note: string,
  signal: AbortSignal,
): Promise<Answer["response"]> {
  const messages: ModelMessage[] = [
    ...turn.messages,
    ...first.messages,
    { role: "user", content: note },
  ];
  const second = await speak(turn, messages, 1, signal);
  const repaired = output.read(second.text);
  if (repaired.ok) return repaired.value;
  throw modelFailed("Model call failed: the answer does not follow the JSON Schema");
}

/** What the model is told when its answer does not follow the schema. */
function repairNote(findings: string[], formNote: string): string {
  const listed = findings.map((finding) => `- ${finding}`).join("\n");
  return `Your answer does not follow the schema:\n${listed}\n\nSend the corrected answer. ${formNote}`;
}

type Spoken = { text: string; asked: AskedCall[]; messages: ModelMessage[] };

async function speak(
  turn: Turn,
  messages: ModelMessage[],
  maxSteps: number,
  signal: AbortSignal,
): Promise<Spoken> {
  const { chat, deadline, now, meter, tools, systemPrompt, temperature, maxOutputTokens } = turn;
  const providerSchema = turn.output?.providerSchema ?? null;
  const toolsUntil = meter.calls + maxSteps;
  // As large as the rest of the Worker, and only answers need it.
  const { generateText, isStepCount } = await import("./ai-sdk.ts");
  const { steps } = await generateText({
    model: retryingModel({ chat, deadline, now, meter, providerSchema, toolsUntil }),
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
  return {
    text: steps.findLast(({ text }) => text.trim() !== "")?.text ?? "",
    asked,
    messages: steps.flatMap(({ response }) => response.messages),
  };
}
