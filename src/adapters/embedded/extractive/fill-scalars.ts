import { BLANKS, trimEnd } from "../../../core/trim.ts";
import { linearPattern } from "../../../text/linear-pattern/linear-pattern.ts";
import { splitSentences } from "../../../text/sentences.ts";
import { isTelling, tellingWords } from "../../../text/telling-words.ts";
import { wordsOf } from "../../../text/words.ts";
import { labelledAs, wordsOfKey } from "./evidence.ts";
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
const DESCRIBED = words("sentence sentences summary explanation quotation quote words");
/** Properties that say no more than that something is asked for. */
const GENERIC = words(`
  answer value number count amount result quantity total date day time datetime email mail contact
  url uri link address id uuid is has`);
const MONEY_WORDS = words("price cost costs amount allowance fee total sum salary rate pay budget");
const NAMED = words(`
  name person manager contact owner author engineer customer employee lead who whom head officer
  driver colleague`);
/** What a number counts: it never stands for another of them. */
const MEASURES = new Set(
  stemsOf(`
  second minute hour day night week month quarter year percent euro dollar pound meter metre
  kilometer kilometre mile centimeter millimeter gram kilogram ton liter litre byte kilobyte
  megabyte gigabyte degree celsius fahrenheit watt volt sekunde stunde tag woche monat jahr prozent`),
);

const keyWords = ({ key }: Slot) => tellingWords(wordsOfKey(key));
/** The words that say which value is meant, beyond that it is one. */
const meaningOf = (slot: Slot): string[] =>
  keyWords(slot)
    .filter((word) => !GENERIC.has(word) && !MONEY_WORDS.has(word))
    .flatMap(stemsOf);

/** Whether the text or its headings are about the property at all. */
const isAbout = ({ stems, isItem }: Evidence, slot: Slot): boolean =>
  isItem || meaningOf(slot).every((stem) => stems.has(stem));

function theOnly<T>(values: Iterable<T>): T | undefined {
  const [only, ...others] = new Set(values);
  return others.length === 0 ? only : undefined;
}

