import { BLANKS, trimEnd } from "../../../core/trim.ts";
import { splitSentences } from "../../../text/sentences.ts";
import { isTelling, tellingWords } from "../../../text/telling-words.ts";
import { wordsOf } from "../../../text/words.ts";
import type { Evidence } from "./evidence.ts";
import { numberOf, textOf } from "./schema.ts";
import type { SchemaNode } from "./schema.ts";
import { stemsOf } from "./stems.ts";
import { FORMATS, numbersIn } from "./values.ts";

/** The property's name and its schema. */
export type Slot = { key: string; node: SchemaNode };

const words = (list: string) => new Set(list.trim().split(/\s+/));

/** Properties that ask for the answer in words: a quotation fills them. */
const PROSE = words(`
  answer answers text summary description reason explanation quote quotation sentence sentences
  response reply result statement content details note message antwort begrundung beschreibung
  item items step steps instructions points`);
/** Properties that say no more than that something is asked for. */
const GENERIC = words(`
  answer value number count amount result quantity total date email mail contact url uri link`);
const MONEY_WORDS = words("price cost costs amount allowance fee total sum salary rate pay budget");

/** `invoiceNumber`, `invoice_number` → `invoice number`. */
const wordsOfKey = (key: string): string =>
  key.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2").replace(/[_\-.]+/g, " ");
const keyWords = ({ key }: Slot) => tellingWords(wordsOfKey(key));
/** The stems that say which value is meant, beyond that it is one. */
const meaningOf = (slot: Slot): string[] =>
  keyWords(slot)
    .filter((word) => !GENERIC.has(word) && !MONEY_WORDS.has(word))
    .flatMap(stemsOf);

/** Whether the text or its headings are about the property at all. */
const isAbout = ({ stems, above, isItem }: Evidence, slot: Slot): boolean =>
  isItem || meaningOf(slot).every((stem) => stems.has(stem) || above.has(stem));

/** Whether a property asks for words rather than for one value. */
export function isProse({ key }: Slot): boolean {
  const last = tellingWords(wordsOfKey(key)).at(-1);
  return last === undefined || PROSE.has(last);
}

/** Whether what leads to a list names the property. */
export const isLedTo = ({ above }: Evidence, { key }: Slot): boolean =>
  stemsOf(wordsOfKey(key)).every((stem) => above.has(stem));

const LABEL_MIN_SHARE = 0.49;

/** The value that the text labels with the key's words; null where there is none, or several. */
export function labelledAs({ labelled }: Evidence, { key }: Slot): string | null {
  const wanted = stemsOf(wordsOfKey(key));
  const shares = labelled.map(({ stems }) => {
    const shared = wanted.filter((stem) => stems.has(stem)).length;
    return shared === 0 ? 0 : (2 * shared) / (wanted.length + stems.size);
  });
  const most = shares.reduce((a, b) => Math.max(a, b), LABEL_MIN_SHARE);
  return theOnly(labelled.filter((_, at) => shares[at] === most).map(({ value }) => value)) ?? null;
}

function theOnly<T>(values: Iterable<T>): T | undefined {
  const [only, ...others] = new Set(values);
  return others.length === 0 ? only : undefined;
}

