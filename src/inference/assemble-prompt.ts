import type { ChatModel, TooLong } from "../ports/models.ts";
import type { RetrievedChunk } from "../retrieval/score-chunks.ts";
import { passagesNotice, writePassages, writeRequest } from "../text/prompt-delimiters.ts";
import type { Passage } from "../text/prompt-delimiters.ts";
import { cautiousTokens, type Tokenizer } from "../text/tokens.ts";

/** Reserved for the answer where the inference sets no limit; at most a quarter of the window. */
const ANSWER_TOKENS = 4_096;
const ANSWER_SHARE = 0.25;
/** Delimiters, notice and the message format, for the whole and a passage. */
const FRAME_TOKENS = 250;
const PASSAGE_FRAME_TOKENS = 60;

export type PromptParts = {
  systemPrompt: string;
  prompt: string;
  /** Texts of other messages and of functions, which go to the model beside the prompt. */
  besides: string[];
  /** Best first. */
  chunks: RetrievedChunk[];
  /** Instructions on the answer's form, after the request; empty for none. */
  formNote: string;
  contextTokens: number;
  tokenizer: Tokenizer;
  maxOutputTokens: number | null;
  /** The key of the delimiters; see text/prompt-delimiters.ts. */
  key: string;
  /** How passages are to be cited; absent: as the model likes. */
  howToCite?: string | undefined;
};

export type AssembledPrompt = {
  /** The user's message: passages between delimiters, the request, a note on the form. */
  text: string;
  used: RetrievedChunk[];
  leftOut: number;
  /** Our count for the whole prompt. */
  tokens: number;
};

/** Retrieved text is put into the user's message only, never into the system prompt. */
export function assemblePrompt(parts: PromptParts): AssembledPrompt {
  const { chunks, key, prompt, formNote, howToCite } = parts;
  const room = tokensForPassages(parts);
  const { shown: used, tokens: passageTokens } = selectFitting(chunks, room, parts.tokenizer);
  const leftOut = chunks.length - used.length;
  const tokens = parts.contextTokens - answerTokens(parts) - room + passageTokens;
  if (used.length === 0 && formNote === "") return { text: prompt, used, leftOut, tokens };
  const passages =
    used.length === 0
      ? []
      : [passagesNotice(key, howToCite), writePassages(used.map(passageOf), key)];
  const sections = [...passages, writeRequest(prompt, key), formNote];
  return { text: sections.filter(Boolean).join("\n\n"), used, leftOut, tokens };
}

function tokensForPassages(parts: PromptParts): number {
  const { systemPrompt, prompt, formNote, howToCite = "", besides } = parts;
  return remainingTokens([systemPrompt, prompt, formNote, howToCite, ...besides], parts);
}

type Window = Pick<PromptParts, "contextTokens" | "maxOutputTokens" | "tokenizer">;

/** Tokens of the model's window that these texts and the answer leave. */
export function remainingTokens(texts: string[], window: Window): number {
  const textTokens = texts.reduce((sum, text) => sum + cautiousTokens(text, window.tokenizer), 0);
  return window.contextTokens - answerTokens(window) - textTokens - FRAME_TOKENS;
}

/** Reserved for the answer. */
export const answerTokens = ({ contextTokens, maxOutputTokens }: Omit<Window, "tokenizer">) =>
  maxOutputTokens ?? Math.floor(Math.min(ANSWER_TOKENS, contextTokens * ANSWER_SHARE));

/** Tokens of an answer at most. A small model that does not end would write until its window is full. */
export const outputLimit = (
  { maxOutputTokens }: Pick<Window, "maxOutputTokens">,
  chat: Pick<ChatModel, "server" | "contextTokens">,
): number | null =>
  maxOutputTokens ??
  (chat.server === undefined ? null : answerTokens({ ...chat, maxOutputTokens: null }));

/** A refused prompt is so much shorter the next time, where the server names no figures. */
const SHORTER = 0.7;
/** A share of the limit that a server names: our counts differ. */
const CAREFUL = 0.95;

/** How many tokens of a prompt by our count a server takes that refused so many. */
export function tokensAfterRefusal({ sent: sentTokens, limit }: TooLong, tokens: number): number {
  if (limit === null) return tokens * SHORTER;
  if (sentTokens !== null) return tokens * (limit / sentTokens) * CAREFUL;
  // vLLM counts the answer as well.
  return Math.min(tokens, limit * (1 - ANSWER_SHARE)) * SHORTER;
}

/** The best passages that fit; shorter ones follow one that is too long. */
export function selectFitting(
  chunks: RetrievedChunk[],
  tokens: number,
  tokenizer: Tokenizer,
): { shown: RetrievedChunk[]; tokens: number } {
  let total = 0;
  const fitting = chunks.filter((chunk) => {
    const { text, source } = passageOf(chunk);
    const needed =
      PASSAGE_FRAME_TOKENS + cautiousTokens(text, tokenizer) + cautiousTokens(source, tokenizer);
    if (total + needed > tokens) return false;
    total += needed;
    return true;
  });
  return { shown: fitting, tokens: total };
}

/** `staff-handbook: leave.md, page 3 › Leave › Holiday` */
export function passageOf({ text, source }: RetrievedChunk): Passage {
  const { ragIdentifier, filePath, page, headings } = source;
  const place = page === null ? filePath : `${filePath}, page ${page}`;
  return { source: `${ragIdentifier}: ${[place, ...headings].join(" › ")}`, text };
}
