import { bestSentences } from "./answer.ts";
import type { Material } from "./answer.ts";
import { byRelevance } from "./relevance.ts";
import { sentencesOf, stemsOf, termsOf } from "./sentences.ts";
import type { Sentence } from "./sentences.ts";
import type { FoundValue } from "./values.ts";
import { labelledValues } from "./values.ts";

/** The text from which a schema is filled. */
export type Evidence = {
  /** The question, in addition to a property's name. */
  question: string;
  /** Raw text, line by line, for labels and lists. */
  text: string;
  sentences: Sentence[];
  /** Sentences that answer the question as a whole. */
  answer: Sentence[];
};

export function evidenceOf(material: Material & { passageTexts: string[] }): Evidence {
  const { request, passages, passageTexts } = material;
  const own = sentencesOf(request);
  const asked = own.filter(({ text }) => text.endsWith("?"));
  // An instruction without a question mark comes first, before its context.
  const question = asked.length > 0 ? asked : own.slice(0, 1);
  return {
    question: question.map(({ text }) => text).join(" "),
    text: [...passageTexts, request].join("\n"),
    sentences: passages.length > 0 ? passages : own,
    answer: bestSentences(material),
  };
}

/** The evidence of one row, item or sentence, for the members of a list. */
export function evidenceWithin(text: string): Evidence {
  const sentences = sentencesOf(text);
  return { question: "", text: text.replace(/;\s/g, "\n"), sentences, answer: sentences };
}

/** `invoiceNumber`, `invoice_number` → `invoice number`. */
const wordsOfKey = (key: string) =>
  key.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2").replace(/[_\-.]+/g, " ");

/** The value that the text labels with the key's words. */
export function labelledAs(evidence: Evidence, key: string): string | null {
  const wanted = stemsOf(wordsOfKey(key));
  if (wanted.length === 0) return null;
  let best: { value: string; share: number } | null = null;
  for (const { label, value } of labelledValues(evidence.text)) {
    const stems = new Set(stemsOf(label));
    const shared = wanted.filter((stem) => stems.has(stem)).length;
    const share = (2 * shared) / (wanted.length + stems.size);
    if (share > (best?.share ?? LABEL_LEAST_SHARE)) best = { value, share };
  }
  return best?.value ?? null;
}

const LABEL_LEAST_SHARE = 0.49;

/** Sentences that mention the key, best first; may be empty. */
export function sentencesAbout(evidence: Evidence, key: string, description: string): Sentence[] {
  const about = `${wordsOfKey(key)} ${description}`;
  const asked = byRelevance(evidence.sentences, `${about} ${evidence.question}`);
  return asked.filter(({ score }) => score > 0).map(({ sentence }) => sentence);
}

/** The value in a text that is closest to the key's words. */
export function closestTo<T>(values: FoundValue<T>[], text: string, key: string): T | null {
  const places = placesOf(text, key);
  let best: { value: T; distance: number } | null = null;
  for (const { value, at } of values) {
    const distances = places.map((place) => Math.abs(place - at));
    const distance = distances.length === 0 ? at : Math.min(...distances);
    if (best === null || distance < best.distance) best = { value, distance };
  }
  return best?.value ?? null;
}

function placesOf(text: string, key: string): number[] {
  const wanted = new Set(termsOf(wordsOfKey(key)));
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)]
    .filter(({ 0: word }) => stemsOf(word).some((stem) => wanted.has(stem)))
    .map(({ index }) => index);
}
