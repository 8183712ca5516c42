import { BLANKS, trimEnd, trimStart } from "../../../core/trim.ts";

/** Finds values of a kind in plain text, in order of their appearance. */
export type FoundValue<T> = { value: T; at: number };

const NUMBER =
  /(?<![\w.,-])[-−]?\d{1,3}(?:[,'\u00A0\u202F]\d{3})+(?:\.\d+)?|(?<![\w.])[-−]?\d+(?:[.,]\d+)?/g;
const SMALL_NUMBERS =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
/** `twenty`, `twenty-eight`, `twenty eight`, `eight`. */
const NUMBER_WORDS = new RegExp(
  `\\b(?:(${TENS.join("|")})(?:[-\u2010\u2011 ](${SMALL_NUMBERS.slice(1, 10).join("|")}))?|(${SMALL_NUMBERS.join("|")}))\\b`,
  "gi",
);

/** A number that is only a part of another: `3 million`, `two hundred`, `vingt-six`. */
const MULTIPLIES =
  /^[-\s\u00A0\u2010\u2011]{1,3}(?:and a half|hundreds?|thousands?|millions?|billions?|trillions?|dozen|hundert|tausend|Mio|Mrd|Millione?n?|milliards?|Milliarden?|mille|mil|milh(?:ão|ões)|millones|milion[ei])(?!\p{L})/iu;
const ADDS = /(?:(?:hundred|thousand|million)(?: and)?\s|\p{L}[-\u2010\u2011])$/iu;
const REACH = 24;

const isPart = (text: string, from: number, to: number): boolean =>
  MULTIPLIES.test(text.slice(to, to + REACH)) ||
  ADDS.test(text.slice(Math.max(0, from - REACH), from));

export function numbersIn(text: string): FoundValue<number>[] {
  const digits = [...text.matchAll(NUMBER)].flatMap(({ 0: found, index }) =>
    isPart(text, index, index + found.length)
      ? []
      : [{ value: Number(plainNumber(found)), at: index }],
  );
  const words = [...text.matchAll(NUMBER_WORDS)].flatMap((found) => {
    if (isPart(text, found.index, found.index + found[0].length)) return [];
    const value = valueOfWords(found[1], found[2] ?? found[3]);
    // "one" is more often a pronoun than a count.
    return value === 1 ? [] : [{ value, at: found.index }];
  });
  const all = [...digits, ...words].filter(({ value }) => Number.isFinite(value));
  return all.sort((a, b) => a.at - b.at);
}

function valueOfWords(tens = "", small = ""): number {
  const ten = TENS.indexOf(tens.toLowerCase());
  const value = Math.max(0, SMALL_NUMBERS.indexOf(small.toLowerCase()));
  return ten === -1 ? value : (ten + 2) * 10 + value;
}

function plainNumber(found: string): string {
  const minus = found.replace("−", "-");
  if (/^-?\d+,\d{1,2}$/.test(minus)) return minus.replace(",", ".");
  return minus.replace(/[,'\u00A0\u202F]/g, "");
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const GERMAN_MONTHS: Record<string, string> = { mär: "mar", mai: "may", okt: "oct", dez: "dec" };
const ISO_DATE = /\b(\d{4})-(\d{2})-(\d{2})\b/g;
const DAY_FIRST =
  /\b(\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(\p{L}{3})\p{L}{0,9}\.?,?\s+(\d{4})\b/gu;
const MONTH_FIRST =
  /(?<![\p{L}\p{N}_])(\p{L}{3})\p{L}{0,9}\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b/gu;
const DOTTED = /\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g;

/** Dates as `YYYY-MM-DD`. */
function datesIn(text: string): FoundValue<string>[] {
  const found: FoundValue<string>[] = [];
  const add = (at: number, year = "", month: number | string = "", day = "") => {
    const date = `${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
    const parsed = new Date(`${date}T00:00:00Z`);
    if (!Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date)) {
      found.push({ value: date, at });
    }
  };
  for (const one of text.matchAll(ISO_DATE)) add(one.index, one[1], one[2], one[3]);
  for (const one of text.matchAll(DAY_FIRST)) add(one.index, one[3], monthOf(one[2]), one[1]);
  for (const one of text.matchAll(MONTH_FIRST)) add(one.index, one[3], monthOf(one[1]), one[2]);
  for (const one of text.matchAll(DOTTED)) add(one.index, one[3], one[2], one[1]);
  return found.sort((a, b) => a.at - b.at);
}

function monthOf(name = ""): number {
  const short = name.toLowerCase();
  return MONTHS.indexOf(GERMAN_MONTHS[short] ?? short) + 1;
}

const CLOCK_TIME = /\b([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?\b/g;

function timesIn(text: string): FoundValue<string>[] {
  return [...text.matchAll(CLOCK_TIME)].map((one) => ({
    value: `${(one[1] ?? "").padStart(2, "0")}:${one[2] ?? ""}:${one[3] ?? "00"}`,
    at: one.index,
  }));
}

const EMAIL = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const URL_PATTERN = /https?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:!?]/g;
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
const IPV4 = /\b(?:\d{1,3}\.){3}\d{1,3}\b/g;

const matches = (pattern: RegExp) => (text: string) =>
  [...text.matchAll(pattern)].map(({ 0: value, index }) => ({ value, at: index }));

/** Only where the text tells a time as well. */
const dateTimesIn = (text: string): FoundValue<string>[] => {
  const time = timesIn(text)[0]?.value;
  if (time === undefined) return [];
  return datesIn(text).map(({ value, at }) => ({ value: `${value}T${time}Z`, at }));
};

/** How a string of a JSON Schema `format` is found. */
export const FORMATS = new Map<string, (text: string) => FoundValue<string>[]>([
  ["date", datesIn],
  ["time", (text) => timesIn(text).map(({ value, at }) => ({ value: `${value}Z`, at }))],
  ["date-time", dateTimesIn],
  ["email", matches(EMAIL)],
  ["uri", matches(URL_PATTERN)],
  ["url", matches(URL_PATTERN)],
  ["uri-reference", matches(URL_PATTERN)],
  ["uuid", matches(UUID)],
  ["ipv4", matches(IPV4)],
]);

/** A line break, or the end of a sentence before a new label. */
const NEXT_LABEL = /\r?\n|;\s|(?<=[.!?])\s+(?=\p{Lu}[^:.!?\n]{0,40}:\s)/u;

const LABEL_MARKS = `${BLANKS}>*-•|#`;
const LABEL_LONGEST = 60;
/** Longest label, marks and blanks included. */
const HEAD_LONGEST = 200;

/** `Label: value` lines of a text, the label in the words of the text. */
export function labelledValues(text: string): { label: string; value: string }[] {
  return text.split(NEXT_LABEL).flatMap((line) => {
    const at = line.search(/[:=]/);
    if (at === -1 || at > HEAD_LONGEST) return [];
    const label = trimEnd(trimStart(line.slice(0, at), LABEL_MARKS).trimEnd(), "*");
    const value = trimEnd(trimStart(line.slice(at + 1), `*${BLANKS}`), `${BLANKS}|`);
    const isLabel = label.length <= LABEL_LONGEST && /^[^*|?!.]+$/.test(label);
    return isLabel && value !== "" && !value.startsWith("//") ? [{ label, value }] : [];
  });
}
