import { BLANKS, trimEnd, trimStart } from "../../../core/trim.ts";
import { stemsOf } from "./question.ts";
import { countedIn } from "./values.ts";

/** What a schema is filled from: a quotation, a request with its own context, an item or a row. */
export type Evidence = ReturnType<typeof evidenceOf>;

/** An item of a list, with deeper lines below it. */
const ITEM = /^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(\S.*(?:\n[ \t]+\S.*)*)/gm;
const ROW = /^[ \t]*\|.*\|[ \t]*$/gm;
/** A line break, or the end of a sentence before a new label. */
const NEXT_LABEL = /\r?\n|;\s|(?<=[.!?])\s+(?=\p{Lu}[^:.!?\n]{0,40}:\s)/u;
/** `https://…` is none. */
const LABEL = /^[^*|?!.:=]{1,60}\**[:=](?!\/\/)/;
const MARKS = `${BLANKS}>*-•#`;

/** `written`: empty where a quotation is only the closest, which `said` says. */
export function evidenceOf(written: string, said: string | null, above = "") {
  const rows = rowsIn(written.match(ROW) ?? []);
  const text = [written.replace(ROW, ""), ...rows].join("\n");
  const items = [...written.matchAll(ITEM)].map(([, item = ""]) => item.trim());
  const labelled = text.split(NEXT_LABEL).flatMap((one) => {
    const line = trimStart(one, MARKS);
    const [label] = LABEL.exec(line) ?? [""];
    const value = trimEnd(trimStart(line.slice(label.length), `*${BLANKS}`), BLANKS);
    return label !== "" && value !== "" ? [{ stems: stemsOf(label), value }] : [];
  });
  return {
    text,
    said,
    /** Of the text and of what stands above it. */
    stems: new Set(stemsOf(`${above} ${text}`)),
    labelled,
    numbers: countedIn(text),
    /** The items of its list, or the rows of its table. */
    members: items.length > 0 ? items : rows,
  };
}

/** `Grade: B; Days: 30` for each row below `| Grade | Days |` and its rule. */
function rowsIn([header = "", , ...rows]: string[]): string[] {
  const columns = cellsOf(header);
  const named = (cell: string, at: number) => [columns[at], cell].filter(Boolean).join(": ");
  return rows.map((row) => cellsOf(row).map(named).join("; "));
}

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("\\|", "|").trim());
