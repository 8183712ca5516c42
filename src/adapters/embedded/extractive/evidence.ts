import { BLANKS, trimEnd, trimStart } from "../../../core/trim.ts";
import { cellsOf } from "../../../documents/chunking/scan-blocks.ts";
import { isTelling } from "../../../text/telling-words.ts";
import { wordsOf } from "../../../text/words.ts";
import { stemsOf } from "./question.ts";

/** A source for filling a schema: a quotation, a request with its own context, an item or a row. */
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
export function evidenceOf(passage: string, statement: string | null, above = "") {
  const rows = rowsIn(passage.match(ROW) ?? []);
  const text = [passage.replace(ROW, ""), ...rows].join("\n");
  const items = [...passage.matchAll(ITEM)].map(([, item = ""]) => item.trim());
  const labelled = text.split(NEXT_LABEL).flatMap((part) => {
    const line = trimStart(part, MARKS);
    const [label] = LABEL.exec(line) ?? [""];
    const value = trimEnd(trimStart(line.slice(label.length), `*${BLANKS}`), BLANKS);
    return label !== "" && value !== "" ? [{ stems: stemsOf(label), value }] : [];
  });
  return {
    text,
    said: statement,
    /** Stems of the text and of what stands above it. */
    stems: new Set(stemsOf(`${above} ${text}`)),
    labelled,
    numbers: numbersIn(text),
    /** The items of its list, or the rows of its table. */
    members: items.length > 0 ? items : rows,
  };
}

/** `Grade: B; Days: 30` for each row below `| Grade | Days |` and its rule. */
function rowsIn([header = "", , ...rows]: string[]): string[] {
  const columns = cellsOf(header);
  const namedCell = (cell: string, at: number) => [columns[at], cell].filter(Boolean).join(": ");
  return rows.map((row) => cellsOf(row).map(namedCell).join("; "));
}

/** Words that count are candidates whose value is not read; `a month` counts, too. */
const COUNTING =
  "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\p{L}{3,5}teen|twenty|(?:thir|for|fif|six|seven|eigh|nine)ty|(?:half|dozen|hundred|thousand|[mb]illion|trillion)s?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|hundert|tausend|Mio|Mrd|mil(?:le|(?:l?io|lia|lon|h)\\p{L}+)?";
/** `1,250.50`, `2,5`; with `more` another number: `26-28`, `3 million`. */
const NUMBER = new RegExp(
  String.raw`(?<![\p{L}\p{N}_][-\u2010\u2011.,]?)(?:(?<digits>[-−]?\d{1,3}(?:[,'\u00A0\u202F]\d{3})+(?:\.\d+)?|[-−]?\d+(?:[.,]\d+)?)(?<more>[-–]\d|[-\s\u00A0\u2010\u2011](?:and a )?(?:${COUNTING})(?!\p{L}))?|(?:${COUNTING})(?!\p{L})|(?<article>an?|eine?[mnr]?)(?=\s+\p{L}))`,
  "giu",
);
/** Characters and words after a number in which its unit is looked for: `26 paid working days`. */
const UNIT_REACH = 60;
const UNIT_WORDS = 3;
const YEAR = /^(?:19|20)\d\d$/;
const MONEY = /^\s?(?:[€$£]|(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?)\b)/i;
const MONEY_UNITS = stemsOf("price cost amount allowance fee total sum salary rate pay budget");

/** `value`: NaN if not read, undefined for an article. `isBare`: no unit, nor what it counts. */
export const numbersIn = (text: string) =>
  [...text.matchAll(NUMBER)].map(({ 0: number, index, groups: { digits, more, article } = {} }) => {
    const after = text.slice(index + number.length, index + number.length + UNIT_REACH);
    const words = wordsOf(after.split(/[.;:!?()]\s|\n\s*\n|,\s/)[0] ?? "").slice(0, UNIT_WORDS);
    const isCounting = /^[\p{L}\p{N}%:°€$£]/u.test(after) || isTelling(words[0] ?? "a");
    const isRead = digits !== undefined && more === undefined;
    return {
      value: article === undefined ? (isRead ? numberOf(digits) : NaN) : undefined,
      units: [...words.flatMap(stemsOf), ...(MONEY.test(after) ? MONEY_UNITS : [])],
      isBare: !isCounting && !YEAR.test(number),
    };
  });

/** `1,250.50` and `2,5` */
const numberOf = (digits: string): number =>
  Number(
    digits
      .replace("−", "-")
      .replace(/[,'\u00A0\u202F](?=\d{3})/g, "")
      .replace(",", "."),
  );

/** `2027-03-31`, `31.3.2027`, and what `Date.parse` reads: `31 March 2027`, `March 31, 2027` */
const DATE =
  /(?<![\p{L}\p{N}_])(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2} \p{L}{3,9} \d{4}|\p{L}{3,9} \d{1,2}, \d{4})(?!\d)/gu;

/** Dates as `YYYY-MM-DD`. */
const datesIn = (text: string): string[] =>
  (text.match(DATE) ?? []).flatMap((date) => {
    const isoDate = date.replace(/^(\d+)\.(\d+)\.(\d+)$/, "$3-$2-$1").replace(/-(?=\d\b)/g, "-0");
    const time = new Date(`${isoDate} UTC`);
    const day = Number(isoDate.match(/\b\d{1,2}\b/g)?.at(-1));
    // `Date` takes 30 February for 2 March.
    return time.getUTCDate() === day ? [time.toISOString().slice(0, "YYYY-MM-DD".length)] : [];
  });

/** How strings of a JSON Schema `format` are found. */
export const FORMATS = new Map<unknown, (text: string) => string[]>([
  ["date", datesIn],
  ["email", (text) => text.match(/(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? []],
  ["uri", (text) => text.match(/https?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:!?]/g) ?? []],
]);
