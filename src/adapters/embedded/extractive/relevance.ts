import { wordsOf } from "../../../text/words.ts";
import { termsOf } from "./sentences.ts";
import type { Sentence } from "./sentences.ts";

/** BM25's saturation and length normalisation; sentences differ little in length. */
const K1 = 1.2;
const B = 0.3;
const HEADING_WEIGHT = 0.4;
/** Weight of a word that only shares a prefix with a query word (compounds, endings). */
const PREFIX_WEIGHT = 0.5;
const PREFIX_LENGTH = 5;
const PASSAGE_PRIOR = 0.1;
const POSITION_PRIOR = 0.1;
const KIND_BONUS = 1.35;
const QUESTION_PENALTY = 0.5;

/** Only the first terms of a question are used; a longer text is not a question. */
const MOST_TERMS = 100;

export type Scored = { sentence: Sentence; score: number };

/**
 * Scores sentences by how well they answer, best first; 0 means no match. BM25 over the given
 * sentences, with a bonus for headings, early passages and the kind of answer.
 */
export function byRelevance(sentences: Sentence[], question: string): Scored[] {
  const terms = termsOf(question).slice(0, MOST_TERMS);
  const index = indexOf(sentences);
  const kind = answerKind(question);
  const sums = Array.from(sentences, () => 0);
  for (const term of terms) {
    const counts = index.countsOf(term);
    const rarity = Math.log(1 + (sentences.length - counts.size + 0.5) / (counts.size + 0.5));
    for (const [at, count] of counts) {
      const length = sentences[at]?.stems.length ?? 0;
      const damp = K1 * (1 - B + (B * length) / Math.max(1, index.meanLength));
      sums[at] = (sums[at] ?? 0) + (rarity * count * (K1 + 1)) / (count + damp);
    }
  }
  const scored = sentences.map((sentence, at) => {
    const sum = sums[at] ?? 0;
    return { sentence, score: sum === 0 ? 0 : sum * priorOf(sentence, kind) };
  });
  return scored.sort((a, b) => b.score - a.score);
}

type Counts = Map<number, number>;

/** Maps stems to the sentences that hold them: many questions are asked of the same sentences. */
class SentenceIndex {
  readonly meanLength: number;
  readonly #sentences: Sentence[];
  readonly #holders = new Map<string, Counts>();
  readonly #known = new Map<string, Counts>();

  constructor(sentences: Sentence[]) {
    this.#sentences = sentences;
    let length = 0;
    for (const [at, { stems }] of sentences.entries()) {
      length += stems.length;
      for (const stem of stems) {
        const counts = this.#holders.get(stem) ?? new Map<number, number>();
        counts.set(at, (counts.get(at) ?? 0) + 1);
        this.#holders.set(stem, counts);
      }
    }
    this.meanLength = length / sentences.length;
  }

  /** How often each sentence holds the term; a match in a heading or of a prefix counts less. */
  countsOf(term: string): Counts {
    const known = this.#known.get(term);
    if (known !== undefined) return known;
    const sums: Counts = new Map();
    const add = (at: number, count: number) => sums.set(at, (sums.get(at) ?? 0) + count);
    for (const [at, { headingStems }] of this.#sentences.entries()) {
      if (headingStems.has(term)) add(at, HEADING_WEIGHT);
    }
    for (const [stem, counts] of this.#holders) {
      const weight = stem === term ? 1 : sharesPrefix(stem, term) ? PREFIX_WEIGHT : 0;
      if (weight > 0) for (const [at, count] of counts) add(at, weight * count);
    }
    this.#known.set(term, sums);
    return sums;
  }
}

const indexes = new WeakMap<Sentence[], SentenceIndex>();

function indexOf(sentences: Sentence[]): SentenceIndex {
  const known = indexes.get(sentences);
  if (known !== undefined) return known;
  const index = new SentenceIndex(sentences);
  indexes.set(sentences, index);
  return index;
}

function sharesPrefix(stem: string, term: string): boolean {
  const shorter = Math.min(stem.length, term.length);
  return shorter >= PREFIX_LENGTH && (stem.startsWith(term) || term.startsWith(stem));
}

type AnswerKind = "number" | "time" | "person" | null;

function answerKind(question: string): AnswerKind {
  const asked = wordsOf(question).join(" ");
  if (/\bhow (many|much|long|often|high|old|far)\b|\bwie (viel|viele|lange|oft|hoch)\b/.test(asked))
    return "number";
  if (/\b(when|what (time|date|day|year))\b|\b(wann|bis wann|ab wann)\b/.test(asked)) return "time";
  return /\b(who|whom|wer|wen|wem)\b/.test(asked) ? "person" : null;
}

const NUMBER = /\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)\b/i;
const TIME =
  /\d{1,2}[:.]\d{2}|\b(19|20)\d{2}\b|\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|noon|midnight|daily|weekly|monthly|quarter)\b|\d (day|hour|week|month|minute)/i;
const PERSON = /\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|\b(team|manager|lead|officer|head|desk|department)\b/u;
const KIND_PATTERNS = { number: NUMBER, time: TIME, person: PERSON };

function priorOf({ text, passage, position }: Sentence, kind: AnswerKind): number {
  const early = 1 / (1 + PASSAGE_PRIOR * passage) + POSITION_PRIOR / (1 + position);
  const fits = kind !== null && KIND_PATTERNS[kind].test(text) ? KIND_BONUS : 1;
  return early * fits * (text.endsWith("?") ? QUESTION_PENALTY : 1);
}
