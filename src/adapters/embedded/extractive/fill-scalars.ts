import { BLANKS, trimEnd } from "../../../core/trim.ts";
import { splitSentences } from "../../../text/sentences.ts";
import { tellingWords } from "../../../text/telling-words.ts";
import type { Evidence } from "./evidence.ts";
import { NEGATION, stemsOf } from "./question.ts";
import { listOf, typeOf } from "./schema.ts";
import type { SchemaNode } from "./schema.ts";
import { FORMATS, numbersIn } from "./values.ts";

/** A property's name and its schema. */
export type Slot = { key: string; node: SchemaNode };

/** Properties that ask for the answer in words: a quotation fills them. */
const PROSE =
  /^(?:answers?|text|summary|description|reason|explanation|quot(?:e|ation)|sentences?|response|reply|result|statement|content|details|note|message|antwort|begrundung|beschreibung|items?|steps?|instructions|points)$/;
/** Words of a property that say no more than that a value is asked for. */
const GENERIC = /^(?:number|count|quantity|value|result|answer|date|e?mail|contact|ur[il]|link)$/;

/** `invoiceNumber`, `invoice_number` → `invoice number`. */
const wordsOfKey = ({ key }: Slot): string =>
  key.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2").replace(/[_\-.]+/g, " ");

/** The stems that say which value is meant, beyond that it is one. */
const meaningOf = (slot: Slot): string[] =>
  tellingWords(wordsOfKey(slot))
    .filter((word) => !GENERIC.test(word))
    .flatMap(stemsOf);

/** Whether a property asks for words rather than for one value. */
export const isProse = (slot: Slot): boolean =>
  PROSE.test(tellingWords(wordsOfKey(slot)).at(-1) ?? "text");

/** Whether the text or what stands above it is about the property. */
export const isAbout = ({ stems }: Evidence, slot: Slot): boolean =>
  meaningOf(slot).every((stem) => stems.has(stem));

const LABEL_MIN_SHARE = 0.49;

/** The value that the text labels with the key's words; null where there is none, or several. */
export function labelledAs({ labelled }: Evidence, slot: Slot): string | null {
  const wanted = stemsOf(wordsOfKey(slot));
  const shares = labelled.map(({ stems }) => {
    const shared = wanted.filter((stem) => stems.includes(stem)).length;
    return shared === 0 ? 0 : (2 * shared) / (wanted.length + stems.length);
  });
  const most = shares.reduce((a, b) => Math.max(a, b), LABEL_MIN_SHARE);
  return theOnly(labelled.filter((_, at) => shares[at] === most).map(({ value }) => value)) ?? null;
}

function theOnly<T>(values: Iterable<T>): T | undefined {
  const [only, ...others] = new Set(values);
  return others.length === 0 ? only : undefined;
}

/** The only value of the property's kind and unit; undefined where there is none, or several. */
export function valueFor(evidence: Evidence, slot: Slot): unknown {
  const { node } = slot;
  const labelled = labelledAs(evidence, slot);
  const options = listOf(node["enum"]);
  if (options.length > 0) {
    const named = theOnly(namedIn(labelled ?? "", options));
    return named ?? theOnly(splitSentences(evidence.text).flatMap((one) => namedIn(one, options)));
  }
  const type = typeOf(node);
  if (type === "boolean") return yesOrNo(labelled ?? "");
  if (type === "integer" || type === "number") return numberFor(evidence, slot, labelled);
  return "format" in node
    ? formattedFor(evidence, slot, labelled)
    : wordsFor(evidence, slot, labelled);
}

function formattedFor(evidence: Evidence, slot: Slot, labelled: string | null): string | undefined {
  const find = FORMATS.get(slot.node["format"]) ?? (() => []);
  const own = find(labelled ?? "");
  return theOnly(own.length === 0 && isAbout(evidence, slot) ? find(evidence.text) : own);
}

/** The options whose words all stand in a sentence; beside a "not", some that is none. */
function namedIn(sentence: string, options: unknown[]): unknown[] {
  const stems = new Set(stemsOf(sentence));
  const named = options.filter((option) => {
    const isNamed = typeof option === "string" || typeof option === "number";
    const wanted = isNamed ? stemsOf(String(option)) : [];
    return wanted.length > 0 && wanted.every((stem) => stems.has(stem));
  });
  return named.length > 0 && NEGATION.test(sentence) ? [...named, undefined] : named;
}

function yesOrNo(labelled: string): boolean | undefined {
  if (/^\W*(?:no|false|off|nein|n)\b/i.test(labelled)) return false;
  return /^\W*(?:yes|true|on|ja|y)\b/i.test(labelled) ? true : undefined;
}

/** Words are never cut or padded to fit: half a sentence is no quotation. */
function wordsFor({ said }: Evidence, slot: Slot, labelled: string | null): string | undefined {
  const { minLength, maxLength } = slot.node;
  const quoted = isProse(slot) && !("pattern" in slot.node) ? said : null;
  const words = labelled === null ? quoted : trimEnd(labelled, `.;,${BLANKS}`);
  return words !== null && isWithin([...words].length, minLength, maxLength) ? words : undefined;
}

const isWithin = (value: number, minimum: unknown, maximum: unknown): boolean =>
  !(typeof minimum === "number" && value < minimum) &&
  !(typeof maximum === "number" && value > maximum);

function numberFor(evidence: Evidence, slot: Slot, labelled: string | null): number | undefined {
  const { minimum, maximum } = slot.node;
  const own = numbersIn(labelled ?? "").map(({ value }) => value);
  const found = own.length > 0 ? own : countedFor(evidence, slot);
  const value = theOnly(found.filter((one) => isWithin(one, minimum, maximum))) ?? NaN;
  const isFit = typeOf(slot.node) === "number" ? !Number.isNaN(value) : Number.isInteger(value);
  return isFit ? value : undefined;
}

/** Numbers before the property's unit, and those before none, which may count the same. */
function countedFor({ numbers, stems }: Evidence, slot: Slot): number[] {
  const wanted = meaningOf(slot);
  const bound = numbers.filter(
    ({ units }) =>
      wanted.some((stem) => units.includes(stem)) &&
      wanted.every((stem) => stems.has(stem) || units.includes(stem)),
  );
  const isRead = ({ value }: { value: number }) => !Number.isNaN(value);
  // `one month for the employee and two for the employer`
  const bare = numbers.filter((one) => one.isBare && !bound.includes(one));
  const taken = bound.some(isRead) ? [...bound, ...bare] : [];
  return (wanted.length === 0 ? numbers.filter(isRead) : taken).map(({ value }) => value);
}
