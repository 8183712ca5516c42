import { BLANKS, trimEnd, trimStart } from "../../../core/trim.ts";
import { stemsOf } from "./question.ts";
import { countedIn } from "./values.ts";

/** What a schema is filled from: a quotation, a request with its own context, an item or a row. */
export type Evidence = {
  /** Empty where a quotation is only the closest. */
  text: string;
  /** Of the text and of what stands above it. */
  stems: Set<string>;
  labelled: { stems: string[]; value: string }[];
  numbers: ReturnType<typeof countedIn>;
  /** The items of its list, or the rows of its table. */
  members: string[];
  /** The answer in words; where it is only the closest quotation it says so. */
  said: string | null;
};

/** An item of a list, with deeper lines below it. */
const ITEM = /^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(\S.*(?:\n[ \t]+\S.*)*)/gm;
const ROW = /^[ \t]*\|.*\|[ \t]*$/gm;
/** A line break, or the end of a sentence before a new label. */
const NEXT_LABEL = /\r?\n|;\s|(?<=[.!?])\s+(?=\p{Lu}[^:.!?\n]{0,40}:\s)/u;
const LABEL_MARKS = `${BLANKS}>*-•#`;
/** Longest label, marks and blanks included. */
const MAX_LABEL_CHARACTERS = 60;

export function evidenceOf(written: string, said: string | null, above = ""): Evidence {
  const rows = rowsIn(written.match(ROW) ?? []);
  const text = [written.replace(ROW, ""), ...rows].join("\n");
  const items = [...written.matchAll(ITEM)].map(([, item = ""]) => item.trim());
  const labelled = text.split(NEXT_LABEL).flatMap((line) => {
    const at = line.search(/[:=]/);
    const label = trimEnd(trimStart(line.slice(0, at), LABEL_MARKS), `*${BLANKS}`);
    const value = trimEnd(trimStart(line.slice(at + 1), `*${BLANKS}`), BLANKS);
    const isLabel = at !== -1 && at <= MAX_LABEL_CHARACTERS && /^[^*|?!.]+$/.test(label);
    // `https://…`
    const isSaid = value !== "" && !value.startsWith("//");
    return isLabel && isSaid ? [{ stems: stemsOf(label), value }] : [];
  });
  return {
    text,
    stems: new Set(stemsOf(`${above} ${text}`)),
    labelled,
    numbers: countedIn(text),
    members: items.length > 0 ? items : rows,
    said,
  };
}

/** `Grade: B; Days: 30` for each row below `| Grade | Days |` and its rule. */
function rowsIn([header = "", , ...rows]: string[]): string[] {
  const columns = cellsOf(header);
  return rows.map((row) => {
    const cells = cellsOf(row).map((cell, at) => [columns[at], cell].filter(Boolean).join(": "));
    return cells.filter((cell, at) => cell !== columns[at]).join("; ");
  });
}

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("\\|", "|").trim());
