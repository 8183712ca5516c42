import type { Budget } from "../../../core/work/step-budget.ts";
import { inWords } from "./answer.ts";
import type { Quotation } from "./answer.ts";
import type { Part } from "./units.ts";
import { stemsOf } from "./stems.ts";
import { labelledValues } from "./values.ts";

/** What a schema is filled from: a quotation, or an item or row of it. */
export type Evidence = {
  /** Empty where a quotation is only the closest. */
  text: string;
  /** Of the text and the headings above it. */
  stems: Set<string>;
  labelled: { stems: Set<string>; value: string }[];
  /** The items of its list, or the rows of its table; `named`: stems of what introduces them. */
  members: string[];
  named: Set<string>;
  /** The answer in words; where it is only the closest quotation it says so. */
  said: string | null;
  /** Stems of what the question counts. */
  counted: string[];
  isItem: boolean;
  /** The remaining steps for filling the schema; each search in the evidence is counted. */
  budget: Budget;
};

const NOTHING = {
  text: "",
  stems: new Set<string>(),
  labelled: [],
  members: [],
  named: new Set<string>(),
};

export function evidenceOf(
  quotation: Quotation | null,
  counted: string[],
  budget: Budget,
): Evidence {
  const shared = { said: inWords(quotation), counted, isItem: false, budget };
  if (quotation?.isCertain !== true) return { ...NOTHING, ...shared };
  const { parts, unit } = quotation;
  const rows = rowsIn(parts);
  const lists = parts.filter(({ kind }) => kind === "list");
  const items = lists.flatMap(({ items: spans, text, start }) =>
    spans.map((span) => withoutMark(text.slice(span.start - start, span.end - start))),
  );
  const led = parts.filter(({ kind }) => kind === "paragraph").map(({ text }) => text);
  const text = [
    ...parts.filter(({ kind }) => kind !== "table").map((part) => part.text),
    ...rows,
  ].join("\n");
  budget.spend(text.length);
  return {
    text,
    stems: new Set([...stemsOf(text), ...unit.headings]),
    labelled: labelsIn(text),
    members: items.length > 0 ? items : rows,
    named: new Set([...unit.headings, ...led.flatMap(stemsOf)]),
    ...shared,
  };
}

const LIST_ITEM = /^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(\S.*)$/gm;

/** The evidence of a request that holds its own context, all of which the caller wrote. */
export function evidenceOfRequest(
  request: string,
  quotation: Quotation | null,
  counted: string[],
  budget: Budget,
): Evidence {
  budget.spend(request.length);
  const stems = new Set(stemsOf(request));
  const members = [...request.matchAll(LIST_ITEM)].map((found) => found[1] ?? "");
  const own = { text: request, stems, labelled: labelsIn(request), members, named: stems };
  return { ...own, said: inWords(quotation), counted, isItem: false, budget };
}

/** The evidence of one item or row. */
export function evidenceWithin(part: string, { budget, counted }: Evidence): Evidence {
  budget.spend(part.length);
  const text = part.replace(/;\s/g, "\n");
  const stems = new Set(stemsOf(text));
  return {
    ...NOTHING,
    text,
    stems,
    labelled: labelsIn(text),
    said: part,
    counted,
    isItem: true,
    budget,
  };
}

const withoutMark = (item: string): string =>
  item.replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+/, "").trim();

const labelsIn = (text: string) =>
  labelledValues(text).map(({ label, value }) => ({ stems: new Set(stemsOf(label)), value }));

/** `Grade: B; Days: 30` for a row below `| Grade | Days |`. */
function rowsIn(parts: Part[]): string[] {
  const [header, ...rows] = parts.filter(({ kind }) => kind === "table");
  const columns = cellsOf(header?.text.split("\n", 1)[0] ?? "");
  return rows.map(({ text }) =>
    cellsOf(text)
      .flatMap((cell, at) => (cell === "" ? [] : [columns[at] ? `${columns[at]}: ${cell}` : cell]))
      .join("; "),
  );
}

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("\\|", "|").trim());

/** `invoiceNumber`, `invoice_number` → `invoice number`. */
export const wordsOfKey = (key: string): string =>
  key.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2").replace(/[_\-.]+/g, " ");

const LABEL_MIN_SHARE = 0.49;

/** The value that the text labels with the key's words; null where there is none, or several. */
export function labelledAs({ labelled, budget }: Evidence, key: string): string | null {
  const wanted = stemsOf(wordsOfKey(key));
  budget.spend(labelled.length * wanted.length);
  const shares = labelled.map(({ stems }) => {
    const shared = wanted.filter((stem) => stems.has(stem)).length;
    return shared === 0 ? 0 : (2 * shared) / (wanted.length + stems.size);
  });
  const most = shares.reduce((a, b) => Math.max(a, b), 0);
  const values = new Set(labelled.filter((_, at) => shares[at] === most).map(({ value }) => value));
  const [only] = values;
  return most > LABEL_MIN_SHARE && values.size === 1 ? (only ?? null) : null;
}
