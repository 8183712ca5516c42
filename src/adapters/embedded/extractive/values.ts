import { BLANKS, trimEnd, trimStart } from "../../../core/trim.ts";

/** A number in a text; NaN where it is written in a way that is not read, as `two hundred` is. */
type FoundNumber = { value: number; at: number; end: number };

const SMALL =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const DIGITS = String.raw`[-−]?\d{1,3}(?:[,'\u00A0\u202F]\d{3})+(?:\.\d+)?|[-−]?\d+(?:[.,]\d+)?`;
const IN_WORDS = [...SMALL, ...TENS].join("|");
/** What makes another number of one: `3 million`, `two hundred`, `26-28`. */
const MULTIPLES = String.raw`half|dozen|(?:hundred|thousand|billion|trillion)s?|hundert|tausend|Mio|Mrd|mil(?:le|(?:l?io|lia|lon|h)\p{L}+)?`;
const MORE = String.raw`[-–]\d+|[-\s\u00A0\u2010\u2011](?:and a )?(?:${IN_WORDS}|${MULTIPLES})(?!\p{L})`;
const NUMBER = new RegExp(
  String.raw`(?<![\p{L}\p{N}_][-\u2010\u2011.,]?)(?:${DIGITS}|(?:${IN_WORDS})(?!\p{L}))(?<more>${MORE})*`,
  "giu",
);

/** Numbers in digits and English words, in their order. */
export function numbersIn(text: string): FoundNumber[] {
  return [...text.matchAll(NUMBER)].map(({ 0: found, index, groups }) => {
    const isPlain = groups?.["more"] === undefined && /\d/.test(found);
    const value = isPlain ? digitsOf(found) : valueOfWords(found);
    return { value, at: index, end: index + found.length };
  });
}

function digitsOf(found: string): number {
  const minus = found.replace("−", "-");
  const isDecimal = /^-?\d+,\d{1,2}$/.test(minus);
  return Number(isDecimal ? minus.replace(",", ".") : minus.replace(/[,'\u00A0\u202F]/g, ""));
}

/** `eight`, `twenty`, `twenty-eight`. */
function valueOfWords(found: string): number {
  const [first = "", second, third] = found.toLowerCase().split(/[^a-z]/);
  const ten = TENS.indexOf(first) === -1 ? NaN : (TENS.indexOf(first) + 2) * 10;
  if (second === undefined) return SMALL.includes(first) ? SMALL.indexOf(first) : ten;
  const one = SMALL.indexOf(second);
  return third === undefined && one > 0 && one < 10 ? ten + one : NaN;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const GERMAN_MONTHS: Record<string, string> = { mär: "mar", mai: "may", okt: "oct", dez: "dec" };
const DATES = [
  /\b(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})\b/g,
  /\b(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})\b/g,
  /\b(?<day>\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?<month>\p{L}{3})\p{L}{0,9}\.?,?\s+(?<year>\d{4})\b/gu,
  /(?<![\p{L}\p{N}_])(?<month>\p{L}{3})\p{L}{0,9}\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})\b/gu,
];

/** Dates as `YYYY-MM-DD`. */
function datesIn(text: string): string[] {
  const found = DATES.map((pattern) => Array.from(text.matchAll(pattern)));
  return found.flat().flatMap(({ groups }) => {
    const { year = "", month = "", day = "" } = groups ?? {};
    const name = month.toLowerCase();
    const number = /\d/.test(month) ? month : MONTHS.indexOf(GERMAN_MONTHS[name] ?? name) + 1;
    const date = `${year}-${String(number).padStart(2, "0")}-${day.padStart(2, "0")}`;
    const parsed = Date.parse(`${date}T00:00:00Z`);
    return new Date(parsed || 0).toISOString().startsWith(date) ? [date] : [];
  });
}

const EMAIL = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const URL_PATTERN = /https?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:!?]/g;

/** How strings of a JSON Schema `format` are found. */
export const FORMATS = new Map<string, (text: string) => string[]>([
  ["date", datesIn],
  ["email", (text) => text.match(EMAIL) ?? []],
  ["uri", (text) => text.match(URL_PATTERN) ?? []],
]);

/** A line break, or the end of a sentence before a new label. */
const NEXT_LABEL = /\r?\n|;\s|(?<=[.!?])\s+(?=\p{Lu}[^:.!?\n]{0,40}:\s)/u;
const LABEL_MARKS = `${BLANKS}>*-•|#`;
/** Longest label, marks and blanks included. */
const MAX_LABEL_CHARACTERS = 60;

/** `Label: value` lines of a text, the label in the words of the text. */
export function labelledValues(text: string): { label: string; value: string }[] {
  return text.split(NEXT_LABEL).flatMap((line) => {
    const at = line.search(/[:=]/);
    if (at === -1 || at > MAX_LABEL_CHARACTERS) return [];
    const label = trimEnd(trimStart(line.slice(0, at), LABEL_MARKS).trimEnd(), "*");
    const value = trimEnd(trimStart(line.slice(at + 1), `*${BLANKS}`), `${BLANKS}|`);
    return /^[^*|?!.]+$/.test(label) && value !== "" && !value.startsWith("//")
      ? [{ label, value }]
      : [];
  });
}
