import { citationsIn, textOf } from "../../inference/answer-text.ts";
import type { RunEvent } from "../../inference/run-events.ts";
import type { FunctionCall, InferenceResult, Usage } from "../../inference/types.ts";
import { fileIdOf } from "../file-address.ts";
import type { Turn } from "./turn.ts";

/** A file behind a stretch of the text; offsets in UTF-16 code units. */
type FileCitation = { file_id: string; filename: string; start_index: number; end_index: number };

export type Output = {
  /** With a schema the answer that follows it, as JSON; may be empty before calls. */
  text: string;
  citations: FileCitation[];
  calls: FunctionCall[];
  finish: InferenceResult["finish"];
  usage: Usage;
  degradations: string[];
  questions: string[];
};

export type OutputEvent =
  /** The passages were found, or the first text came. */
  | { type: "begin"; questions: string[] }
  | { type: "text"; text: string }
  | { type: "end"; output: Output };

type OutputWishes = Pick<Turn, "jsonSchema" | "cites">;

/** `told`: what the stream has said so far, and where the answer begins in it. */
export function outputOf(
  { jsonSchema, cites }: OutputWishes,
  result: InferenceResult,
  lastText: { text: string; lastBegin: number } | null = null,
): Output {
  const { response, functionCalls: calls, finish, usage, degradations, questions } = result;
  const isStructured = jsonSchema !== undefined && calls.length === 0;
  const text = lastText?.text ?? (isStructured ? JSON.stringify(response) : textOf(response));
  const citations = cites ? citationsOf(result, lastText?.lastBegin ?? 0) : [];
  return { text, citations, calls, finish, usage, degradations, questions };
}

const citationsOf = ({ response, items }: InferenceResult, from: number) =>
  citationsIn(response).flatMap(({ item, start, end }): FileCitation[] => {
    const source = items[item]?.source;
    if (source === undefined) return [];
    const { ragIdentifier: rag, filePath: path } = source;
    const place = { start_index: from + start, end_index: from + end };
    return [{ file_id: fileIdOf({ rag, path }), filename: path, ...place }];
  });

/** Not in OpenAI's API: less was retrieved than was requested. */
export const degradedAnswer = ({ degradations }: Output) =>
  degradations.length > 0 ? { degraded: { occurred: true as const } } : {};

/** Not in OpenAI's API: what was searched in place of the last message. */
export const retrievalAnswer = ({ questions }: { questions: string[] }) =>
  questions.length > 0 ? { retrieval: { questions } } : {};

/** A turn as its events report it; what follows a schema comes whole, after it was checked. */
export async function* outputEvents(
  events: AsyncIterable<RunEvent>,
  wishes: OutputWishes,
): AsyncGenerator<OutputEvent> {
  let hasBegun = false;
  const texts = new ToldTexts();
  for await (const event of events) {
    const { questions = [] } = event.type === "retrieval" ? event : {};
    if (!hasBegun) yield { type: "begin", questions };
    hasBegun = true;
    if (event.type === "delta") yield { type: "text", text: texts.add(event) };
    if (event.type !== "result") continue;
    const output = outputOf(wishes, event.result, texts.isEmpty ? null : texts);
    if (texts.isEmpty && output.text !== "") yield { type: "text", text: output.text };
    yield { type: "end", output };
  }
}

/** Between the texts of an agent that wrote, searched and wrote again. */
const BETWEEN_TEXTS = "\n\n";

/** The texts of an agent's steps as the stream's one text has them. */
class ToldTexts {
  /** Where the last text begins that is not blank: the answer. In UTF-16 code units. */
  lastBegin = 0;
  #step: number | null = null;
  #begin = 0;
  #length = 0;
  readonly #parts: string[] = [];

  get isEmpty(): boolean {
    return this.#step === null;
  }

  get text(): string {
    return this.#parts.join("");
  }

  /** Adds text, and returns the part of it that is sent. */
  add({ text, step }: { text: string; step: number }): string {
    const isNew = step !== this.#step;
    const between = isNew && this.#step !== null ? BETWEEN_TEXTS : "";
    if (isNew) this.#begin = this.#length + between.length;
    this.#step = step;
    this.#length += between.length + text.length;
    if (text.trim() !== "") this.lastBegin = this.#begin;
    this.#parts.push(between + text);
    return between + text;
  }
}
