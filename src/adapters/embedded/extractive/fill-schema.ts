import { isObject } from "../../../core/is-object.ts";
import { resolvePointer } from "../../../core/json-pointer.ts";
import { BLANKS, trimEnd } from "../../../core/trim.ts";
import { ModelFailure } from "../../../ports/models.ts";
import { splitSentences } from "../../../text/sentences.ts";
import { tellingWords } from "../../../text/telling-words.ts";
import { evidenceOf, FORMATS, numbersIn, type Evidence } from "./evidence.ts";
import { NEGATION, stemsOf } from "./question.ts";

/** About a second; a property costs a step for each word of the text, and some more. */
const MAX_STEPS = 6_000_000;
const STEPS_PER_SCHEMA = 100;
const CHARACTERS_PER_WORD = 6;
const MAX_DEPTH = 13;
const MAX_ITEMS = 100;
const SHOWN_CHARACTERS = 100;

/** The keywords of a JSON Schema that are read; a schema may be `true` (anything) or `false`. */
type SchemaNode = { [keyword: string]: unknown };

export const asNode = (value: unknown): SchemaNode => (isObject(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

type Slot = ReturnType<typeof slotOf>;

/** Required properties without a value are null or the default. @throws ModelFailure */
export function fillSchema(schema: unknown, evidence: Evidence): unknown {
  const filling = new FillState(asNode(schema));
  const value = filling.fill("", schema, evidence, true);
  if (value !== undefined) return value;
  const key = filling.missing.slice(0, SHOWN_CHARACTERS);
  throw new ModelFailure(
    `embedded/extractive is no language model and found no sentence that gives a value${key && ` for ${JSON.stringify(key)}`}: allow null, or name a language model`,
  );
}

class FillState {
  /** The required property that no sentence gives. */
  missing = "";
  #depth = 0;
  #steps = 0;
  readonly #root: SchemaNode;

  constructor(root: SchemaNode) {
    this.#root = root;
  }

  /** Undefined: the text holds no value, and a required one may be neither null nor a default. */
  fill(key: string, schema: unknown, evidence: Evidence, isRequired: boolean): unknown {
    const { text, said: statement } = evidence;
    this.#spend(key.length + (text.length + (statement?.length ?? 0)) / CHARACTERS_PER_WORD);
    const slot = slotOf(key, this.#resolve(schema));
    this.#depth += 1;
    const filling = "const" in slot.node ? slot.node["const"] : this.#find(slot, evidence);
    this.#depth -= 1;
    const value = filling === undefined && isRequired ? valueWithout(slot) : filling;
    if (value === undefined) this.missing = isRequired ? this.missing || key : "";
    return value;
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps <= MAX_STEPS) return;
    throw new ModelFailure("filling the JSON Schema takes embedded/extractive too many steps");
  }

  #find(slot: Slot, evidence: Evidence): unknown {
    if (this.#depth > MAX_DEPTH) return undefined;
    if (slot.kind === "object") return this.#object(slot, evidence);
    return slot.kind === "array" ? this.#list(slot, evidence) : valueFor(evidence, slot);
  }

  #object({ node }: Slot, evidence: Evidence): SchemaNode | undefined {
    const properties = asNode(node["properties"]);
    const required = new Set(listOf(node["required"]).map(String));
    const filled: SchemaNode = {};
    for (const key of new Set([...Object.keys(properties), ...required])) {
      const value = this.fill(key, properties[key], evidence, required.has(key));
      if (value !== undefined) filled[key] = value;
      else if (required.has(key)) return undefined;
    }
    return filled;
  }

  #list({ key, node }: Slot, evidence: Evidence): unknown[] | undefined {
    const item = slotOf(key, this.#resolve(node["items"]));
    const filled = partsFor(item, evidence).map((part) =>
      // A member is about what the list is about.
      item.kind === "string" ? part : this.fill(key, item.node, evidenceOf(part, part, key), false),
    );
    const items = filled.filter((item) => item !== undefined);
    return items.length < Number(node["minItems"] ?? 1) ? undefined : items;
  }

  /** The schema that applies: references followed, `allOf` merged, the first useful branch taken. */
  #resolve(schema: unknown, depth = 0): SchemaNode {
    this.#spend(STEPS_PER_SCHEMA);
    const { $ref, allOf, anyOf, oneOf, ...own } = asNode(schema);
    const branches = [...listOf(anyOf), ...listOf(oneOf)].map(asNode);
    const branch = branches.find(({ type }) => type !== "null");
    const parts = [resolvePointer(this.#root, String($ref)), ...listOf(allOf), branch].filter(
      isObject,
    );
    const node = (depth < MAX_DEPTH ? parts : []).reduce<SchemaNode>((whole, part) => {
      const node = mergeNodes(whole, this.#resolve(part, depth + 1));
      this.#spend(Object.keys(asNode(node["properties"])).length);
      return node;
    }, own);
    const mayBeNull = branches.some(({ type }) => type === "null");
    return mayBeNull ? { ...node, type: [node["type"], "null"].flat() } : node;
  }
}

function mergeNodes(a: SchemaNode, b: SchemaNode): SchemaNode {
  const properties = { ...asNode(a["properties"]), ...asNode(b["properties"]) };
  const required = [...listOf(a["required"]), ...listOf(b["required"])];
  return { ...b, ...a, properties, required };
}

/**
 * A value that the schema admits where nothing is known: no items, null, the default; or
 * undefined.
 */
function valueWithout({ kind, node }: Slot): unknown {
  if (kind === "array" && (node["minItems"] ?? 0) === 0) return [];
  const options = [node["type"], node["enum"]].flat();
  const isFree = options.every((option) => option === undefined) && !("default" in node);
  return isFree || options.includes("null") || options.includes(null) ? null : node["default"];
}

/** A labelled list; the items below words that name the property; or the answer in words. */
function partsFor(item: Slot, evidence: Evidence): string[] {
  const { members, said: statement } = evidence;
  // `desk, chair and lamp.`
  const parts = labelledValueOf(evidence, item).split(/[,;]|\s(?:and|und|&)\s/);
  const labelled = parts.map((part) => trimEnd(part.trim(), ".")).filter(Boolean);
  if (labelled.length > 0) return labelled;
  if (members.length === 0) return item.isProse && statement !== null ? [statement] : [];
  const isTold = item.kind === "object" || item.isProse || isAbout(evidence, item);
  return isTold ? members.slice(0, MAX_ITEMS) : [];
}

/** Properties that ask for the answer in words: a quotation fills them. */
const PROSE =
  /^(?:answers?|text|summary|description|reason|explanation|quot(?:e|ation)|sentences?|response|reply|result|statement|content|details|note|message|antwort|begrundung|beschreibung|items?|steps?|instructions|points)$/;
/** Words of a property that say no more than that a value is wanted. */
const GENERIC = /^(?:number|count|quantity|value|result|answer|date|e?mail|contact|ur[il]|link)$/;

/** A property; `isProse`: it asks for words rather than for one value. */
function slotOf(key: string, node: SchemaNode) {
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
  const kind = [node["type"] ?? implied].flat().find((type) => type !== "null");
  if (typeof kind !== "string") return "";
  return kind === "string" && "format" in node ? "format" : kind;
}

/** The value that the text labels with the property's name; empty: there is none, or several. */
function labelledValueOf({ labelled }: Evidence, { name }: Slot): string {
  const within = labelled.filter(
    ({ stems }) => isWithin(stems, name) || (name.length > 0 && isWithin(name, stems)),
  );
  const exact = within.filter(({ stems }) => stems.length === name.length);
  const values = new Set((exact.length > 0 ? exact : within).map(({ value }) => value));
  return values.size === 1 ? [...values].join("") : "";
}

const isWithin = (some: string[], all: string[]) => some.every((stem) => all.includes(stem));

/** The only value of the property's kind and unit; undefined where there is none, or several. */
function valueFor(evidence: Evidence, slot: Slot): unknown {
  const labelled = labelledValueOf(evidence, slot);
  const candidates = labelled === "" ? guessValues(evidence, slot) : candidatesIn(labelled, slot);
  const [value, ...rest] = new Set(candidates.filter((candidate) => inRange(candidate, slot.node)));
  const isWrong = slot.kind === "integer" ? !Number.isInteger(value) : Number.isNaN(value);
  return rest.length > 0 || isWrong ? undefined : value;
}

const YES_OR_NO = /^\W*(?:(yes|true|on|ja|y)|no|false|off|nein|n)\b/i;

/** Values of a kind in a text, or in a label's value; NaN is a value that cannot be read. */
function candidatesIn(text: string, { kind, node }: Slot): unknown[] {
  if (kind === "enum") return splitSentences(text).flatMap((sentence) => optionsIn(sentence, node));
  if (kind === "format") return FORMATS.get(node["format"])?.(text) ?? [];
  if (isNumeric(kind)) return numbersIn(text).flatMap(({ value }) => value ?? []);
  if (kind === "boolean") return (YES_OR_NO.exec(text) ?? []).slice(1).map(Boolean);
  return kind === "string" ? [trimEnd(text, `.;,${BLANKS}`)].filter(Boolean) : [];
}

const isNumeric = (kind: string) => kind === "integer" || kind === "number";

function guessValues(evidence: Evidence, slot: Slot): unknown[] {
  const { kind, node, meaning, isProse } = slot;
  if (isNumeric(kind) && meaning.length > 0) return findCounts(evidence, slot);
  if (kind === "format" && !isAbout(evidence, slot)) return [];
  if (kind !== "string") return kind === "boolean" ? [] : candidatesIn(evidence.text, slot);
  return isProse && !("pattern" in node) && evidence.said !== null ? [evidence.said] : [];
}

/** Whether the text or what stands above it is about the property. */
const isAbout = ({ stems }: Evidence, { meaning }: Slot): boolean =>
  meaning.every((stem) => stems.has(stem));

/** The options whose words all stand in a sentence; beside a "not", some that is none. */
function optionsIn(sentence: string, node: SchemaNode): unknown[] {
  const stems = new Set(stemsOf(sentence));
  const matches = listOf(node["enum"]).filter((option) => {
    const optionStems = isObject(option) || option === null ? [] : stemsOf(JSON.stringify(option));
    return optionStems.length > 0 && optionStems.every((stem) => stems.has(stem));
  });
  return matches.length > 0 && NEGATION.test(sentence) ? [...matches, NaN] : matches;
}

/** Numbers before the property's unit, and those before none, which may count the same. */
function findCounts({ numbers, stems }: Evidence, { meaning }: Slot): number[] {
  const bound = numbers.filter(
    ({ units }) =>
      meaning.some((stem) => units.includes(stem)) &&
      meaning.every((stem) => stems.has(stem) || units.includes(stem)),
  );
  // `one month for the employee and two for the employer`
  const bare = bound.length > 0 ? numbers.filter(({ isBare }) => isBare) : [];
  return [...bound, ...bare].map(({ value = NaN }) => value);
}

/** Words are never cut or padded to fit: half a sentence is no quotation. */
function inRange(value: unknown, { minimum, maximum, minLength, maxLength }: SchemaNode): boolean {
  const size = typeof value === "string" ? [...value].length : Number(value);
  return !(size < Number(minimum ?? minLength)) && !(size > Number(maximum ?? maxLength));
}
