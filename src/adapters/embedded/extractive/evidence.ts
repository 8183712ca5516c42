import { inWords } from "./answer.ts";
import type { Quotation } from "./answer.ts";
import { stemsOf } from "./stems.ts";
import type { Part } from "./units.ts";
import { labelledValues } from "./values.ts";

/** What a schema is filled from: a quotation, or an item or row of it. */
export type Evidence = {
  /** Empty where a quotation is only the closest. */
  text: string;
  stems: Set<string>;
  /** Of the headings above it, and of what introduces its items. */
  above: Set<string>;
  labelled: { stems: Set<string>; value: string }[];
  /** The items of its list, or the rows of its table. */
  members: string[];
  /** The answer in words; where it is only the closest quotation it says so. */
  said: string | null;
  /** Stems of what the question counts. */
  counted: string[];
  isItem: boolean;
};

type Given = Pick<Evidence, "said" | "counted"> & Partial<Evidence>;

function evidence({ text = "", ...given }: Given): Evidence {
  const labelled = labelledValues(text).map(({ label, value }) => {
    return { stems: new Set(stemsOf(label)), value };
  });
  const stems = new Set(stemsOf(text));
  return { text, stems, labelled, above: new Set(), members: [], isItem: false, ...given };
}

export function evidenceOf(quotation: Quotation | null, counted: string[]): Evidence {
  const shared = { said: inWords(quotation), counted };
  if (quotation?.isCertain !== true) return evidence(shared);
  const { parts, unit } = quotation;
  const rows = rowsIn(parts);
  const outside = parts.filter(({ kind }) => kind !== "table");
  const items = outside.flatMap(({ items: spans, text, start }) =>
    spans.map((span) => withoutMark(text.slice(span.start - start, span.end - start))),
  );
  const led = outside.filter(({ kind }) => kind === "paragraph");
  return evidence({
    text: [...outside.map((part) => part.text), ...rows].join("\n"),
    above: new Set([...unit.headings, ...led.flatMap(({ text }) => stemsOf(text))]),
    members: items.length > 0 ? items : rows,
    ...shared,
  });
}

const LIST_ITEM = /^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S.*$/gm;
const withoutMark = (item: string): string =>
  item.replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+/, "").trim();

/** The evidence of a request that holds its own context, all of which the caller wrote. */
export function evidenceOfRequest(
  text: string,
  quotation: Quotation | null,
  counted: string[],
): Evidence {
  const members = (text.match(LIST_ITEM) ?? []).map(withoutMark);
  return evidence({ text, members, said: inWords(quotation), counted });
}

/** The evidence of one item or row. */
export const evidenceWithin = (part: string, { counted }: Evidence): Evidence =>
  evidence({ text: part.replace(/;\s/g, "\n"), said: part, counted, isItem: true });

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
