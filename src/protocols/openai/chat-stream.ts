import { SECOND_MS } from "../../core/time.ts";
import type { Log } from "../../core/log.ts";
import { eventText } from "../../http/event-stream.ts";
import { runBody } from "../../http/run-stream.ts";
import type { Listening, RunEvent } from "../../inference/run-events.ts";
import type { InferenceResult } from "../../inference/types.ts";
import {
  annotationsOf,
  contentOf,
  degradedAnswer,
  newCompletionId,
  usageAnswer,
} from "./chat-answer.ts";
import type { ReadChat } from "./chat-request.ts";
import { openAiErrorBody } from "./errors.ts";

const DONE = "data: [DONE]\n\n";
/** Between the texts of an agent that wrote, searched and wrote again. */
const BETWEEN_TEXTS = "\n\n";

type Run = (listening: Listening) => Promise<InferenceResult>;

/**
 * The body of a streamed answer: https://platform.openai.com/docs/api-reference/chat-streaming
 * It begins when the passages were found, or with the first text.
 * @throws what the run throws before that.
 */
export const chatStream = (
  run: Run,
  chat: ReadChat,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<ReadableStream<Uint8Array>> =>
  runBody(
    { run, signal, log },
    (events) => chunksOf(events, chat),
    ({ status, error, thrown }) => eventText(openAiErrorBody(status, error, thrown)),
  );

type Delta = {
  role?: "assistant";
  content?: string;
  annotations?: ReturnType<typeof annotationsOf>;
};

/** The texts of an agent's steps as the stream's one content has them. */
class ToldTexts {
  /** Where the last text begins that is not blank: the answer. In UTF-16 code units. */
  lastBegin = 0;
  #step: number | null = null;
  #begin = 0;
  #length = 0;

  get isEmpty(): boolean {
    return this.#step === null;
  }

  /** What is sent of it. */
  add({ text, step }: { text: string; step: number }): string {
    const isNew = step !== this.#step;
    const between = isNew && this.#step !== null ? BETWEEN_TEXTS : "";
    if (isNew) this.#begin = this.#length + between.length;
    this.#step = step;
    this.#length += between.length + text.length;
    if (text.trim() !== "") this.lastBegin = this.#begin;
    return between + text;
  }
}

async function* chunksOf(events: AsyncIterable<RunEvent>, chat: ReadChat): AsyncGenerator<string> {
  const id = newCompletionId();
  const created = Math.floor(Date.now() / SECOND_MS);
  const chunk = (choices: unknown[], more: object = {}) =>
    eventText({
      id,
      object: "chat.completion.chunk",
      created,
      model: chat.model,
      choices,
      ...(chat.includeUsage ? { usage: null } : {}),
      ...more,
    });
  const part = (delta: Delta, finish: string | null = null, more: object = {}) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: finish }], more);

  let begun = false;
  const told = new ToldTexts();
  for await (const event of events) {
    if (!begun) yield part({ role: "assistant", content: "" });
    begun = true;
    if (event.type === "delta") yield part({ content: told.add(event) });
    if (event.type === "result") {
      const { response, finish, usage, degradations } = event.result;
      // An answer that follows a schema comes whole, after it was checked.
      if (told.isEmpty) yield part({ content: contentOf(chat.jsonSchema, response) });
      const annotations = chat.cites
        ? { annotations: annotationsOf(event.result, told.lastBegin) }
        : {};
      yield part(annotations, finish, degradedAnswer(degradations));
      if (chat.includeUsage) yield chunk([], { usage: usageAnswer(usage) });
    }
  }
  yield DONE;
}
