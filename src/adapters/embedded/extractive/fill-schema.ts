import type { Evidence } from "./evidence.ts";
import { fillBoolean, fillEnum, fillNumber, fillString } from "./fill-scalars.ts";
import type { Slot } from "./fill-scalars.ts";
import { membersOf, MAX_ITEMS } from "./list-members.ts";
import { admitsNull, asNode, listOf, numberOf, resolved, typeOf } from "./schema.ts";
import type { SchemaNode } from "./schema.ts";

const DEEPEST = 12;
const STEPS_PER_SLOT = 50;

/** A required value that no sentence gives, where the schema allows neither null nor a default. */
export class Unfilled extends Error {
  override readonly name = "Unfilled";
  readonly key: string;

  constructor(key: string) {
    super("no sentence gives the value");
    this.key = key;
  }
}

/**
 * Fills a JSON Schema with values that a sentence, a label or a row binds to their properties.
 * Elsewhere a required property is null or its default, and an optional one is left out.
 * @throws Unfilled, BudgetSpent
 */
export function fillSchema(schema: unknown, evidence: Evidence): unknown {
  const root = asNode(schema);
  const node = resolved(root, root, evidence.budget);
  return fill({ key: "", node }, { root, evidence, depth: 0 }, true);
}

type Filling = { root: SchemaNode; evidence: Evidence; depth: number };

/**
 * Undefined only where the slot is not `required` and the text holds no value.
 * @throws Unfilled, BudgetSpent
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
  const value = found === undefined && required ? withoutEvidence(slot) : found;
  // The members of objects and arrays are already counted, unless the schema itself gives the
  // value.
  const isGiven = found === undefined || "const" in node || options.length > 0;
  if (typeof value === "string") budget.spend(value.length);
  else if (isGiven && typeof value === "object") budget.spend(JSON.stringify(value).length);
  return value;
}

/** @throws Unfilled */
function withoutEvidence({ key, node }: Slot): unknown {
  if (admitsNull(node)) return null;
  if ("default" in node) return node["default"];
  throw new Unfilled(key);
}

function fillOfType(slot: Slot, filling: Filling, required: boolean): unknown {
  const { evidence } = filling;
  const type = typeOf(slot.node);
  switch (type) {
    case "object":
    case "array":
      if (filling.depth >= DEEPEST) return required ? (type === "object" ? {} : []) : undefined;
      return type === "object"
        ? filledObject(slot, filling, required)
        : fillArray(slot, filling, required);
    case "integer":
    case "number":
      return fillNumber(evidence, slot, type === "integer");
    case "boolean":
      return fillBoolean(evidence, slot);
    case "null":
      return null;
    default:
      return fillString(evidence, slot);
  }
}

/** An optional object of which a required property cannot be filled is left out. */
function filledObject(slot: Slot, filling: Filling, required: boolean): unknown {
  try {
    return fillObject(slot, filling);
  } catch (thrown) {
    if (thrown instanceof Unfilled && (!required || admitsNull(slot.node))) return undefined;
    throw thrown;
  }
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

function fillArray(slot: Slot, filling: Filling, required: boolean): unknown[] | undefined {
  const { node, key } = slot;
  const { root, evidence } = filling;
  const inside = { ...filling, depth: filling.depth + 1 };
  const fixed = listOf(node["prefixItems"]).map((item) =>
    fill({ key, node: resolved(item, root, evidence.budget) }, inside, true),
  );
  const item = { key, node: resolved(node["items"], root, evidence.budget) };
  const most = numberOf(node["maxItems"], Math.max(MAX_ITEMS, numberOf(node["minItems"], 0)));
  const isClosed = node["items"] === false || (fixed.length > 0 && !("items" in node));
  const items = isClosed
    ? []
    : membersOf(item, evidence, (part) => fillOne(item, { ...inside, evidence: part }));
  const unique = node["uniqueItems"] === true ? distinct(items) : items;
  const all = [...fixed, ...unique].slice(0, most);
  if (all.length < numberOf(node["minItems"], 0)) return undefined;
  return all.length === 0 && !required ? undefined : all;
}

const distinct = (items: unknown[]) => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
];

/** An item of which a required property cannot be filled is no member. */
function fillOne(item: Slot, filling: Filling): unknown {
  try {
    return fill(item, filling, false);
  } catch (thrown) {
    if (thrown instanceof Unfilled) return undefined;
    throw thrown;
  }
}
