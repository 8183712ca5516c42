import type { Budget } from "../../../core/work/step-budget.ts";
import { answering, quotedAnswer } from "./answer.ts";
import type { Material } from "./answer.ts";
import { questionOf } from "./question.ts";
import { byRelevance } from "./relevance.ts";
import { sentencesOf } from "./sentences.ts";
import type { Group, Sentence } from "./sentences.ts";
import { stemsOf } from "./stems.ts";
import { labelledValues } from "./values.ts";

/** What a schema is filled from. */
export type Evidence = {
  /**
   * Where it comes from: passages that answer the question, the caller's own text, or one item
   * of a list, in which every value belongs to the item.
   */
  of: "passages" | "own text" | "item";
  /** Sentences that may hold a value, the most relevant first. */
  sentences: Sentence[];
  /** The whole text, line by line, of an item or the caller's own text. */
  text: string;
  /** The quotation that answers the question for sure, and the block that it is taken from. */
  quote: string | null;
  group: Group | null;
  /** The answer in words; where it is only the closest quotation it says so. */
  said: string | null;
  /** Stems of what the question counts: `days` of `How many days …?` */
  counted: Set<string>;
  labelled: Labelled[];
  /** The remaining steps for filling the schema; each search in the evidence is counted. */
  budget: Budget;
};

/** A value that the text labels; the label is stemmed. `own`: see `Scored`. */
type Labelled = { stems: Set<string>; value: string; own: number };

/** Sentences behind this rank are too far from the question to hold its values. */
const MAX_SENTENCES = 10_000;

export function evidenceOf(material: Material, budget: Budget): Evidence {
  const { request } = material;
  const question = questionOf(request);
  const counted = new Set(
    /\b(?:how many|wie viele?)\s+([\p{L}]+)/iu.exec(request)?.slice(1).flatMap(stemsOf),
  );
  const found = answering(material, question);
  const { sure, said, block } = quotedAnswer(material);
  const shared = {
    quote: sure,
    group: block,
    said,
    counted,
    budget,
  };
  if (!material.searched) {
    const sentences = sentencesOf(request);
    return { ...shared, of: "own text", sentences, text: request, labelled: labelsOf([request]) };
  }
  const answers = new Set(found.map(({ sentence }) => sentence.passage));
  const within = byRelevance(material.passages, question).filter(
    ({ sentence, score }) => score > 0 && answers.has(sentence.passage),
  );
  const sentences = within.slice(0, MAX_SENTENCES).map(({ sentence }) => sentence);
  const labelled = labelsOf(
    sentences.map(({ text }) => text),
    (at) => within[at]?.own ?? 0,
  );
  return { ...shared, of: "passages", sentences, text: "", labelled };
}

/** The evidence of one row or item. */
export function evidenceWithin(part: string, budget: Budget): Evidence {
  budget.spend(part.length);
  const text = part.replace(/;\s/g, "\n");
  return {
    of: "item",
    sentences: sentencesOf(part),
    text,
    quote: part,
    group: null,
    said: part,
    counted: new Set(),
    labelled: labelsOf([text]),
    budget,
  };
}

function labelsOf(texts: string[], ownOf: (at: number) => number = () => 0): Labelled[] {
  return texts.flatMap((text, at) =>
    labelledValues(text).map(({ label, value }) => ({
      stems: new Set(stemsOf(label)),
      value,
      own: ownOf(at),
    })),
  );
}

/** `invoiceNumber`, `invoice_number` → `invoice number`. */
export const wordsOfKey = (key: string) =>
  key.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2").replace(/[_\-.]+/g, " ");

const MIN_LABEL_SHARE = 0.49;

/** The value that the text labels with the key's words; null where two rows have an equal claim. */
export function labelledAs({ of, labelled, budget }: Evidence, key: string): string | null {
  const wanted = stemsOf(wordsOfKey(key));
  budget.spend(labelled.length * wanted.length);
  const shares = labelled.map(({ stems }) => shareOf(wanted, stems));
  const most = shares.reduce((a, b) => Math.max(a, b), 0);
  if (most <= MIN_LABEL_SHARE) return null;
  const fitting = labelled.filter((_, at) => shares[at] === most);
  const [best] = fitting;
  const isDisputed = fitting.some(({ own, value }) => own === best?.own && value !== best.value);
  return best === undefined || (isDisputed && of === "passages") ? null : best.value;
}

/** How much of a label and of the wanted words is the same, 0 to 1. */
function shareOf(wanted: string[], stems: Set<string>): number {
  const shared = wanted.filter((stem) => stems.has(stem)).length;
  return shared === 0 ? 0 : (2 * shared) / (wanted.length + stems.size);
}

const STEPS_PER_SENTENCE = 15;

/** Sentences that hold all of the words, or what introduces or heads them does; best first. */
export function sentencesHolding(evidence: Evidence, words: string[]): Sentence[] {
  const wanted = words.flatMap(stemsOf);
  if (wanted.length === 0) return [];
  evidence.budget.spend(evidence.sentences.length * (STEPS_PER_SENTENCE + wanted.length));
  return evidence.sentences.filter(({ stemSet, headingStems, group }) => {
    const missing = wanted.filter((stem) => !stemSet.has(stem));
    return (
      missing.length < wanted.length &&
      missing.every((stem) => group.introductionStems.has(stem) || headingStems.has(stem))
    );
  });
}