const NEGATION =
  /\b(?:not|no|never|none|without|cannot|neither|nor|except|nicht|kein\w*|nie|ohne|außer)\b|n['’]t\b/i;

/** The only option that the label's value names, or that sentences without a negation do. */
export function fillEnum(evidence: Evidence, slot: Slot, options: unknown[]): unknown {
  const known = options
    .filter((option) => typeof option === "string" || typeof option === "number")
    .map((option) => ({ option, wanted: stemsOf(String(option)) }))
    .filter(({ wanted }) => wanted.length > 0);
  const namedIn = (text: string) => {
    const stems = new Set(stemsOf(text));
    const named = known.filter(({ wanted }) => wanted.every((stem) => stems.has(stem)));
    return named.map(({ option }) => option);
  };
  const labelled = theOnly(namedIn(labelledAs(evidence, slot) ?? ""));
  if (labelled !== undefined) return labelled;
  const saying = splitSentences(evidence.text).filter((one) => namedIn(one).length > 0);
  return saying.some((one) => NEGATION.test(one)) ? undefined : theOnly(saying.flatMap(namedIn));
}

/** Undefined: no label says whether it holds. */
export function fillBoolean(evidence: Evidence, slot: Slot): boolean | undefined {
  const labelled = labelledAs(evidence, slot) ?? "";
  if (/^\W*(?:no|false|off|nein|n)\b/i.test(labelled)) return false;
  return /^\W*(?:yes|true|on|ja|y)\b/i.test(labelled) ? true : undefined;
}

/** Undefined: no number has the key's label or unit, or several do. */
export function fillNumber(evidence: Evidence, slot: Slot, isWhole: boolean): number | undefined {
  const { node } = slot;
  const [min, max] = [numberOf(node["minimum"], -Infinity), numberOf(node["maximum"], Infinity)];
  const fitting = candidatesFor(evidence, slot).filter(
    (value) => Number.isNaN(value) || (value >= min && value <= max),
  );
  const value = theOnly(fitting);
  const isRead = value !== undefined && (isWhole ? Number.isInteger(value) : !Number.isNaN(value));
  return isRead ? value : undefined;
}

function candidatesFor(evidence: Evidence, slot: Slot): number[] {
  const labelled = numbersIn(labelledAs(evidence, slot) ?? "");
  if (labelled.length > 0) return labelled.map(({ value }) => value);
  if (!isAbout(evidence, slot)) return [];
  const told = meaningOf(slot);
  const units = new Set(told.length > 0 ? told : evidence.counted);
  const isMoney = keyWords(slot).some((word) => MONEY_WORDS.has(word));
  const { text } = evidence;
  const found = numbersIn(text).map(({ value, at, end }) => {
    const stems = followingWords(text, end).flatMap(stemsOf);
    const isPrice = isMoney && MONEY.test(text.slice(at, end + UNIT_REACH));
    const isBound = isPrice || stems.some((stem) => units.has(stem));
    return { value, isBound, isBare: !isBound && isBare(text, end) };
  });
  const bound = found.filter(({ isBound }) => isBound);
  // `one month for the employee and two for the employer`, `a month … and two months`
  const elliptic = found.filter(({ isBare, value }) => isBare && !isYear(value));
  const taken = bound.length > 0 ? [...bound, ...elliptic] : found;
  const values = taken.map(({ value }) => value);
  if (bound.length > 0) return hasArticle(text, units) ? [...values, NaN] : values;
  // Without its unit a number is the value only where it is alone, and of no other unit.
  const isUnitless = !isMoney && (told.length === 0 || elliptic.length === 1);
  return found.length === 1 && isUnitless ? values : [];
}

const isYear = (value: number): boolean => Number.isNaN(value) || (value >= 1_900 && value < 2_100);

/** Characters after a number in which its unit is looked for, and words. */
const UNIT_REACH = 60;
/** `26 paid working days` */
const UNIT_WORDS = 3;
const MONEY = /^[-−\d.,'\u00A0\u202F]+\s?(?:[€$£]|(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?)\b)/i;

function followingWords(text: string, end: number): string[] {
  const after = text.slice(end, end + UNIT_REACH).split(/[.;:!?()]\s|\n\s*\n|,\s/)[0] ?? "";
  return wordsOf(after).slice(0, UNIT_WORDS);
}

/** Whether a number is followed by neither a unit nor what it counts. */
const isBare = (text: string, end: number): boolean =>
  !/^[\p{L}\p{N}%:°]/u.test(text.slice(end)) && !isTelling(followingWords(text, end)[0] ?? "a");

const ARTICLE = /\b(?:an?|eine?[mnr]?)\s+(?<unit>\p{L}+)/giu;

/** `a month`: it counts, too, but is more often an article. */
const hasArticle = (text: string, units: Set<string>): boolean =>
  [...text.matchAll(ARTICLE)].some(({ groups }) =>
    stemsOf(groups?.["unit"] ?? "").some((stem) => units.has(stem)),
  );

/** Undefined: nothing in the text is bound to the key. */
export function fillString(evidence: Evidence, slot: Slot): string | undefined {
  const text = boundText(evidence, slot);
  const { length } = [...(text ?? "")];
  const [min, max] = [slot.node["minLength"], slot.node["maxLength"]];
  // It is never cut or padded to fit: half a sentence is no quotation.
  return length >= numberOf(min, 0) && length <= numberOf(max, Infinity) ? text : undefined;
}

function boundText(evidence: Evidence, slot: Slot): string | undefined {
  const labelled = labelledAs(evidence, slot);
  const format = textOf(slot.node["format"]);
  if (format !== "") {
    const find = FORMATS.get(format) ?? (() => []);
    const own = find(labelled ?? "");
    if (own.length > 0 || !isAbout(evidence, slot)) return theOnly(own);
    return theOnly(find(evidence.text));
  }
  if (labelled !== null) return trimEnd(labelled, `.;,${BLANKS}`);
  return isProse(slot) && !("pattern" in slot.node) ? (evidence.said ?? undefined) : undefined;
}
