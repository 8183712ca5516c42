import type { Budget } from "../../../core/work/step-budget.ts";
import { BLANKS, trimEnd } from "../../../core/trim.ts";
import { linearPattern } from "../../../text/linear-pattern/linear-pattern.ts";
import { labelledAs, sentencesHolding, wordsOfKey } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { numberOf, textOf } from "./schema.ts";
import type { SchemaNode } from "./schema.ts";
import { stemsOf } from "./stems.ts";
import { tellingWords } from "../../../text/telling-words.ts";
import { FORMATS, numbersIn } from "./values.ts";
import type { FoundValue } from "./values.ts";

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
  answer value number count amount result quantity total date day time datetime email mail contact
  url uri link address id uuid is has`);
const MONEY_WORDS = words("price cost costs amount allowance fee total sum salary rate pay budget");
const NAMED = words(`
  name person manager contact owner author engineer customer employee lead who whom head officer
  driver colleague`);

const keyWords = ({ key }: Slot) => tellingWords(wordsOfKey(key));
/** The words that say which value is meant, beyond that it is one. */
const meaning = (slot: Slot) => keyWords(slot).filter((word) => !GENERIC.has(word));

/** Empty for null, objects and lists, which no sentence names. */
export const textOfOption = (option: unknown): string =>
  typeof option === "string" || typeof option === "number" ? String(option) : "";

/** Undefined: no sentence says which option holds. */
export function fillEnum(evidence: Evidence, slot: Slot, options: unknown[]): unknown {
  const labelled = labelledAs(evidence, slot.key);
  const about = sentencesHolding(evidence, meaning(slot)).map(({ text }) => text);
  const whole = evidence.of === "passages" ? [] : [evidence.text];
  const texts = [labelled, evidence.quote, ...about, ...whole].filter((text) => text !== null);
  const wanted = options.map((option) => ({ option, stems: stemsOf(textOfOption(option)) }));
  for (const text of texts) {
    evidence.budget.spend(options.length + text.length);
    const stems = new Set(stemsOf(text));
    const named = wanted.filter(
      (one) => one.stems.length > 0 && one.stems.every((stem) => stems.has(stem)),
    );
    if (named.length === 1) return named[0]?.option;
  }
  return undefined;
}

/** Undefined: no number is bound to the key by its unit, its label, or as the only one. */
export function fillNumber(evidence: Evidence, slot: Slot, whole: boolean): number | undefined {
  const fits = fitting(slot.node, whole);
  const labelled = numbersIn(labelledAs(evidence, slot.key) ?? "").find(({ value }) => fits(value));
  if (labelled !== undefined) return labelled.value;
  const told = meaning(slot).flatMap(stemsOf);
  const units = new Set([...told, ...(told.length === 0 ? evidence.counted : [])]);
  const isMoney = keyWords(slot).some((word) => MONEY_WORDS.has(word));
  evidence.budget.spend(evidence.sentences.length * (1 + units.size));
  for (const { text, stemSet } of evidence.sentences) {
    if (![...units].some((stem) => stemSet.has(stem)) && !isMoney) continue;
    evidence.budget.spend(text.length);
    const isUnit = (at: number) => hasUnit(text.slice(at), units, isMoney && told.length === 0);
    const bound = numbersIn(text).filter(({ value, at }) => fits(value) && isUnit(at));
    const [only, ...others] = new Set(bound.map(({ value }) => value));
    // Of two values of one unit no word here tells which is asked for.
    if (only !== undefined) return others.length === 0 ? only : undefined;
  }
  return onlyNumber(evidence, slot, fits);
}

/** The only number of a sentence that holds the key's words, or of an item. */
function onlyNumber(
  evidence: Evidence,
  slot: Slot,
  fits: (value: number) => boolean,
): number | undefined {
  const about = sentencesHolding(evidence, meaning(slot)).map(({ text }) => text);
  const alone = evidence.of === "item" ? [evidence.text] : [];
  for (const text of [...about, ...alone]) {
    evidence.budget.spend(text.length);
    const [only, ...others] = numbersIn(text).filter(({ value }) => fits(value));
    if (only !== undefined && others.length === 0) return only.value;
  }
  return undefined;
}

function fitting(node: SchemaNode, whole: boolean): (value: number) => boolean {
  const least = Math.max(
    numberOf(node["minimum"], -Infinity),
    numberOf(node["exclusiveMinimum"], -Infinity),
  );
  const most = Math.min(
    numberOf(node["maximum"], Infinity),
    numberOf(node["exclusiveMaximum"], Infinity),
  );
  return (value) => {
    const step = numberOf(node["multipleOf"], 0);
    const stepped = step === 0 || Number.isInteger(value / step);
    const inside = value >= least && value <= most;
    const open = value !== node["exclusiveMinimum"] && value !== node["exclusiveMaximum"];
    return stepped && inside && open && (!whole || Number.isInteger(value));
  };
}

/** Characters after a number in which its unit is looked for. */
const UNIT_REACH = 60;
/** `26 paid working days`: the unit is among the first words after the number. */
const UNIT_WORDS = 3;
const MONEY = /^[-−\d.,'\u00A0\u202F]+\s?(?:[€$£]|(?:EUR|USD|GBP|CHF)\b)/;

/** Whether the number with which a text begins counts one of the units. */
function hasUnit(from: string, units: Set<string>, isMoney: boolean): boolean {
  if (isMoney && MONEY.test(from)) return true;
  const after = from.slice(0, UNIT_REACH).split(/[.;:!?()]\s/)[0] ?? "";
  // A compound number is one or two words itself.
  const [, ...next] = stemsOf(after.replace(/^[-−]?[\d.,'\u00A0\u202F]+(?=\d)\d/, "0"));
  return next.slice(0, UNIT_WORDS).some((stem) => units.has(stem));
}

const NEGATION =
  /\b(not|no|never|none|without|cannot|neither|nor|nicht|kein\w*|nie|ohne|false)\b|n['’]t\b/i;

/** Undefined: no sentence holds all of the key's words. */
export function fillBoolean(evidence: Evidence, slot: Slot): boolean | undefined {
  const labelled = labelledAs(evidence, slot.key);
  if (labelled !== null) return !/^\W*(no|false|off|nein|n)\b/i.test(labelled);
  const [about] = sentencesHolding(evidence, meaning(slot));
  return about === undefined ? undefined : !NEGATION.test(about.text);
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
  const { node, key } = slot;
  const labelled = labelledAs(evidence, key);
  const format = FORMATS.get(textOf(node["format"]));
  const about = sentencesHolding(evidence, meaning(slot)).map(({ text }) => text);
  if (format !== undefined) {
    return boundValue(evidence, slot, format, [labelled, ...about]);
  }
  const whole = evidence.of === "passages" ? [] : [evidence.text];
  const pattern = textOf(node["pattern"]);
  if (pattern !== "") {
    const texts = [labelled, evidence.quote, ...about, ...whole].filter((text) => text !== null);
    return matching(texts, pattern, evidence.budget);
  }
  if (labelled !== null) return trimEnd(labelled, `.;,${BLANKS}`);
  if (isProse(slot)) return evidence.said ?? undefined;
  if (!keyWords(slot).some((word) => NAMED.has(word))) return undefined;
  if (evidence.of === "item") return onlyName(evidence.text)?.name;
  return about.map((text) => nameOf(text, meaning(slot).flatMap(stemsOf))).find(Boolean);
}

/** Whether a property asks for words rather than for one value. */
export function isProse({ key, node }: Slot): boolean {
  const told = tellingWords(`${textOf(node["title"])} ${textOf(node["description"])}`);
  const named = tellingWords(wordsOfKey(key));
  const last = named.at(-1);
  return last === undefined || PROSE.has(last) || told.some((word) => DESCRIBED.has(word));
}

const DESCRIBED = words("sentence sentences summary explanation quotation quote words");

type Finder = (text: string) => FoundValue<string>[];

/** The one value of a format in the first text that has any; in the answer it must be alone. */
function boundValue(
  evidence: Evidence,
  slot: Slot,
  find: Finder,
  texts: (string | null)[],
): string | undefined {
  for (const text of texts) {
    if (text === null) continue;
    evidence.budget.spend(text.length);
    const [only, ...others] = new Set(find(text).map(({ value }) => value));
    if (only !== undefined && others.length === 0) return only;
  }
  if (meaning(slot).length > 0 && evidence.of === "passages") return undefined;
  const rest = evidence.of === "passages" ? evidence.quote : evidence.text;
  evidence.budget.spend(rest?.length ?? 0);
  const [only, ...others] = new Set(find(rest ?? "").map(({ value }) => value));
  return others.length === 0 ? only : undefined;
}

const NAME = /\p{Lu}[\p{Ll}’'-]+(?: (?:van|von|de|der|den|\p{Lu}\.))*(?: \p{Lu}[\p{Ll}’'-]+)+/gu;

/** The only name of a person or thing in a text. */
function onlyName(text: string): { name: string; at: number } | null {
  const found = [...text.matchAll(NAME)];
  const [first] = found;
  const names = new Set(found.map(([name]) => name));
  return first === undefined || names.size > 1 ? null : { name: first[0], at: first.index };
}

/** Between a role and the name of whoever has it. */
const APPOSITION = /^[\s,:(–—-]*(?:(?:is|are|was|the|our|a|an|ist|der|die|unser|unsere)\s+)*$/i;

/** Characters before a name in which its role is looked for. */
const LOOKED_BACK = 100;

/** The word before a place in the text; "is" or "was" between them does not count. */
function wordBefore(text: string, at: number): string {
  const words = text.slice(Math.max(0, at - LOOKED_BACK), at).match(/[\p{L}\p{N}]+/gu) ?? [];
  const isLinked = /^(?:is|ist|was)$/.test(words.at(-1) ?? "");
  return words.at(isLinked ? -2 : -1) ?? "";
}

/** The only name in a sentence, where the wanted words stand right before or after it. */
function nameOf(text: string, wanted: string[]): string | undefined {
  const found = onlyName(text);
  if (found === null) return undefined;
  const { name, at } = found;
  const isRole = (word: string) => stemsOf(word).some((stem) => wanted.includes(stem));
  const after = /^(.{0,40}?)([\p{L}\p{N}-]+)(?=[\s.,;:)]|$)/u;
  if (isRole(wordBefore(text, at))) return name;
  let rest = text.slice(at + name.length);
  let between = "";
  for (let word = 0; word < APPOSITION_WORDS; word++) {
    const next = after.exec(rest);
    if (next === null) return undefined;
    between += next[1] ?? "";
    if (isRole(next[2] ?? "")) return APPOSITION.test(between) ? name : undefined;
    between += next[2] ?? "";
    rest = rest.slice(next[0].length);
  }
  return undefined;
}

const APPOSITION_WORDS = 4;

/** The first word or run of words that the pattern accepts as a whole. */
function matching(texts: string[], source: string, budget: Budget): string | undefined {
  const pattern = linearPattern(source);
  if (!pattern.ok) return undefined;
  for (const text of texts) {
    budget.spend(text.length >>> 2);
    const split = text.split(/[\s,;()"“”]+/u).map((word) => trimEnd(word, ".:!?"));
    const found = split.find((word) => word !== "" && pattern.test(word, budget));
    if (found !== undefined) return found;
  }
  return undefined;
}
