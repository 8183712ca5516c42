import type { Budget } from "../../../core/work/step-budget.ts";
import { evidenceWithin } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import {
  fillBoolean,
  fillEnum,
  fillNumber,
  fillString,
  isLedTo,
  isProse,
  labelledAs,
} from "./fill-scalars.ts";
import type { Slot } from "./fill-scalars.ts";
import { admitsNull, asNode, listOf, numberOf, resolved, typeOf } from "./schema.ts";
import type { SchemaNode } from "./schema.ts";

const DEEPEST = 12;
const MAX_ITEMS = 100;
const STEPS_PER_SLOT = 50;
/** Each sentence is looked through for each option. */
const SHORT_SENTENCE_CHARACTERS = 10;

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
export function fillSchema(schema: unknown, evidence: Evidence, budget: Budget): unknown {
  const root = asNode(schema);
  const slot = { key: "", node: resolved(root, root, budget) };
  return fill(slot, { root, evidence, budget, depth: 0 }, true);
}

type Filling = { root: SchemaNode; evidence: Evidence; budget: Budget; depth: number };

/** Undefined only where the slot is not `required` and the text holds no value. */
function fill(slot: Slot, filling: Filling, required: boolean): unknown {
  const { key, node } = slot;
  const { evidence, budget } = filling;
  budget.spend(STEPS_PER_SLOT + evidence.labelled.length);
  const found = "const" in node ? node["const"] : findValue(slot, filling, required);
  const value = found === undefined && required ? withoutEvidence(key, node) : found;
  // The members of objects and lists are counted, unless the schema itself gives the value.
  const isGiven = found === undefined || "const" in node;
  if (isGiven || typeof value === "string") budget.spend(JSON.stringify(value ?? null).length);
  return value;
}

/** @throws Unfilled */
function withoutEvidence(key: string, node: SchemaNode): unknown {
  if (admitsNull(node)) return null;
  if ("default" in node) return node["default"];
  throw new Unfilled(key);
}

function findValue(slot: Slot, filling: Filling, required: boolean): unknown {
  const { evidence, budget } = filling;
  const options = listOf(slot.node["enum"]);
  if (options.length > 0) {
    budget.spend(options.length * (1 + evidence.text.length / SHORT_SENTENCE_CHARACTERS));
    return fillEnum(evidence, slot, options);
  }
  const type = typeOf(slot.node);
  if (type === "object" || type === "array") return fillMembers(type, slot, filling, required);
  if (type === "boolean") return fillBoolean(evidence, slot);
  const isNumber = type === "integer" || type === "number";
  if (isNumber || "format" in slot.node) budget.spend(evidence.text.length);
  return isNumber ? fillNumber(evidence, slot, type === "integer") : fillString(evidence, slot);
}

function fillMembers(type: string, slot: Slot, filling: Filling, required: boolean): unknown {
  const isObject = type === "object";
  const inside = { ...filling, depth: filling.depth + 1 };
  if (inside.depth > DEEPEST) return required ? (isObject ? {} : []) : undefined;
  if (!isObject) return fillArray(slot, inside, required);
  return unlessUnfilled(() => fillObject(slot, inside), required);
}

/** An optional object or item of which a required property cannot be filled is left out. */
function unlessUnfilled(work: () => unknown, required: boolean): unknown {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof Unfilled && !required) return undefined;
    throw thrown;
  }
}

function fillObject({ node }: Slot, filling: Filling): Record<string, unknown> {
  const required = new Set(listOf(node["required"]));
  const filled: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(asNode(node["properties"]))) {
    if (property === false) continue;
    const slot = { key, node: resolved(property, filling.root, filling.budget) };
    const value = fill(slot, filling, required.has(key));
    if (value !== undefined) filled[key] = value;
  }
  for (const key of required) {
    if (typeof key === "string" && !Object.hasOwn(filled, key)) {
      filled[key] = fill({ key, node: {} }, filling, true);
    }
  }
  return filled;
}

function fillArray({ key, node }: Slot, filling: Filling, required: boolean): unknown {
  const { root, evidence, budget } = filling;
  const item = { key, node: resolved(node["items"], root, budget) };
  const isText =
    typeOf(item.node) === "string" && !("format" in item.node) && !("enum" in item.node);
  const parts = node["items"] === false ? [] : partsFor(item, evidence).slice(0, MAX_ITEMS);
  const items = isText
    ? parts
    : parts.flatMap((part) => {
        const within = { ...filling, evidence: evidenceWithin(part, evidence) };
        budget.spend(part.length);
        return unlessUnfilled(() => fill(item, within, false), false) ?? [];
      });
  if (items.length < numberOf(node["minItems"], required ? 0 : 1)) return undefined;
  return items;
}

/** A labelled list; the items below words that name the property; or the answer in words. */
function partsFor(item: Slot, evidence: Evidence): string[] {
  const { members, said } = evidence;
  const labelled = labelledAs(evidence, item);
  if (labelled !== null) return membersIn(labelled);
  const isNamed = typeOf(item.node) === "object" || isLedTo(evidence, item) || isProse(item);
  if (members.length > 0) return isNamed ? members : [];
  return isProse(item) && said !== null ? [said] : [];
}

/** `desk, chair and lamp.` */
const membersIn = (labelled: string): string[] =>
  labelled
    .split(/[,;]|\s(?:and|und|&)\s/)
    .map((part) => part.trim().replace(/\.$/, ""))
    .filter(Boolean);
