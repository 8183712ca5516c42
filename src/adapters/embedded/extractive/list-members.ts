import { evidenceWithin, labelledAs, wordsOfKey } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { isOfLength, isProse, textOfOption } from "./fill-scalars.ts";
import type { Slot } from "./fill-scalars.ts";
import { listOf, typeOf } from "./schema.ts";
import { stemsOf } from "./stems.ts";
import { numbersIn } from "./values.ts";

export const MAX_ITEMS = 5;

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
  if (options.length > 0) return optionsNamed(options, evidence);
  const labelled = labelledAs(evidence, item.key);
  const type = typeOf(item.node);
  if (type === "integer" || type === "number") {
    const values = numbersIn(labelled ?? "").map(({ value }) => value);
    return type === "integer" ? values.filter(Number.isInteger) : values;
  }
  const parts = labelled === null ? [] : partsOf(labelled);
  const segments = parts.length > 0 ? parts : segmentsOf(item, evidence).slice(0, MAX_ITEMS);
  if (type === "string" && (parts.length > 0 || isNamedBy(item, evidence))) {
    return segments.filter((text) => isOfLength(text, item.node));
  }
  return segments.flatMap((text) => {
    const value = fillOne(evidenceWithin(text, evidence.budget));
    return value === undefined ? [] : [value];
  });
}

function optionsNamed(options: unknown[], { of, quote, text }: Evidence): unknown[] {
  const stems = new Set(stemsOf(of === "passages" ? (quote ?? "") : text));
  return options.filter((option) => {
    const wanted = stemsOf(textOfOption(option));
    return wanted.length > 0 && wanted.every((stem) => stems.has(stem));
  });
}

/** `desk, chair and lamp.` */
const partsOf = (labelled: string): string[] =>
  labelled
    .split(/[,;]|\s(?:and|und|&)\s/)
    .map((part) => part.trim().replace(/\.$/, ""))
    .filter(Boolean);

const isFormatted = ({ node }: Slot) => "format" in node || "pattern" in node;

/** Whether a list is what the key names: its introduction or its heading says so. */
function isNamedBy(item: Slot, { group }: Evidence): boolean {
  const [first] = group?.sentences ?? [];
  if (isFormatted(item)) return false;
  if (isProse(item) || first === undefined || group?.kind !== "list") return isProse(item);
  const wanted = stemsOf(wordsOfKey(item.key));
  return wanted.every((stem) => group.introductionStems.has(stem) || first.headingStems.has(stem));
}

const LIST_ITEM = /^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(\S.*)$/gm;

/** The items of the list, or rows of the table, that answers; otherwise the quotation itself. */
function segmentsOf(item: Slot, evidence: Evidence): string[] {
  if (evidence.of !== "passages") {
    const listed = [...evidence.text.matchAll(LIST_ITEM)].map((found) => found[1] ?? "");
    if (listed.length > 1) return listed;
  }
  const { group, quote } = evidence;
  if (group?.kind === "list" || group?.kind === "table") {
    return group.sentences.map(({ text }) => text);
  }
  return quote !== null && typeOf(item.node) === "string" && isProse(item) ? [quote] : [];
}
