import { evidenceWithin, labelledAs } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { fillBoolean, fillEnum, fillNumber, fillString } from "./fill-scalars.ts";
import type { Slot } from "./fill-scalars.ts";
import { admitsNull, asNode, listOf, numberOf, resolved, textOf, typeOf } from "./schema.ts";
import type { SchemaNode } from "./schema.ts";
import { stemsOf } from "./sentences.ts";
import { FORMATS, numbersIn } from "./values.ts";

const DEEPEST = 12;
const MOST_ITEMS = 5;
const STEPS_PER_SLOT = 50;

/**
 * Fills a JSON Schema from the text: labelled values first, then sentences that mention a
 * property, then defaults of the schema. Optional properties without evidence are left out.
 */
export function fillSchema(schema: unknown, evidence: Evidence): unknown {
  const root = asNode(schema);
  const node = resolved(root, root, evidence.budget);
  return fill({ key: "", node }, { root, evidence, depth: 0 }, true);
}

type Filling = { root: SchemaNode; evidence: Evidence; depth: number };

/**
 * Undefined only where the slot is not `required` and the text holds no value.
 * @throws BudgetSpent
 */
function fill(slot: Slot, filling: Filling, required: boolean): unknown {
  const { budget } = filling.evidence;
  budget.spend(STEPS_PER_SLOT);
  const { node } = slot;
  const options = listOf(node["enum"]);
  const found =
    "const" in node
      ? node["const"]
      : options.length > 0
        ? fillEnum(filling.evidence, slot, options)
        : fillOfType(slot, filling, required);
  const value = found === undefined ? unfounded(node, options, required) : found;
  // The members of objects and arrays are already counted, unless the schema itself gives the
  // value.
  const isGiven = found === undefined || "const" in node || options.length > 0;
  if (typeof value === "string") budget.spend(value.length);
  else if (isGiven && typeof value === "object") budget.spend(JSON.stringify(value).length);
  return value;
}

/** The schema's own default where the text holds no value. */
function unfounded(node: SchemaNode, options: unknown[], required: boolean): unknown {
  if ("default" in node) return node["default"];
  if (!required) return undefined;
  if (options.length > 0) return options[0];
  return admitsNull(node) ? null : standIn(node);
}

function fillOfType(slot: Slot, filling: Filling, required: boolean): unknown {
  const { evidence } = filling;
  switch (typeOf(slot.node)) {
    case "object":
      return filling.depth < DEEPEST ? fillObject(slot, filling) : required ? {} : undefined;
    case "array":
      return filling.depth < DEEPEST ? fillArray(slot, filling) : required ? [] : undefined;
    case "integer":
      return fillNumber(evidence, slot, true);
    case "number":
      return fillNumber(evidence, slot, false);
    case "boolean":
      return fillBoolean(evidence, slot);
    case "null":
      return null;
    default: {
      const text = fillString(evidence, slot);
      return text === undefined ? undefined : withinLength(text, slot.node);
    }
  }
}

/** The smallest value that the schema accepts, where the text holds none. */
function standIn(node: SchemaNode): unknown {
  switch (typeOf(node)) {
    case "integer":
    case "number":
      return leastNumber(node);
    case "boolean":
      return false;
    default:
      return withinLength(FORMATS[textOf(node["format"])]?.otherwise ?? "unknown", node);
  }
}

function leastNumber(node: SchemaNode): number {
  const step = numberOf(node["multipleOf"], 1);
  const above = numberOf(node["exclusiveMinimum"], -Infinity);
  const least = Math.max(numberOf(node["minimum"], -Infinity), above + step);
  if (least > 0) return Math.ceil(least / step) * step;
  const below = numberOf(node["exclusiveMaximum"], Infinity);
  const most = Math.min(numberOf(node["maximum"], Infinity), below - step);
  return most < 0 ? Math.floor(most / step) * step : 0;
}

