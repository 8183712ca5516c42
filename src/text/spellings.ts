import { trimEnd, trimStart } from "../core/trim.ts";
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
  place: /(?<=\d)[\u00a0\u2009\u202f](?=\d{3})/g,
  part: /[\d\u00a0\u2009\u202f.,]/,
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

const TIES = "-\u2010\u2011./&_,'\u2019\u00a0\u2009\u202f";
const SIGNS = /[^A-Za-z0-9]+/g;
/** Which tied runs are written without their signs, too. */
const WRITTEN_TOGETHER = [
  // `12,500`, `12 500`, `1.299,99`: what follows a decimal sign is left out.
  /^\d{1,3}(?<sign>[.,'\u2019\u00a0\u2009\u202f])\d{3}(?:\k<sign>\d{3})*(?=[.,]\d+$|$)/,
  // `U.S.A`, `Ph.D`
  /^(?=.*[A-Z])[A-Za-z]{1,2}(?:\.[A-Za-z]{1,2})+$/,
  // `AT&T`, `R&D`
  /^[A-Za-z]{1,3}(?:&[A-Za-z]{1,3})+$/,
  // `e-mail`, `Wi-Fi`, `long-term`
  /^[A-Za-z]+[-\u2010\u2011][A-Za-z]+$/,
  // `AB-1234/56`, `978-3-16-148410-0`, `2024-03-05`
  /^(?=.*\d)[A-Za-z0-9]+(?:[-\u2010\u2011/_][A-Za-z0-9]+)+$/,
  // `Node.js`
  /^[A-Za-z]+\.js$/i,
];

/** `25kg` and `XK20459`, which are written apart, too. */
const WRITTEN_APART = /^(?:\d+(?!(?:st|nd|rd|th)$)[A-Za-z]{1,4}|[A-Za-z]{1,6}\d{2,})$/;
const BETWEEN = /(?<=\d)(?=[A-Za-z])|(?<=[A-Za-z])(?=\d)/;

/** Names that consist of a letter and signs, as people write them in letters. */
const NAMED = /(?<![A-Za-z0-9])(?:[A-Za-z](?:\+\+|#)(?![A-Za-z0-9+#])|\.NET(?![A-Za-z0-9]))/g;
const lettersOf = (name: string) =>
  name.replace("++", "plusplus").replace("#", "sharp").replace(".", "dot");

/**
 * Words that stand in a text in another spelling: whether people write a number, a code or an
 * abbreviation in one word or in several is chance. They count beside the words of the text.
 */
export function spellingsOf(text: string): string[] {
  const words = (text.match(NAMED) ?? []).map(lettersOf);
  for (const run of [...runsIn(text, TIED), ...runsIn(text, SPACED)]) {
    const tied = trimStart(trimEnd(run, TIES), TIES);
    const pattern = WRITTEN_TOGETHER.find((each) => each.test(tied));
    if (pattern !== undefined) words.push(pattern.exec(tied)?.[0].replace(SIGNS, "") ?? "");
  }
  for (const run of runsIn(text, NUMBERED)) {
    if (WRITTEN_APART.test(run)) words.push(...run.split(BETWEEN));
  }
  for (const run of runsIn(text, SYMBOLS)) words.push(...spelledOut(run));
  return [...codeWordParts(text), ...words.map((word) => word.toLowerCase())];
}

/** `PPARγ` as `PPARgamma`, and as `PPAR gamma`. */
function spelledOut(run: string): string[] {
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
