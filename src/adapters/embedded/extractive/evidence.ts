import type { Budget } from "../../../core/work/step-budget.ts";
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
  /** Values that the text labels; the labels are stemmed. */
  labelled: { stems: Set<string>; value: string }[];
  /** The remaining steps for filling the schema; each search in the evidence is counted. */
  budget: Budget;
};

const labelsOf = (text: string) =>
  labelledValues(text).map(({ label, value }) => ({ stems: new Set(stemsOf(label)), value }));

export function evidenceOf(
  material: Material & { passageTexts: string[] },
  budget: Budget,
): Evidence {
  const { request, passages, passageTexts } = material;
  const own = sentencesOf(request);
  const asked = own.filter(({ text }) => text.endsWith("?"));
  // An instruction without a question mark comes first, before its context.
  const question = asked.length > 0 ? asked : own.slice(0, 1);
  const text = [...passageTexts, request].join("\n");
  return {
    question: question.map((sentence) => sentence.text).join(" "),
    text,
    sentences: passages.length > 0 ? passages : own,
    answer: bestSentences(material),
    labelled: labelsOf(text),
    budget,
  };
}

/** The evidence of one row, item or sentence, for the members of a list. */
export function evidenceWithin(part: string, budget: Budget): Evidence {
  budget.spend(part.length);
  const sentences = sentencesOf(part);
  const text = part.replace(/;\s/g, "\n");
  const labelled = labelsOf(text);
  return { question: "", text, sentences, answer: sentences, labelled, budget };
}

/** `invoiceNumber`, `invoice_number` → `invoice number`. */
const wordsOfKey = (key: string) =>
  key.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2").replace(/[_\-.]+/g, " ");

/** The value that the text labels with the key's words. */
export function labelledAs(evidence: Evidence, key: string): string | null {
  const wanted = stemsOf(wordsOfKey(key));
  if (wanted.length === 0) return null;
  let best: { value: string; share: number } | null = null;
  evidence.budget.spend(evidence.labelled.length * wanted.length);
  for (const { stems, value } of evidence.labelled) {
    const shared = wanted.filter((stem) => stems.has(stem)).length;
    const share = (2 * shared) / (wanted.length + stems.size);
    if (share > (best?.share ?? LABEL_LEAST_SHARE)) best = { value, share };
  }
  return best?.value ?? null;
}

const LABEL_LEAST_SHARE = 0.49;
const STEPS_PER_SENTENCE = 15;

/** Sentences that mention the key, best first; may be empty. */
export function sentencesAbout(evidence: Evidence, key: string, description: string): Sentence[] {
  const about = `${wordsOfKey(key)} ${description}`;
  evidence.budget.spend(evidence.sentences.length * STEPS_PER_SENTENCE);
  const asked = byRelevance(evidence.sentences, `${about} ${evidence.question}`);
  return asked.filter(({ score }) => score > 0).map(({ sentence }) => sentence);
}

/** The value in a text that is closest to the key's words. */
export function closestIn<T>(
  { budget }: Evidence,
  find: (text: string) => FoundValue<T>[],
  text: string,
  key: string,
): T | null {
  budget.spend(text.length);
  const values = find(text);
  if (values.length === 0) return null;
  budget.spend(text.length);
  return closestTo(values, text, key);
}

/** `values` are in the order of the text. */
function closestTo<T>(values: FoundValue<T>[], text: string, key: string): T | null {
  const places = placesOf(text, key);
  let best: { value: T; distance: number } | null = null;
  let next = 0;
  for (const { value, at } of values) {
    while (next < places.length && (places[next] ?? 0) < at) next += 1;
    const around = [places[next - 1], places[next]].filter((place) => place !== undefined);
    const distance = around.reduce(
      (least, place) => Math.min(least, Math.abs(place - at)),
      places.length === 0 ? at : Infinity,
    );
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
