import { isObject } from "../../../core/is-object.ts";
import { referredTo } from "../../../core/json-pointer.ts";
import { trimEnd } from "../../../core/trim.ts";
import { Budget, BudgetSpent } from "../../../core/work/step-budget.ts";
import { ModelFailure } from "../../../ports/models.ts";
import {
  asNode,
  isAbout,
  labelledAs,
  listOf,
  slotOf,
  valueFor,
  type SchemaNode,
  type Slot,
} from "./candidates.ts";
import { evidenceOf, type Evidence } from "./evidence.ts";

/** About a second. */
const MAX_STEPS = 6_000_000;
const STEPS_PER_SCHEMA = 100;
const DEEPEST = 13;
const MAX_ITEMS = 100;
const MAX_REFERENCES = 16;
/** An option is looked for among the words of a text. */
const CHARACTERS_PER_WORD = 6;
const SHOWN_CHARACTERS = 100;

/**
 * Fills a JSON Schema with values that a sentence, a label or a row binds to their properties.
 * Elsewhere a required property is null or its default, and an optional one is left out.
 * @throws ModelFailure
 */
export function fillSchema(schema: unknown, evidence: Evidence): unknown {
  const filling = new Filling(asNode(schema));
  try {
    const value = filling.fill("", schema, evidence, true);
    if (value !== undefined) return value;
  } catch (thrown) {
    if (!(thrown instanceof BudgetSpent)) throw thrown;
    throw new ModelFailure("filling the JSON Schema takes embedded/extractive too many steps");
  }
  const key = filling.missing.slice(0, SHOWN_CHARACTERS);
  throw new ModelFailure(
    `embedded/extractive is no language model and found no sentence that gives a value${key && ` for ${JSON.stringify(key)}`}: allow null, or name a language model`,
  );
}

class Filling {
  /** The required property that no sentence gives. */
  missing = "";
  #depth = 0;
  readonly #budget = new Budget(MAX_STEPS);
  readonly #root: SchemaNode;

  constructor(root: SchemaNode) {
    this.#root = root;
  }

  /** Undefined: the text holds no value, and a required one may be neither null nor a default. */
  fill(key: string, schema: unknown, evidence: Evidence, isRequired: boolean): unknown {
    this.#budget.spend(key.length);
    const slot = slotOf(key, this.#resolved(schema));
    this.#depth += 1;
    const found = "const" in slot.node ? slot.node["const"] : this.#find(slot, evidence);
    this.#depth -= 1;
    const value = found === undefined && isRequired ? valueWithout(slot) : found;
    if (value !== undefined) this.#budget.spend(JSON.stringify(value).length);
    else this.missing = isRequired ? this.missing || key : "";
    return value;
  }

  #find(slot: Slot, evidence: Evidence): unknown {
    if (this.#depth > DEEPEST) return undefined;
    if (slot.kind === "object") return this.#object(slot, evidence);
    if (slot.kind === "array") return this.#list(slot, evidence);
    const { labelled, numbers, text } = evidence;
    const isRead = slot.kind === "enum" || slot.kind === "format";
    const words = isRead ? text.length / CHARACTERS_PER_WORD : 0;
    this.#budget.spend(labelled.length + numbers.length + words + listOf(slot.node["enum"]).length);
    return valueFor(evidence, slot);
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
    const item = slotOf(key, this.#resolved(node["items"]));
    const filled = partsFor(item, evidence).map((said) => {
      if (item.kind === "string") return said;
      this.#budget.spend(said.length);
      // A member is about what the list is about.
      return this.fill(key, item.node, evidenceOf(said, said, key), false);
    });
    const items = filled.filter((one) => one !== undefined);
    return items.length < Number(node["minItems"] ?? 1) ? undefined : items;
  }

  /** The schema that applies: references followed, `allOf` merged, the first useful branch taken. */
  #resolved(schema: unknown, depth = 0): SchemaNode {
    this.#budget.spend(STEPS_PER_SCHEMA);
    const { $ref, allOf, anyOf, oneOf, ...own } = asNode(schema);
    const branches = [...listOf(anyOf), ...listOf(oneOf)].map(asNode);
    const branch = branches.find(({ type }) => type !== "null");
    const parts = [referredTo(this.#root, String($ref)), ...listOf(allOf), branch].filter(isObject);
    const node = (depth < MAX_REFERENCES ? parts : []).reduce<SchemaNode>((one, part) => {
      const other = this.#resolved(part, depth + 1);
      this.#budget.spend(Object.keys(asNode(other["properties"])).length);
      return merged(one, other);
    }, own);
    const mayBeNull = branches.some(({ type }) => type === "null");
    return mayBeNull ? { ...node, type: [node["type"], "null"].flat() } : node;
  }
}

function merged(one: SchemaNode, other: SchemaNode): SchemaNode {
  const properties = { ...asNode(one["properties"]), ...asNode(other["properties"]) };
  const required = [...listOf(one["required"]), ...listOf(other["required"])];
  return { ...other, ...one, properties, required };
}

/** What the schema admits where nothing is known: no items, null, the default; or undefined. */
function valueWithout({ kind, node }: Slot): unknown {
  if (kind === "array" && (node["minItems"] ?? 0) === 0) return [];
  const allowed = [node["type"], node["enum"]].flat();
  const isFree = allowed.every((one) => one === undefined) && !("default" in node);
  return isFree || allowed.includes("null") || allowed.includes(null) ? null : node["default"];
}

/** A labelled list; the items below words that name the property; or the answer in words. */
function partsFor(item: Slot, evidence: Evidence): string[] {
  const { members, said } = evidence;
  const labelled = labelledAs(evidence, item);
  // `desk, chair and lamp.`
  const parts = labelled.split(/[,;]|\s(?:and|und|&)\s/);
  if (labelled !== "") return parts.map((part) => trimEnd(part.trim(), ".")).filter(Boolean);
  if (members.length === 0) return item.isProse && said !== null ? [said] : [];
  const isTold = item.kind === "object" || item.isProse || isAbout(evidence, item);
  return isTold ? members.slice(0, MAX_ITEMS) : [];
}
