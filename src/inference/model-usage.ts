import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";

import { estimateTokens, tokenWeight, type Tokenizer } from "../text/tokens.ts";
import type { Meter } from "./record-usage.ts";

/** Counts a call whose usage the provider reported. */
export function count(meter: Meter, { inputTokens, outputTokens }: LanguageModelV4Usage): void {
  meter.inputTokens += inputTokens.total ?? 0;
  meter.cachedTokens += inputTokens.cacheRead ?? 0;
  meter.outputTokens += outputTokens.total ?? 0;
}

const LAST_SPACE = /\s\S*$/;
/** A longer text without a space is counted, too. */
const MAX_TAIL = 200;

/** Counts a streamed call by estimates until the provider counts, so that cut-off answers count. */
export class StreamedUsage {
  readonly #meter: Meter;
  readonly #tokenizer: Tokenizer;
  #hasBegun = false;
  #input = 0;
  #output = 0;
  /** Weight of the words that are complete, and the beginning of the next. */
  #words = 0;
  #tail = "";

  constructor(meter: Meter, tokenizer: Tokenizer) {
    this.#meter = meter;
    this.#tokenizer = tokenizer;
  }

  /** A part of the answer to `prompt`. */
  addText(text: string, prompt: LanguageModelV4Prompt): void {
    if (!this.#hasBegun) this.#add(estimateTokens(textOf(prompt), this.#tokenizer), 0);
    this.#hasBegun = true;
    // Pieces of a word are not words of their own.
    this.#tail += text;
    const end = this.#tail.length > MAX_TAIL ? this.#tail.length : this.#tail.search(LAST_SPACE);
    if (end > 0) {
      this.#words += tokenWeight(this.#tail.slice(0, end), this.#tokenizer);
      this.#tail = this.#tail.slice(end);
    }
    const whole = Math.ceil(this.#words + tokenWeight(this.#tail, this.#tokenizer));
    this.#add(0, Math.max(0, whole - this.#output));
  }

  #add(input: number, output: number): void {
    this.#input += input;
    this.#output += output;
    this.#meter.inputTokens += input;
    this.#meter.outputTokens += output;
  }

  /** Figures that the provider does not report stay estimates. */
  finish({ inputTokens, outputTokens }: LanguageModelV4Usage): void {
    this.#meter.inputTokens += (inputTokens.total ?? this.#input) - this.#input;
    this.#meter.cachedTokens += inputTokens.cacheRead ?? 0;
    this.#meter.outputTokens += (outputTokens.total ?? this.#output) - this.#output;
  }
}

export function textOf(prompt: LanguageModelV4Prompt): string {
  const texts = prompt.flatMap(({ content }) =>
    typeof content === "string" ? [content] : content.map((part) => JSON.stringify(part)),
  );
  return texts.join("\n");
}
