import { evidenceWithin, labelledAs, wordsOfKey } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { isOfLength, isProse, optionsNamed } from "./fill-scalars.ts";
import type { Slot } from "./fill-scalars.ts";
import { listOf, typeOf } from "./schema.ts";
import { stemsOf } from "./stems.ts";
import { numbersIn } from "./values.ts";

export const MAX_ITEMS = 100;

/**
 * The members of a list that the text names: options, numbers, a labelled list, items or rows.
 * @param fillOne fills the item's schema from a part; undefined where the part is no member.
 */
export function membersOf(
  item: Slot,
  evidence: Evidence,
  fillOne: (part: Evidence) => unknown,
): unknown[] {
  const options = listOf(item.node["enum"]);
  if (options.length > 0) return optionsNamed(options, evidence.text, evidence.budget);
  const type = typeOf(item.node);
  if (type === "integer" || type === "number") {
    const values = numbersIn(labelledAs(evidence, item.key) ?? "").map(({ value }) => value);
    return type === "integer" ? values.filter(Number.isInteger) : values;
  }
  if (type === "string" && !("format" in item.node) && !("pattern" in item.node)) {
    return textsOf(item, evidence).filter((one) => isOfLength(one, item.node));
  }
  return evidence.members.slice(0, MAX_ITEMS).flatMap((part) => {
    const value = fillOne(evidenceWithin(part, evidence));
    return value === undefined ? [] : [value];
  });
}

/** A labelled list; the items below words that name the property; or the answer in words. */
function textsOf(item: Slot, evidence: Evidence): string[] {
  const { members, named, said } = evidence;
  const labelled = labelledAs(evidence, item.key);
  if (labelled !== null) return partsOf(labelled);
  const isNamed = stemsOf(wordsOfKey(item.key)).every((stem) => named.has(stem));
  if (members.length > 0 && (isNamed || isProse(item))) return members;
  return isProse(item) && said !== null ? [said] : [];
}

/** `desk, chair and lamp.` */
const partsOf = (labelled: string): string[] =>
  labelled
    .split(/[,;]|\s(?:and|und|&)\s/)
    .map((part) => part.trim().replace(/\.$/, ""))
    .filter(Boolean);
