import { wordsOf } from "../../../text/words.ts";
import { termsOf } from "./sentences.ts";
import type { Sentence } from "./sentences.ts";

/** BM25's saturation and length normalisation; sentences differ little in length. */
const K1 = 1.2;
const B = 0.3;
const HEADING_WEIGHT = 0.4;
/** Weight of a word that only shares its beginning with a query word (compounds, endings). */
const PREFIX_WEIGHT = 0.5;
const PREFIX_LENGTH = 5;
const PASSAGE_PRIOR = 0.1;
const POSITION_PRIOR = 0.1;
const KIND_BONUS = 1.35;
const QUESTION_PENALTY = 0.5;

export type Scored = { sentence: Sentence; score: number };

/**
 * Sentences by how well they answer, best first; 0 means that nothing matches. BM25 over the
 * sentences at hand, with a bonus for headings, early passages and the kind of answer.
 */
export function byRelevance(sentences: Sentence[], question: string): Scored[] {
  const terms = termsOf(question);
  const rarity = rarityOf(sentences, terms);
  const length = sentences.reduce((sum, { stems }) => sum + stems.length, 0) / sentences.length;
  const kind = answerKind(question);
  const scored = sentences.map((sentence) => {
    const damp = K1 * (1 - B + (B * sentence.stems.length) / Math.max(1, length));
    let score = 0;
    for (const term of terms) {
      const count = frequency(sentence, term);
      score += ((rarity.get(term) ?? 0) * count * (K1 + 1)) / (count + damp);
    }
    return { sentence, score: score * priorOf(sentence, kind) };
  });
  return scored.sort((a, b) => b.score - a.score);
}

function frequency({ stems, headingStems }: Sentence, term: string): number {
  let count = headingStems.has(term) ? HEADING_WEIGHT : 0;
  for (const stem of stems) {
    if (stem === term) count += 1;
    else if (sharesPrefix(stem, term)) count += PREFIX_WEIGHT;
  }
  return count;
}

function sharesPrefix(stem: string, term: string): boolean {
  const shorter = Math.min(stem.length, term.length);
  return shorter >= PREFIX_LENGTH && (stem.startsWith(term) || term.startsWith(stem));
}

function rarityOf(sentences: Sentence[], terms: string[]): Map<string, number> {
  const all = sentences.length;
  return new Map(
    terms.map((term) => {
      const having = sentences.filter((sentence) => frequency(sentence, term) > 0).length;
      return [term, Math.log(1 + (all - having + 0.5) / (having + 0.5))];
    }),
  );
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
