import { isObject } from "../../../core/is-object.ts";
import { BLANKS, trimEnd } from "../../../core/trim.ts";
import { splitSentences } from "../../../text/sentences.ts";
import { tellingWords } from "../../../text/telling-words.ts";
import type { Evidence } from "./evidence.ts";
import { NEGATION, stemsOf } from "./question.ts";
import { FORMATS, numbersIn } from "./values.ts";

/** The keywords of a JSON Schema that are read; a schema may be `true` (anything) or `false`. */
export type SchemaNode = { [keyword: string]: unknown };

export const asNode = (value: unknown): SchemaNode => (isObject(value) ? value : {});
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export type Slot = ReturnType<typeof slotOf>;

/** Properties that ask for the answer in words: a quotation fills them. */
const PROSE =
  /^(?:answers?|text|summary|description|reason|explanation|quot(?:e|ation)|sentences?|response|reply|result|statement|content|details|note|message|antwort|begrundung|beschreibung|items?|steps?|instructions|points)$/;
/** Words of a property that say no more than that a value is asked for. */
const GENERIC = /^(?:number|count|quantity|value|result|answer|date|e?mail|contact|ur[il]|link)$/;

/** A property; `isProse`: it asks for words rather than for one value. */
export function slotOf(key: string, node: SchemaNode) {
  // `invoiceNumber`, `invoice_number` → `invoice number`
  const words = key.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2").replace(/[_\-.]+/g, " ");
  const telling = tellingWords(words);
  return {
    key,
    node,
    kind: kindOf(node),
    name: stemsOf(words),
    /** Stems that say which value is meant, beyond that it is one. */
    meaning: telling.filter((word) => !GENERIC.test(word)).flatMap(stemsOf),
    isProse: PROSE.test(telling.at(-1) ?? "text"),
  };
}

/** Whether a value is one of a few, has a format, or which type it has. */
function kindOf(node: SchemaNode): string {
  if (listOf(node["enum"]).length > 0) return "enum";
  const hasProperties = Object.keys(asNode(node["properties"])).length > 0;
  const implied = hasProperties ? "object" : "items" in node ? "array" : "string";
  const kind = [node["type"] ?? implied].flat().find((one) => one !== "null");
  if (kind === "string" && "format" in node) return "format";
  return typeof kind === "string" ? kind : "null";
}

/** Whether the text or what stands above it is about the property. */
export const isAbout = ({ stems }: Evidence, { meaning }: Slot): boolean =>
  meaning.every((stem) => stems.has(stem));

const LABEL_MIN_SHARE = 0.49;

/** The value that the text labels with the property's name; empty: there is none, or several. */
export function labelledAs({ labelled }: Evidence, { name }: Slot): string {
  const shares = labelled.map(({ stems }) => {
    const shared = name.filter((stem) => stems.includes(stem)).length;
    return (2 * shared) / (name.length + stems.length);
  });
  const most = shares.reduce((a, b) => Math.max(a, b), LABEL_MIN_SHARE);
  return theOnly(labelled.filter((_, at) => shares[at] === most).map(({ value }) => value)) ?? "";
}

function theOnly<T>(values: T[]): T | undefined {
  const [only, ...others] = new Set(values);
  return others.length === 0 ? only : undefined;
}

/** The only value of the property's kind and unit; undefined where there is none, or several. */
export function valueFor(evidence: Evidence, slot: Slot): unknown {
  const labelled = candidatesIn(labelledAs(evidence, slot), slot);
  const found = labelled.length > 0 ? labelled : unlabelled(evidence, slot);
  const value = theOnly(found.filter((one) => fits(one, slot.node)));
  const isWrong = slot.kind === "integer" ? !Number.isInteger(value) : Number.isNaN(value);
  return isWrong ? undefined : value;
}

/** The values of a property's kind; NaN is one that is not read. */
function candidatesIn(text: string, { kind, node }: Slot): unknown[] {
  if (kind === "enum") return splitSentences(text).flatMap((one) => namedIn(one, node));
  if (kind === "format") return FORMATS.get(node["format"])?.(text) ?? [];
  if (isNumeric(kind)) return numbersIn(text).map(({ value }) => value);
  if (kind === "string") return [trimEnd(text, `.;,${BLANKS}`)].filter(Boolean);
  const said = kind === "boolean" ? YES_OR_NO.exec(text) : null;
  return said === null ? [] : [said[1] !== undefined];
}

const isNumeric = (kind: string) => kind === "integer" || kind === "number";
const YES_OR_NO = /^\W*(?:(yes|true|on|ja|y)|no|false|off|nein|n)\b/i;

/** The options whose words all stand in a sentence; beside a "not", some that is none. */
function namedIn(sentence: string, node: SchemaNode): unknown[] {
  const stems = new Set(stemsOf(sentence));
  const named = listOf(node["enum"]).filter((option) => {
    const isNamed = typeof option === "string" || typeof option === "number";
    const wanted = isNamed ? stemsOf(String(option)) : [];
    return wanted.length > 0 && wanted.every((stem) => stems.has(stem));
  });
  return named.length > 0 && NEGATION.test(sentence) ? [...named, NaN] : named;
}

function unlabelled(evidence: Evidence, slot: Slot): unknown[] {
  const { kind, node, meaning, isProse } = slot;
  if (isNumeric(kind) && meaning.length > 0) return countedFor(evidence, slot);
  if (kind === "format" && !isAbout(evidence, slot)) return [];
  if (kind !== "string") return kind === "boolean" ? [] : candidatesIn(evidence.text, slot);
  return isProse && !("pattern" in node) && evidence.said !== null ? [evidence.said] : [];
}

/** Numbers before the property's unit, and those before none, which may count the same. */
function countedFor({ numbers, stems }: Evidence, { meaning }: Slot): unknown[] {
  const bound = numbers.filter(
    ({ units }) =>
      meaning.some((stem) => units.includes(stem)) &&
      meaning.every((stem) => stems.has(stem) || units.includes(stem)),
  );
  // `one month for the employee and two for the employer`
  const isRead = bound.some(({ value }) => !Number.isNaN(value));
  const taken = isRead ? [...bound, ...numbers.filter(({ isBare }) => isBare)] : [];
  return taken.map(({ value }) => value);
}

/** Words are never cut or padded to fit: half a sentence is no quotation. */
function fits(value: unknown, { minimum, maximum, minLength, maxLength }: SchemaNode): boolean {
  const size = typeof value === "string" ? [...value].length : Number(value);
  return !(size < Number(minimum ?? minLength)) && !(size > Number(maximum ?? maxLength));
}
