import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";

import { estimateTokens, type Tokenizer } from "../text/tokens.ts";
import type { Meter } from "./record-usage.ts";

/** Counts a call that the provider has told the usage of. */
export function count(meter: Meter, { inputTokens, outputTokens }: LanguageModelV4Usage): void {
  meter.inputTokens += inputTokens.total ?? 0;
  meter.outputTokens += outputTokens.total ?? 0;
}

/** Counts a streamed call by estimates until the provider tells, so that cut-off answers count. */
export class StreamedUsage {
  readonly #meter: Meter;
  readonly #tokenizer: Tokenizer;
  #hasBegun = false;
  #input = 0;
  #output = 0;

  constructor(meter: Meter, tokenizer: Tokenizer) {
    this.#meter = meter;
    this.#tokenizer = tokenizer;
  }

  /** A part of the answer to `prompt`. */
  wrote(text: string, prompt: LanguageModelV4Prompt): void {
    if (!this.#hasBegun) this.#add(estimateTokens(textOf(prompt), this.#tokenizer), 0);
    this.#hasBegun = true;
    this.#add(0, estimateTokens(text, this.#tokenizer));
  }

  #add(input: number, output: number): void {
    this.#input += input;
    this.#output += output;
    this.#meter.inputTokens += input;
    this.#meter.outputTokens += output;
  }

  /** What the provider does not tell stays an estimate. */
  ended({ inputTokens, outputTokens }: LanguageModelV4Usage): void {
    this.#meter.inputTokens += (inputTokens.total ?? this.#input) - this.#input;
    this.#meter.outputTokens += (outputTokens.total ?? this.#output) - this.#output;
  }
}

function textOf(prompt: LanguageModelV4Prompt): string {
  const texts = prompt.flatMap(({ content }) =>
    typeof content === "string" ? [content] : content.map((part) => JSON.stringify(part)),
  );
  return texts.join("\n");
}
