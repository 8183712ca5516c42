import { isTelling } from "../../../text/telling-words.ts";
import { wordsOf } from "../../../text/words.ts";
import { stemsOf } from "./question.ts";

const WORDS =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy";
/** Place of `twenty` among the words; tens follow. */
const TWENTY = 20;
const VALUES = new Map(
  WORDS.split(" ").map((word, at) => [word, at <= TWENTY ? at : (at - TWENTY + 2) * 10]),
);
const WORD = WORDS.replaceAll(" ", "|");
/** Digits or a word, and what makes another number of it: `3 million`, `two hundred`, `26-28`. */
const NUMBER = new RegExp(
  String.raw`(?<![\p{L}\p{N}_][-\u2010\u2011.,]?)(?:[-−]?\d{1,3}(?:[,'\u00A0\u202F]\d{3})+(?:\.\d+)?|[-−]?\d+(?:[.,]\d+)?|(?:${WORD})(?!\p{L}))(?<more>[-–]\d+|[-\s\u00A0\u2010\u2011](?:and a )?(?:${WORD}|half|dozen|(?:hundred|thousand|billion|trillion)s?|hundert|tausend|Mio|Mrd|mil(?:le|(?:l?io|lia|lon|h)\p{L}+)?)(?!\p{L}))*`,
  "giu",
);
/** `a month` counts, too, but is more often an article: its value is not read. */
const NUMBER_OR_ARTICLE = new RegExp(
  String.raw`${NUMBER.source}|\b(?:an?|eine?[mnr]?)(?=\s+\p{L})`,
  "giu",
);

/** `value`: NaN for one that is not read, as `two hundred` is. */
export const numbersIn = (text: string, kind = NUMBER): { value: number; end: number }[] =>
  [...text.matchAll(kind)].map(({ 0: found, index, groups }) => ({
    value: groups?.["more"] === undefined ? valueOf(found.toLowerCase()) : NaN,
    end: index + found.length,
  }));

function valueOf(found: string): number {
  const minus = found.replace("−", "-");
  const isDecimal = /^-?\d+,\d{1,2}$/.test(minus);
  const digits = isDecimal ? minus.replace(",", ".") : minus.replace(/[,'\u00A0\u202F]/g, "");
  return VALUES.get(found) ?? Number(digits);
}

/** Characters and words after a number in which its unit is looked for: `26 paid working days`. */
const UNIT_REACH = 60;
const UNIT_WORDS = 3;
const YEAR = /^(?:19|20)\d\d$/;
const MONEY = /^\s?(?:[€$£]|(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?)\b)/i;
const MONEY_UNITS = stemsOf("price cost amount allowance fee total sum salary rate pay budget");

/** `units`: stems of the words behind a number; `isBare`: neither a unit nor what it counts. */
export const countedIn = (text: string) =>
  numbersIn(text, NUMBER_OR_ARTICLE).map(({ value, end }) => {
    const after = text.slice(end, end + UNIT_REACH);
    const words = wordsOf(after.split(/[.;:!?()]\s|\n\s*\n|,\s/)[0] ?? "").slice(0, UNIT_WORDS);
    const units = [...words.flatMap(stemsOf), ...(MONEY.test(after) ? MONEY_UNITS : [])];
    const isCounting = /^[\p{L}\p{N}%:°€$£]/u.test(after) || isTelling(words[0] ?? "a");
    return { value, units, isBare: !isCounting && !YEAR.test(String(value)) };
  });

/** `2027-03-31`, `31.3.2027`, and what `Date.parse` reads: `31 March 2027`, `March 31, 2027` */
const DATE =
  /(?<![\p{L}\p{N}_])(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2} \p{L}{3,9} \d{4}|\p{L}{3,9} \d{1,2}, \d{4})(?!\d)/gu;

/** Dates as `YYYY-MM-DD`. */
const datesIn = (text: string): string[] =>
  (text.match(DATE) ?? []).flatMap((found) => {
    const written = found.replace(/^(\d+)\.(\d+)\.(\d+)$/, "$3-$2-$1").replace(/-(?=\d\b)/g, "-0");
    const read = new Date(`${written} UTC`);
    const day = Number(written.match(/\b\d{1,2}\b/g)?.at(-1));
    // `Date` takes 30 February for 2 March.
    return read.getUTCDate() === day ? [read.toISOString().slice(0, "YYYY-MM-DD".length)] : [];
  });

/** How strings of a JSON Schema `format` are found. */
export const FORMATS = new Map<unknown, (text: string) => string[]>([
  ["date", datesIn],
  ["email", (text) => text.match(/(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? []],
  ["uri", (text) => text.match(/https?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:!?]/g) ?? []],
]);
