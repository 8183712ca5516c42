import { isTelling } from "../../../text/telling-words.ts";
import { wordsOf } from "../../../text/words.ts";
import { stemsOf } from "./question.ts";

const WORDS =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
    " ",
  );
const TENS = new Map([
  ["thirty", 30],
  ["forty", 40],
  ["fifty", 50],
  ["sixty", 60],
  ["seventy", 70],
]);
/** Digits or a word, and what makes another number of it: `3 million`, `two hundred`, `26-28`. */
const NUMBER = new RegExp(
  String.raw`(?<![\p{L}\p{N}_][-\u2010\u2011.,]?)(?:[-−]?\d{1,3}(?:[,'\u00A0\u202F]\d{3})+(?:\.\d+)?|[-−]?\d+(?:[.,]\d+)?|(?:${[...WORDS, ...TENS.keys()].join("|")})(?!\p{L}))(?<more>[-–]\d+|[-\s\u00A0\u2010\u2011](?:and a )?(?:${WORDS.join("|")}|half|dozen|(?:hundred|thousand|billion|trillion)s?|hundert|tausend|Mio|Mrd|mil(?:le|(?:l?io|lia|lon|h)\p{L}+)?)(?!\p{L}))*`,
  "giu",
);

/** `value`: NaN for one that is not read, as `two hundred` is. */
export function numbersIn(text: string): { value: number; end: number }[] {
  return [...text.matchAll(NUMBER)].map(({ 0: found, index, groups }) => {
    const value = groups?.["more"] === undefined ? valueOf(found.toLowerCase()) : NaN;
    return { value, end: index + found.length };
  });
}

function valueOf(found: string): number {
  if (!/\d/.test(found)) return TENS.get(found) ?? WORDS.indexOf(found);
  const minus = found.replace("−", "-");
  const isDecimal = /^-?\d+,\d{1,2}$/.test(minus);
  return Number(isDecimal ? minus.replace(",", ".") : minus.replace(/[,'\u00A0\u202F]/g, ""));
}

/** `units`: stems of the words behind a number; `isBare`: neither a unit nor what it counts. */
export type CountedNumber = { value: number; units: string[]; isBare: boolean };

/** Characters and words after a number in which its unit is looked for: `26 paid working days`. */
const UNIT_REACH = 60;
const UNIT_WORDS = 3;
const YEARS = { from: 1_900, to: 2_100 };
const MONEY = /^\s?(?:[€$£]|(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?)\b)/i;
const MONEY_UNITS = stemsOf("price cost amount allowance fee total sum salary rate pay budget");
const ARTICLE = /\b(?:an?|eine?[mnr]?)\s+(?<unit>\p{L}+)/giu;

export function countedIn(text: string): CountedNumber[] {
  const numbers = numbersIn(text).map(({ value, end }) => {
    const after = text.slice(end, end + UNIT_REACH);
    const words = wordsOf(after.split(/[.;:!?()]\s|\n\s*\n|,\s/)[0] ?? "").slice(0, UNIT_WORDS);
    const units = [...words.flatMap(stemsOf), ...(MONEY.test(after) ? MONEY_UNITS : [])];
    const isYear = value >= YEARS.from && value < YEARS.to;
    const isBare = !isYear && !/^[\p{L}\p{N}%:°€$£]/u.test(after) && !isTelling(words[0] ?? "a");
    return { value, units, isBare };
  });
  // `a month` counts, too, but is more often an article: its value is not read.
  const articles = [...text.matchAll(ARTICLE)].map(({ groups }) => {
    return { value: NaN, units: stemsOf(groups?.["unit"] ?? ""), isBare: false };
  });
  return [...numbers, ...articles];
}

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
