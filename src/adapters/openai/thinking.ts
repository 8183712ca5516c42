import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

const CLOSING = /<\/think(?:ing)?>/i;
/**
 * A server without a reasoning parser leaves `<think>…</think>` before the answer, or the marks of
 * Seed-OSS, Magistral, Gemma 4 and gpt-oss (https://cookbook.openai.com/articles/openai-harmony). Chat
 * templates of DeepSeek R1 and of Qwen's thinking models write the opening mark into the prompt:
 * then the text begins without it
 * (https://docs.vllm.ai/en/latest/features/reasoning_outputs.html). A thought may name another's
 * marks, and an answer begin with the link `[Think](…)`.
 */
const MARKS: [opening: string, closing: RegExp][] = [
  ["<think>", CLOSING],
  ["<thinking>", CLOSING],
  ["<seed:think>", /<\/seed:think>/i],
  ["[THINK]", /\[\/THINK\]/],
  ["<|channel>", /<channel\|>/],
  ["<|channel|>", /<\|channel\|>final(?: ?<\|constrain\|>\w{1,9})?<\|message\|>/],
];
const CLOSING_LINE = /\n<\/think(?:ing)?>\s*?(?:\n|$)/i;
const LONGEST_MARK = "<|channel|>final <|constrain|>123456789<|message|>".length;
/** A text with more space before its first letter has no mark. */
const MAX_BEGINNING = 99;
/** A stream of such a model is held back until the closing mark, or its end. */
const THINKS = /deepseek-?r1|qwq|think|reason/i;

/** The answer in a whole text; marks after the beginning are part of it. */
export function withoutThinking(text: string): string {
  const reader = answerReader(CLOSING_LINE.test(`\n${text}`));
  return reader.push(text) + reader.end();
}

/** Passes the answer on where a model streams its thoughts, too. */
export function dropThoughts(modelId: string) {
  let reader = answerReader(THINKS.test(modelId));
  return new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
    transform(part, controller) {
      // The server separates thoughts.
      if (part.type === "reasoning-start") reader = answerReader(false);
      const isText = part.type === "text-delta";
      const delta = isText ? reader.push(part.delta) : part.type === "text-end" ? reader.end() : "";
      if (delta !== "" && "id" in part)
        controller.enqueue({ type: "text-delta", id: part.id, delta });
      if (!isText) controller.enqueue(part);
    },
  });
}

const beginningOf = (text: string) => {
  const beginning = text.slice(0, 2 * MAX_BEGINNING).trimStart();
  return beginning.startsWith("<") ? beginning.toLowerCase() : beginning;
};
const mayOpen = (text: string) =>
  text.length <= MAX_BEGINNING && MARKS.some(([mark]) => mark.startsWith(beginningOf(text)));
const closingMarkOf = (text: string) =>
  MARKS.find(([mark]) => beginningOf(text).startsWith(mark))?.[1] ?? null;

/** Reads the answer in a text that comes in pieces. */
function answerReader(mayBeginThinking: boolean) {
  let state: "beginning" | "thought" | "gap" | "answer" = "beginning";
  let mark: RegExp | null = null;
  let pending: string[] = [];
  let tail = "";
  const begin = (text: string) => {
    const answer = text.trimStart();
    state = answer === "" ? "gap" : "answer";
    pending = [];
    return answer;
  };
  const push = (text: string): string => {
    if (state === "answer") return text;
    if (state === "gap") return begin(text);
    pending.push(text);
    let visible = tail + text;
    if (state === "beginning") {
      const beginning = pending.join("");
      if (mayOpen(beginning)) return "";
      mark = closingMarkOf(beginning);
      if (mark === null && !mayBeginThinking) {
        state = "answer";
        pending = [];
        return beginning;
      }
      state = "thought";
      visible = `\n${beginning}`;
    }
    tail = visible.slice(-LONGEST_MARK);
    // An answer may mention the mark, where no opening one was.
    const closing = (mark ?? CLOSING_LINE).exec(visible);
    return closing === null ? "" : begin(visible.slice(closing.index + closing[0].length));
  };
  /** Without a closing mark, a text that had no opening one is the answer. */
  const end = () => (mark === null ? pending.splice(0).join("") : "");
  return { push, end };
}