const NEGATION =
  /\b(?:not|no|never|none|without|cannot|neither|nor|except|nicht|kein\w*|nie|ohne|außer)\b|n['’]t\b/i;
const CONDITION =
  /\b(?:if|unless|when|where|provided|only|but|may|might|usually|wenn|falls|nur|sofern|aber)\b/i;

/** Empty for null, objects and lists, which no text names. */
const textOfOption = (option: unknown): string =>
  typeof option === "string" || typeof option === "number" ? String(option) : "";

/** The options that a text names. */
export function optionsNamed(options: unknown[], text: string, budget: Budgeted): unknown[] {
  budget.spend(options.length + text.length);
  const stems = new Set(stemsOf(text));
  return options.filter((option) => {
    const wanted = stemsOf(textOfOption(option));
    return wanted.length > 0 && wanted.every((stem) => stems.has(stem));
  });
}

type Budgeted = Evidence["budget"];

/** Undefined: no option is named, or several. */
export function fillEnum(evidence: Evidence, slot: Slot, options: unknown[]): unknown {
  const labelled = labelledAs(evidence, slot.key);
  if (labelled !== null) {
    const option = theOnly(optionsNamed(options, labelled, evidence.budget));
    if (option !== undefined) return option;
  }
  const saying = splitSentences(evidence.text).filter(
    (one) => optionsNamed(options, one, evidence.budget).length > 0,
  );
  if (saying.some((one) => NEGATION.test(one))) return undefined;
  return theOnly(optionsNamed(options, saying.join("\n"), evidence.budget));
}

/** Undefined: no number has the key's label or unit, or several do. */
export function fillNumber(evidence: Evidence, slot: Slot, whole: boolean): number | undefined {
  const value = numberFor(evidence, slot);
  return value !== undefined && whole && !Number.isInteger(value) ? undefined : value;
}

function numberFor(evidence: Evidence, slot: Slot): number | undefined {
  const fits = fitting(slot.node);
  const labelled = numbersIn(labelledAs(evidence, slot.key) ?? "").map(({ value }) => value);
  if (labelled.length > 0) return theOnly(labelled.filter(fits));
  if (!isAbout(evidence, slot)) return undefined;
  const { text, counted, budget } = evidence;
  const told = meaningOf(slot);
  const units = new Set(told.length > 0 ? told : counted);
  const isMoney = keyWords(slot).some((word) => MONEY_WORDS.has(word));
  budget.spend(text.length);
  const found = [...numbersIn(text), ...onesIn(text, units)].map(({ value, at }) => ({
    value,
    unit: unitAt(text.slice(at, at + UNIT_REACH)),
  }));
  const bound = found.filter(
    ({ unit }) => unit.words.some((stem) => units.has(stem)) || (isMoney && unit.isMoney),
  );
  if (bound.length > 0) {
    const elliptic = found.filter(({ unit, value }) => unit.isLeftOut && !isYear(value));
    return theOnly([...bound, ...elliptic].map(({ value }) => value).filter(fits));
  }
  // Without its unit a number is the value only where it is alone, and of no other unit.
  const isUnitless = !isMoney && !told.some((stem) => MEASURES.has(stem));
  const alone = isUnitless && found.length === 1 ? found : [];
  return theOnly(
    alone.flatMap(({ value, unit }) => (isMeasured(unit, told) ? [] : value)).filter(fits),
  );
}

type FollowedBy = { words: string[]; isMoney: boolean; isLeftOut: boolean };

/** Whether a number is of a unit that its property does not name. */
const isMeasured = ({ isMoney, words: after }: FollowedBy, told: string[]): boolean =>
  told.length > 0 && (isMoney || after.some((stem) => MEASURES.has(stem)));

const ONE = /(?<before>\S{0,20}\s)?\b(?<one>one|an?|eine?[mnr]?)[\s-]+(?<unit>\p{L}+)/giu;
/** `26 days a year`, `once a month`: how often, not how many. */
const IS_RATE =
  /(?:\d|%|[€$£]|times|once|twice|(?:second|minute|hour|day|week|month|euro|dollar|pound)s?)\s$/i;

/** `one month`, `a month`: the word is more often an article or a pronoun than a count. */
function onesIn(text: string, units: Set<string>) {
  return [...text.matchAll(ONE)].flatMap(({ groups, index }) => {
    const { before = "", one = "", unit = "" } = groups ?? {};
    if (one.toLowerCase() !== "one" && IS_RATE.test(before)) return [];
    if (!stemsOf(unit).some((stem) => units.has(stem))) return [];
    return [{ value: 1, at: index + before.length }];
  });
}

function fitting(node: SchemaNode): (value: number) => boolean {
  const [above, below] = [node["exclusiveMinimum"], node["exclusiveMaximum"]];
  const min = Math.max(numberOf(node["minimum"], -Infinity), numberOf(above, -Infinity));
  const max = Math.min(numberOf(node["maximum"], Infinity), numberOf(below, Infinity));
  const step = numberOf(node["multipleOf"], 0);
  return (value) =>
    value >= min &&
    value <= max &&
    value !== above &&
    value !== below &&
    (step === 0 || Number.isInteger(value / step));
}

/** Characters after a number in which its unit is looked for, and words. */
const UNIT_REACH = 60;
/** `26 paid working days` */
const UNIT_WORDS = 3;
const MONEY = /^[-−\d.,'\u00A0\u202F]+\s?(?:[€$£]|(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?)\b)/i;

const isYear = (value: number): boolean => value >= 1_900 && value < 2_100;

/** What follows the number with which a text begins; `isLeftOut`: `one month, and two for him`. */
function unitAt(from: string): FollowedBy {
  const after = from.split(/[.;:!?()]\s|\n\s*\n|,\s/)[0] ?? "";
  // A compound number is one or two words itself.
  const [, ...next] = wordsOf(after.replace(/^[-−]?[\d.,'\u00A0\u202F]+(?=\d)\d/, "0"));
  const isLeftOut = !/^[\d\p{L}]+[%:°]/u.test(from) && !isTelling(next[0] ?? "a");
  return {
    words: next.slice(0, UNIT_WORDS).flatMap(stemsOf),
    isMoney: MONEY.test(from),
    isLeftOut,
  };
}

/** Undefined: no label, and no single unconditional sentence, says whether it holds. */
export function fillBoolean(evidence: Evidence, slot: Slot): boolean | undefined {
  const labelled = labelledAs(evidence, slot.key);
  if (labelled !== null) {
    if (/^\W*(?:no|false|off|nein|n)\b/i.test(labelled)) return false;
    return /^\W*(?:yes|true|on|ja|y)\b/i.test(labelled) ? true : undefined;
  }
  const { text, budget } = evidence;
  const wanted = meaningOf(slot);
  budget.spend(text.length);
  const sentences = splitSentences(text.replace(/\n(?=\S)/g, " "));
  const about = sentences.filter((one) => {
    const stems = new Set(stemsOf(one));
    return wanted.length > 0 && wanted.every((stem) => stems.has(stem));
  });
  const [only, ...others] = about;
  if (only === undefined || others.length > 0 || CONDITION.test(text)) return undefined;
  if (!NEGATION.test(text)) return true;
  return sentences.length === 1 ? false : undefined;
}

/** Undefined: nothing in the text is bound to the key, or it is longer or shorter than allowed. */
export function fillString(evidence: Evidence, slot: Slot): string | undefined {
  const text = boundText(evidence, slot);
  return text === undefined || !isOfLength(text, slot.node) ? undefined : text;
}

/** A text is never cut or padded to fit: half a sentence is no quotation. */
export function isOfLength(text: string, node: SchemaNode): boolean {
  const { length } = [...text];
  return (
    length <= numberOf(node["maxLength"], Infinity) && length >= numberOf(node["minLength"], 0)
  );
}

function boundText(evidence: Evidence, slot: Slot): string | undefined {
  const { text, budget, said } = evidence;
  const labelled = labelledAs(evidence, slot.key);
  const format = FORMATS.get(textOf(slot.node["format"]));
  const pattern = textOf(slot.node["pattern"]);
  if (format !== undefined || pattern !== "") {
    const find = (within: string) =>
      format === undefined
        ? matchesOf(within, pattern, budget)
        : format(within).map(({ value }) => value);
    budget.spend(text.length);
    const own = labelled === null ? [] : find(labelled);
    if (own.length > 0) return theOnly(own);
    return isAbout(evidence, slot) || pattern !== "" ? theOnly(find(text)) : undefined;
  }
  if (labelled !== null) return trimEnd(labelled, `.;,${BLANKS}`);
  if (isProse(slot)) return said ?? undefined;
  return keyWords(slot).some((word) => NAMED.has(word)) ? nameFor(evidence, slot) : undefined;
}

/** Whether a property asks for words rather than for one value. */
export function isProse({ key, node }: Slot): boolean {
  const told = tellingWords(`${textOf(node["title"])} ${textOf(node["description"])}`);
  const last = tellingWords(wordsOfKey(key)).at(-1);
  return last === undefined || PROSE.has(last) || told.some((word) => DESCRIBED.has(word));
}

const NAME = /\p{Lu}[\p{Ll}’'-]+(?: (?:van|von|de|der|den|\p{Lu}\.))*(?: \p{Lu}[\p{Ll}’'-]+)+/gu;
const BETWEEN = String.raw`[,:(–—-]?\s+(?:(?:is|are|was|ist|the|our|a|an|der|die|unser|unsere)\s+)*`;
const BEFORE = new RegExp(`(?<role>\\p{L}+)${BETWEEN}$`, "u");
const AFTER = new RegExp(`^${BETWEEN}(?:\\p{L}+ ){0,2}?(?<role>\\p{L}+)(?=[\\s.,;:)]|$)`, "u");
/** Characters before and after a name in which its role is looked for. */
const ROLE_REACH = 60;

/** The only name in a text, whose role stands right before or after it. */
function nameFor({ text, isItem }: Evidence, slot: Slot): string | undefined {
  const found = [...text.matchAll(NAME)];
  const name = theOnly(found.map(([one]) => one));
  if (name === undefined || isItem) return name;
  const roles = new Set(meaningOf(slot));
  const isNamed = found.some(({ index }) => {
    const end = index + name.length;
    const before = BEFORE.exec(text.slice(Math.max(0, index - ROLE_REACH), index));
    const after = AFTER.exec(text.slice(end, end + ROLE_REACH));
    const near = [before, after].map((one) => one?.groups?.["role"] ?? "");
    return near.some((word) => stemsOf(word).some((stem) => roles.has(stem)));
  });
  return isNamed ? name : undefined;
}

/** The words, or runs of words, that the pattern accepts as a whole. */
function matchesOf(text: string, source: string, budget: Budgeted): string[] {
  const pattern = linearPattern(source);
  if (!pattern.ok) return [];
  const split = text.split(/[\s,;()"“”]+/u).map((word) => trimEnd(word, ".:!?"));
  return split.filter((word) => word !== "" && pattern.test(word, budget));
}