/** Bounds the output that a caller's schema can cause; a larger answer fails its check. */
const MOST_PADDING = 10_000;
const MOST_STAND_INS = 1_000;

function withinLength(text: string, node: SchemaNode): string {
  const cut = [...text].slice(0, numberOf(node["maxLength"], Infinity)).join("");
  return cut.padEnd(Math.min(numberOf(node["minLength"], 0), MOST_PADDING), ".");
}

function fillObject({ node }: Slot, filling: Filling): Record<string, unknown> {
  const required = new Set(listOf(node["required"]));
  const filled: Record<string, unknown> = {};
  const inside = { ...filling, depth: filling.depth + 1 };
  for (const [key, property] of Object.entries(asNode(node["properties"]))) {
    if (property === false) continue;
    const slot = { key, node: resolved(property, filling.root, filling.evidence.budget) };
    const value = fill(slot, inside, required.has(key));
    if (value !== undefined) filled[key] = value;
  }
  for (const key of required) {
    if (typeof key === "string" && !Object.hasOwn(filled, key)) {
      filled[key] = fill({ key, node: {} }, inside, true);
    }
  }
  return filled;
}

function fillArray(slot: Slot, filling: Filling): unknown[] {
  const { node } = slot;
  const inside = { ...filling, depth: filling.depth + 1 };
  const fixed = listOf(node["prefixItems"]).map((item) =>
    fill(
      { key: slot.key, node: resolved(item, filling.root, filling.evidence.budget) },
      inside,
      true,
    ),
  );
  const item = {
    key: slot.key,
    node: resolved(node["items"], filling.root, filling.evidence.budget),
  };
  const most = numberOf(node["maxItems"], Math.max(MOST_ITEMS, numberOf(node["minItems"], 0)));
  const items =
    node["items"] === false || (fixed.length > 0 && !("items" in node))
      ? []
      : membersOf(item, inside);
  const unique = node["uniqueItems"] === true ? distinct(items) : items;
  const all = [...fixed, ...unique].slice(0, most);
  const least = Math.min(numberOf(node["minItems"], 0), MOST_STAND_INS);
  for (let at = all.length; at < least; at++) {
    all.push(fill(item, inside, true) ?? standIn(item.node));
  }
  return all;
}

const distinct = (items: unknown[]) => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
];

/** The members that the text names: options, numbers, a labelled list, rows or sentences. */
function membersOf(item: Slot, filling: Filling): unknown[] {
  const { evidence } = filling;
  const options = listOf(item.node["enum"]);
  if (options.length > 0) {
    const stems = new Set(stemsOf(evidence.text));
    return options.filter((option) => stemsOf(String(option)).every((stem) => stems.has(stem)));
  }
  const labelled = labelledAs(evidence, item.key);
  const parts = (labelled?.split(/[,;]|\s(?:and|und|&)\s/) ?? [])
    .map((part) => part.trim())
    .filter(Boolean);
  const type = typeOf(item.node);
  if (type === "integer" || type === "number") {
    const text = labelled ?? evidence.answer.map((one) => one.text).join(" ");
    const values = numbersIn(text).map(({ value }) => value);
    return type === "integer" ? values.filter(Number.isInteger) : values;
  }
  if (type === "string" && parts.length > 0) {
    return parts.map((part) => withinLength(part.replace(/\.$/, ""), item.node));
  }
  const segments = parts.length > 0 ? parts : segmentsOf(evidence);
  return segments
    .slice(0, MOST_ITEMS)
    .map((text) =>
      fill(item, { ...filling, evidence: evidenceWithin(text, evidence.budget) }, true),
    );
}

/** List items of the text if it has any, otherwise the sentences of the answer. */
function segmentsOf({ text, answer }: Evidence): string[] {
  const listed = [...text.matchAll(/^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(\S.*)$/gm)].map(
    (found) => found[1] ?? "",
  );
  return listed.length > 1 ? listed : answer.map((one) => one.text);
}
