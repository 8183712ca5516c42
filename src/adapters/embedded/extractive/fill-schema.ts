import { trimEnd } from "../../../core/trim.ts";
import type { Budget } from "../../../core/work/step-budget.ts";
import { evidenceOf } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { isAbout, isProse, labelledAs, valueFor } from "./fill-scalars.ts";
import type { Slot } from "./fill-scalars.ts";
import { admitsNull, asNode, listOf, resolved, typeOf } from "./schema.ts";
import type { SchemaNode } from "./schema.ts";

const DEEPEST = 12;
const MAX_ITEMS = 100;
const STEPS_PER_SLOT = 50;
/** An option is looked for among the words of a text. */
const CHARACTERS_PER_WORD = 6;

/** A required value that no sentence gives, where the schema allows neither null nor a default. */
export class Unfilled extends Error {
  override readonly name = "Unfilled";
}

const SHOWN_CHARACTERS = 100;

/** What the caller can do about it is a part of the message. */
function unfilled(key: string): Unfilled {
  const of = key === "" ? "" : ` for ${JSON.stringify(key.slice(0, SHOWN_CHARACTERS))}`;
  return new Unfilled(
    `embedded/extractive is no language model and found no sentence that gives a value${of}: allow null, or name a language model`,
  );
}

type Filling = { root: SchemaNode; evidence: Evidence; budget: Budget; depth: number };

/**
 * Fills a JSON Schema with values that a sentence, a label or a row binds to their properties.
 * Elsewhere a required property is null or its default, and an optional one is left out.
 * @throws Unfilled, BudgetSpent
 */
export function fillSchema(schema: unknown, evidence: Evidence, budget: Budget): unknown {
  return fill("", schema, { root: asNode(schema), evidence, budget, depth: 0 }, true);
}

/** Undefined only where the value is not `required` and the text holds none. */
function fill(key: string, schema: unknown, filling: Filling, required: boolean): unknown {
  const node = resolved(schema, filling.root, filling.budget);
  const found = "const" in node ? node["const"] : findValue({ key, node }, filling, required);
  const value = found === undefined && required ? valueWithout(key, node) : found;
  // The members of objects and lists are counted, unless the schema itself gives the value.
  if (found !== undefined && !("const" in node) && typeof value === "object") return value;
  filling.budget.spend(JSON.stringify(value ?? null).length);
  return value;
}

/** @throws Unfilled */
function valueWithout(key: string, node: SchemaNode): unknown {
  if (admitsNull(node)) return null;
  if ("default" in node) return node["default"];
  throw unfilled(key);
}

function findValue(slot: Slot, filling: Filling, required: boolean): unknown {
  const { evidence, budget, depth } = filling;
  budget.spend(STEPS_PER_SLOT + evidence.labelled.length + evidence.numbers.length);
  const type = typeOf(slot.node);
  const options = listOf(slot.node["enum"]).length;
  if (options > 0 || (type !== "object" && type !== "array")) {
    const words = evidence.text.length / CHARACTERS_PER_WORD;
    if (options > 0 || "format" in slot.node) budget.spend(options + words);
    return valueFor(evidence, slot);
  }
  if (depth >= DEEPEST && !required) return undefined;
  const inside = { ...filling, depth: depth + 1 };
  if (type === "array") return depth >= DEEPEST ? [] : fillArray(slot, inside, required);
  return depth >= DEEPEST ? {} : unlessUnfilled(() => fillObject(slot, inside), required);
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
  const properties = asNode(node["properties"]);
  const required = new Set(listOf(node["required"]).filter((key) => typeof key === "string"));
  const filled: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(properties), ...required])) {
    if (properties[key] === false) continue;
    const value = fill(key, properties[key], filling, required.has(key));
    if (value !== undefined) filled[key] = value;
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
    : parts.flatMap((said) => {
        budget.spend(said.length);
        // A member is about what the list is about.
        const own = evidenceOf(said.replace(/;\s/g, "\n"), said, key);
        return (
          unlessUnfilled(() => fill(key, item.node, { ...filling, evidence: own }, false), false) ??
          []
        );
      });
  const minItems = node["minItems"] ?? (required ? 0 : 1);
  return typeof minItems === "number" && items.length < minItems ? undefined : items;
}

/** A labelled list; the items below words that name the property; or the answer in words. */
function partsFor(item: Slot, evidence: Evidence): string[] {
  const { members, said } = evidence;
  const labelled = labelledAs(evidence, item);
  // `desk, chair and lamp.`
  if (labelled !== null) {
    const parts = labelled.split(/[,;]|\s(?:and|und|&)\s/);
    return parts.map((part) => trimEnd(part.trim(), ".")).filter(Boolean);
  }
  if (members.length === 0) return isProse(item) && said !== null ? [said] : [];
  return typeOf(item.node) === "object" || isProse(item) || isAbout(evidence, item) ? members : [];
}
