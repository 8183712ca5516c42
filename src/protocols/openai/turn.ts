import { z } from "zod";

import type { CallerFunctions, EarlierMessage, FunctionCall } from "../../inference/types.ts";
import { refuse } from "./errors.ts";

const TEMPERATURE_LIMIT = 2;
export const MAX_MODEL_LENGTH = 200;

/** Fields that chat completions and responses share. */
export const SHARED_FIELDS = {
  model: z.string().max(MAX_MODEL_LENGTH),
  temperature: z.number().min(0).max(TEMPERATURE_LIMIT).nullish(),
  stream: z.boolean().nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  // Not of OpenAI's API: the name that it has in ours.
  includeSources: z.boolean().nullish(),
};

/** A model's turn as chat completions and responses ask for it, in the terms of this service. */
export type Turn = Conversation & {
  model: string;
  temperature: number | null;
  maxOutputTokens: number | null;
  /** As `jsonSchema` of an inference; undefined: plain text. */
  jsonSchema: string | undefined;
  functions: CallerFunctions | undefined;
  /** Whether the answer has annotations. */
  cites: boolean;
  stream: boolean;
};

export type Conversation = {
  /** The last message of the user. */
  prompt: string;
  /** Messages before it, oldest first. */
  messages: EarlierMessage[];
  /** Calls of the caller's functions after it, with their results. */
  followUp: EarlierMessage[];
  /** System and developer messages; empty for none. */
  systemNote: string;
};

/** A message or item. `param`: its name in refusals; `content`: the field that holds its text. */
export type ConversationEntry = { param: string; content: string; text: string } & (
  | { role: "system" | "developer" | "user" }
  | { role: "assistant"; calls: FunctionCall[] }
  | { role: "tool"; callId: string; callField: string }
);

/** Characters of a call's id in a refusal. */
const QUOTED_ID_LENGTH = 100;

const NOTES = new Set<ConversationEntry["role"]>(["system", "developer"]);

/** @throws OpenAiRefusal that names the message at fault. */
export function readConversation(messages: ConversationEntry[]): Conversation {
  const conversation = new ConversationReader();
  for (const message of messages) {
    if (!message.text.isWellFormed()) throw refuse(message.content, "must be well-formed Unicode");
    conversation.add(message);
  }
  const last = messages.findLast(({ role }) => !NOTES.has(role)) ?? messages.at(-1);
  if (last === undefined) throw refuse("messages", "must not be empty");
  conversation.requireAnswers(last.param);
  // Instructions alone are the question.
  const isAlone = NOTES.has(last.role);
  const text = isAlone ? conversation.notes.splice(0).join("\n\n") : last.text;
  if ((isAlone || last.role === "user") && text.trim() === "") {
    throw refuse(last.content, "must not be blank");
  }
  if (isAlone) conversation.messages.push({ role: "user", content: text });
  const at = conversation.messages.findLastIndex(({ role }) => role === "user");
  const prompt = conversation.messages[at];
  if (prompt === undefined) throw refuse(last.param, "must follow a message of the user");
  return {
    prompt: prompt.content,
    messages: conversation.messages.slice(0, at),
    followUp: conversation.messages.slice(at + 1),
    systemNote: conversation.notes.join("\n\n"),
  };
}

class ConversationReader {
  readonly messages: EarlierMessage[] = [];
  readonly notes: string[] = [];
  /** Calls without their results, by id. */
  readonly #open = new Map<string, FunctionCall>();

  add(message: ConversationEntry): void {
    switch (message.role) {
      case "system":
      case "developer":
        if (message.text !== "") this.notes.push(message.text);
        return;
      case "tool":
        return this.#addResult(message);
      case "assistant":
        return this.#addAnswer(message);
      default:
        this.requireAnswers(message.param);
        // Some providers refuse an empty message.
        if (message.text.trim() !== "") this.messages.push({ role: "user", content: message.text });
    }
  }

  #addResult({ callId, callField, text }: Extract<ConversationEntry, { role: "tool" }>): void {
    const call = this.#open.get(callId);
    if (call === undefined)
      throw refuse(callField, "must name a call before it that has no result");
    this.#open.delete(callId);
    this.messages.push({ role: "tool", call, content: text });
  }

  /** Calls that come as items of their own belong to one message. */
  #addAnswer({ param, text, calls }: Extract<ConversationEntry, { role: "assistant" }>): void {
    const last = this.messages.at(-1);
    const isMore = calls.length > 0 && text === "" && last?.role === "assistant";
    if (!isMore) this.requireAnswers(param);
    for (const call of calls) {
      if (this.#open.has(call.id)) throw refuse(param, "has two calls with one id");
      this.#open.set(call.id, call);
    }
    if (isMore) last.calls = [...(last.calls ?? []), ...calls];
    else if (text !== "" || calls.length > 0) {
      this.messages.push({ role: "assistant", content: text, calls });
    }
  }

  /** @throws OpenAiRefusal: providers refuse calls without results. */
  requireAnswers(param: string): void {
    const [id] = this.#open.keys();
    if (id === undefined) return;
    throw refuse(param, `comes before the result of the call ${id.slice(0, QUOTED_ID_LENGTH)}`);
  }
}
