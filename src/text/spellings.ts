import { trimEnd, trimStart } from "../core/trim.ts";
import { withAsciiDigits } from "./folded-text.ts";
import { codeWordParts } from "./words.ts";

/** Longer runs are addresses and data. */
const MAX_RUN = 40;

/** Runs of characters, each around a place that few texts have many of. */
type Runs = { place: RegExp; part: RegExp };

const TIED: Runs = {
  place: /(?<=[A-Za-z0-9])[-\u2010\u2011./&_,'\u2019](?=[A-Za-z0-9])/g,
  part: /[-A-Za-z0-9\u2010\u2011./&_,'\u2019]/,
};
const SPACED: Runs = {
  place: /(?<=\d)[ \u00a0\u2009\u202f](?=\d{3}(?!\d))/g,
  part: /[\d \u00a0\u2009\u202f.,]/,
};
const NUMBERED: Runs = { place: /\d(?=[A-Za-z])|(?<=[A-Za-z])\d/g, part: /[A-Za-z0-9]/ };

/** Not in Greek words, whose articles `η` and `ο` are. */
const SYMBOLS: Runs = {
  place: /[Α-ΖΘ-ΞΠ-Ωα-ζθ-ξπ-ω](?<![\u0370-\u03ff]{2})(?![\u0370-\u03ff])/g,
  part: /[A-Za-z0-9]/,
};
const GREEK_LETTER = /[Α-ω]/;
const GREEK_NAMES =
  "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega".split(
    " ",
  );

const TIES = " -\u2010\u2011./&_,'\u2019\u00a0\u2009\u202f";
const SIGNS = /[^A-Za-z0-9]+/g;
/** Which tied runs are written without their signs, too. */
const WRITTEN_TOGETHER = [
  // `12,500`, `12 500`, `1.299,99`: what follows a decimal sign is left out.
  /^\d{1,3}(?<sign>[ .,'\u2019\u00a0\u2009\u202f])\d{3}(?:\k<sign>\d{3})*(?=[.,]\d+$|$)/,
  // `U.S.A`, `Ph.D`
  /^(?=.*[A-Z])[A-Za-z]{1,2}(?:\.[A-Za-z]{1,2})+$/,
  // `AT&T`, `R&D`
  /^[A-Za-z]{1,3}(?:&[A-Za-z]{1,3})+$/,
  // `TCP/IP`, `I/O`
  /^[A-Z]{1,4}(?:\/[A-Z]{1,4})+$/,
  // `O'Neill`, `Qur'an`, but not `we'll`
  /^(?:[Oo]|[A-Z][a-z]+)['\u2019](?!(?:ll|re|ve|[dmst])$)[A-Za-z]+$/,
  // `e-mail`, `Wi-Fi`, `long-term`
  /^[A-Za-z]+[-\u2010\u2011][A-Za-z]+$/,
  // `AB-1234/56`, `978-3-16-148410-0`, `2024-03-05`
  /^(?=.*\d)[A-Za-z0-9]+(?:[-\u2010\u2011/_][A-Za-z0-9]+)+$/,
  // `Node.js`, `ASP.NET`
  /^[A-Za-z]+\.(?:js|net)$/i,
];

/** `25kg`, `XK20459`, `Windows11`, `v2` and `M8x20`, which are written apart, too. */
const WRITTEN_APART =
  /^(?:[A-Za-z]?(?!0x)\d+(?:x\d+)+[A-Za-z]{0,2}|\d+(?!(?:st|nd|rd|th)$)[A-Za-z]{1,4}|(?:v|[A-Za-z]{1,2}(?=\d\d)|[A-Za-z]{3,12})\d+)$/;
const BETWEEN = /(?<=\d)(?=[A-Za-z])|(?<=[A-Za-z])(?=\d)/;

/** `m^2`, which `m²` is without its sign. */
const POWERS = /(?<![-A-Za-z&'\u2019])[A-Za-z]{1,3}\^\d(?![\dA-Za-z^])/g;

/** Names that consist of a letter and signs, as people write them in letters. */
const NAMED = /(?<![A-Za-z0-9])(?:[A-Za-z](?:\+\+|#)(?![A-Za-z+#])|\.NET(?![A-Za-z0-9]))/g;
const lettersOf = (name: string) =>
  name.replace("++", "plusplus").replace("#", "sharp").replace(".", "dot");

/** Printed in groups: `DE89 3704 0044 0532 0130 00` (ISO 13616). Letters alone end none: `… BANK`. */
const ACCOUNT_NUMBERS =
  /(?<![A-Z0-9])[A-Z]{2}\d{2}(?: (?:[A-Z]{4} )?(?=[A-Z]{0,3}\d)[A-Z0-9]{4}){2,7}(?: \d{1,3})?(?![A-Z0-9])/gi;

/** `+49 (0)30 123-456`, `030 / 123456` and `(555) 123-4567`, but neither `0.1234567` nor a date; `/ 0` begins another. */
const PHONE_NUMBERS =
  /(?=[+(\d])(?<![\w.,+-])(?!0\.|\d\d([-./])\d\d?\1\d{4}(?!\d))(?:\+\d|\(?0|\(?[2-9]\d\d(?=\)?[ .-]\d{3}[ .-]\d{4}(?!\d)))(?:(?:\)[ -]?| ?\(| ?\/ ?(?!0)|[ .-])?\d){6,16}(?!\d)/g;
/** No number shows how many digits its country and trunk code take. */
const LOCAL_DIGITS = 7;
const localDigitsOf = (number: string) =>
  number.replace("(0)", "").replace(/\D/g, "").slice(-LOCAL_DIGITS);

/** `5.3.2024`, `5/3/2024`, of which either may be the month, and `2024年3月5日`. */
const DATES =
  /(?<![\d./])(?:(?<first>\d{1,2})(?<sign>[./])\s?(?<second>\d{1,2})\k<sign>\s?(?<last>\d{4})|(?<year>\d{4})[-./年](?<month>\d{1,2})[-./月](?<day>\d{1,2}))(?!\d)/g;
const MONTHS = 12;

/** As `2024-03-05` is written without its signs. */
function datesIn(text: string): string[] {
  return [...text.matchAll(DATES)].flatMap(({ groups = {} }) => {
    const { first = "", second = "", sign, last = "", year = last } = groups;
    const { month = second, day = first } = groups;
    const orders = [[month, day], ...(sign === "/" ? [[day, month]] : [])];
    return orders
      .filter(([number]) => Number(number) <= MONTHS)
      .map((order) => year + order.map((part) => part.padStart(2, "0")).join(""));
  });
}

const FULL_WIDTH = /[\uff01-\uff5e]/g;
const FROM_ASCII = 0xfee0;
const toHalfWidth = (text: string) =>
  text.replace(FULL_WIDTH, (wide) => String.fromCharCode(wide.charCodeAt(0) - FROM_ASCII));

/** Markdown writes `AT\&T`, most of all that which Google Docs export. */
const ESCAPES = /\\(?=[!-/:-@[-`{-~])/g;

/**
 * Words that stand in a text in another spelling: whether people write a number, a code or an
 * abbreviation in one word or in several is chance. They count beside the words of the text.
 */
export function spellingsOf(original: string): string[] {
  const text = withAsciiDigits(toHalfWidth(original)).replace(ESCAPES, "");
  const words = (text.match(NAMED) ?? []).map(lettersOf);
  words.push(...(text.match(POWERS) ?? []).map((power) => power.replace("^", "")));
  words.push(...(text.match(ACCOUNT_NUMBERS) ?? []).map((number) => number.replaceAll(" ", "")));
  words.push(...(text.match(PHONE_NUMBERS) ?? []).map(localDigitsOf));
  for (const run of [...runsIn(text, TIED), ...runsIn(text, SPACED)]) {
    const tied = trimStart(trimEnd(run, TIES), TIES);
    const pattern = WRITTEN_TOGETHER.find((each) => each.test(tied));
    if (pattern !== undefined) words.push(pattern.exec(tied)?.[0].replace(SIGNS, "") ?? "");
  }
  const spellings = new Set(words);
  words.push(...datesIn(text).filter((date) => !spellings.has(date)));
  for (const run of runsIn(text, NUMBERED)) {
    if (WRITTEN_APART.test(run)) words.push(...run.split(BETWEEN));
  }
  for (const run of runsIn(text, SYMBOLS)) words.push(...spellOut(run));
  return [...codeWordParts(text), ...words.map((word) => word.toLowerCase())];
}

/** `PPARγ` as `PPARgamma`, and as `PPAR gamma`. */
function spellOut(run: string): string[] {
  const letter = GREEK_LETTER.exec(run.toLowerCase())?.[0] ?? "";
  const name = GREEK_NAMES[letter.charCodeAt(0) - "α".charCodeAt(0)] ?? "";
  const [before = "", after = ""] = run.split(GREEK_LETTER);
  const parts = [before, name, after].filter((part) => part !== "");
  return parts.length > 1 ? [parts.join(""), ...parts] : parts;
}

function runsIn(text: string, { place, part }: Runs): string[] {
  const runs: string[] = [];
  place.lastIndex = 0;
  for (let at = place.exec(text); at !== null; at = place.exec(text)) {
    let start = at.index;
    let end = at.index + 1;
    while (at.index - start <= MAX_RUN && part.test(text.charAt(start - 1))) start -= 1;
    while (end - at.index <= MAX_RUN && part.test(text.charAt(end))) end += 1;
    place.lastIndex = end;
    if (end - start <= MAX_RUN) runs.push(text.slice(start, end));
  }
  return runs;
}
