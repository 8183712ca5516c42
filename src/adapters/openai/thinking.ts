import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";

/**
 * What a server without a reasoning parser leaves before the answer: `<think>…</think>`. Chat
 * templates of DeepSeek R1 and of Qwen's thinking models write the opening mark into the prompt:
 * then the text begins without it (https://docs.vllm.ai/en/latest/features/reasoning_outputs.html).
 */
const OPENING = /^\s*<think(?:ing)?>/i;
const MAYBE_OPENING = /^\s{0,99}(?:<(?:t(?:h(?:i(?:n(?:k(?:i(?:n(?:g)?)?)?)?)?)?)?)?)?$/i;
const CLOSING = /<\/think(?:ing)?>/i;
const CLOSING_LINE = /\n<\/think(?:ing)?>\s*?(?:\n|$)/i;
const LONGEST_MARK = "</thinking>".length;
/** A stream of such a model is held back until the closing mark, or its end. */
const THINKS = /deepseek-?r1|qwq|think|reason/i;

/** The model with answers alone; marks after the beginning are part of the answer. */
export function withoutThinking(model: LanguageModelV4): LanguageModelV4 {
  const { provider, modelId, supportedUrls } = model;
  return {
    specificationVersion: "v4",
    provider,
    modelId,
    supportedUrls,
    async doGenerate(options) {
      const result = await model.doGenerate(options);
      const content = result.content.map((part) => {
        if (part.type !== "text") return part;
        const reader = new AnswerReader(CLOSING_LINE.test(part.text));
        return { ...part, text: reader.push(part.text) + reader.end() };
      });
      return { ...result, content };
    },
    async doStream(options) {
      const result = await model.doStream(options);
      return { ...result, stream: result.stream.pipeThrough(answersOf(modelId)) };
    },
  };
}

function answersOf(modelId: string) {
  let reader = new AnswerReader(THINKS.test(modelId));
  return new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
    transform(part, controller) {
      // The server tells thoughts apart.
      if (part.type === "reasoning-start") reader = new AnswerReader(false);
      const isText = part.type === "text-delta";
      const delta = isText ? reader.push(part.delta) : part.type === "text-end" ? reader.end() : "";
      if (delta !== "" && "id" in part)
        controller.enqueue({ type: "text-delta", id: part.id, delta });
      if (!isText) controller.enqueue(part);
    },
  });
}

/** The answer in a text that comes in pieces. */
class AnswerReader {
  readonly #mayBeginThinking: boolean;
  /** Null: not known yet. */
  #state: "opened" | "thinking" | "closed" | "answer" | null = null;
  #held: string[] = [];
  #tail = "";

  constructor(mayBeginThinking: boolean) {
    this.#mayBeginThinking = mayBeginThinking;
  }

  push(text: string): string {
    if (this.#state === "answer") return text;
    if (this.#state === "closed") return this.#begin(text);
    this.#held.push(text);
    const seen = this.#tail + text;
    if (this.#state === null) {
      const begun = this.#held.join("");
      if (MAYBE_OPENING.test(begun)) return "";
      this.#state = OPENING.test(begun) ? "opened" : this.#mayBeginThinking ? "thinking" : "answer";
      if (this.#state === "answer") {
        this.#held = [];
        return begun;
      }
    }
    const closing = CLOSING.exec(seen);
    this.#tail = seen.slice(-LONGEST_MARK);
    if (closing === null) return "";
    this.#held = [];
    return this.#begin(seen.slice(closing.index + closing[0].length));
  }

  #begin(text: string): string {
    const answer = text.trimStart();
    this.#state = answer === "" ? "closed" : "answer";
    return answer;
  }

  /** Without a closing mark, what had no opening one is the answer. */
  end(): string {
    return this.#state === "opened" ? "" : this.#held.join("");
  }
}
