import { byRelevance } from "./relevance.ts";
import { sentencesOf } from "./sentences.ts";
import type { Sentence } from "./sentences.ts";

export type Material = {
  /** The caller's own words. */
  request: string;
  /** Sentences of the passages; empty when nothing was searched. */
  passages: Sentence[];
};

/** Sentences with a score near the best one are part of the answer. */
const CLOSE_TO_BEST = 0.7;
const SENTENCES_AT_MOST = 3;
const NOTHING_FOUND = "The documents that were found say nothing about this.";

/** An answer, and where in it the sentences of passages stand; `passage`: an index. */
export type Answer = {
  text: string;
  cited: { passage: number; start: number; end: number }[];
};

/** The most relevant sentences, best first. */
export function answerOf(material: Material): Answer {
  const chosen = bestSentences(material);
  if (chosen.length === 0) return { text: NOTHING_FOUND, cited: [] };
  let text = "";
  const cited = chosen.map((sentence) => {
    const start = text === "" ? 0 : text.length + 1;
    text = text === "" ? sentence.text : `${text} ${sentence.text}`;
    return { passage: sentence.passage, start, end: text.length };
  });
  return { text, cited: material.passages.length === 0 ? [] : cited };
}

export function bestSentences({ request, passages }: Material): Sentence[] {
  const own = sentencesOf(request);
  // Without passages the request holds both the question and its context.
  const sentences = passages.length > 0 ? passages : withoutQuestion(own);
  const scored = byRelevance(sentences, request);
  const best = scored[0]?.score ?? 0;
  if (best === 0) return passages.length > 0 ? [] : sentences.slice(0, SENTENCES_AT_MOST);
  const close = scored.filter(({ score }) => score >= best * CLOSE_TO_BEST);
  return distinct(close.map(({ sentence }) => sentence)).slice(0, SENTENCES_AT_MOST);
}

/**
 * The statements of a text that also asks a question; the whole text when it holds only
 * questions.
 */
function withoutQuestion(sentences: Sentence[]): Sentence[] {
  const statements = sentences.filter(({ text }) => !/[?:]$/.test(text));
  return statements.length > 0 ? statements : sentences;
}

function distinct(sentences: Sentence[]): Sentence[] {
  return [...new Map(sentences.map((one) => [one.stems.join(" "), one])).values()];
}
