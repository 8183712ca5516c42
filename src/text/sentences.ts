/**
 * End of a sentence: a mark, what closes after it, then space (none is needed after the marks of
 * Chinese and Japanese, which are escaped because they look like ours). A run of marks is tried at
 * its beginning alone: from each of its marks, the work would grow with the square of its length.
 */
const SENTENCE_END =
  /(?:(?<![.!?…])[.!?…]+["'”’»)\]]*(?=\s)|[\u3002\uFF01\uFF1F\uFF61]+[」』”’)】]*|(?<![؟۔।॥።])[؟۔।॥።]+(?=\s|$)|\n)\s*/gu;

/** A longer sentence is cut: other work runs between two sentences. */
const MAX_SENTENCE = 1 << 14;

/** Offsets at which sentences and lines end, ascending, `to` last. */
export function* sentenceEnds(text: string, from: number, to: number): Generator<number> {
  for (let start = from; start < to;) {
    const stop = Math.min(to, start + MAX_SENTENCE);
    const part = text.slice(start, stop);
    let last = 0;
    for (const match of part.matchAll(SENTENCE_END)) {
      const end = match.index + match[0].length;
      // The mark or the white space may continue behind the cut.
      if (end === part.length && stop < to) break;
      if (!isRealEnd(part, last, match.index, end)) continue;
      last = end;
      yield start + end;
    }
    const isOver = last < part.length && (last === 0 || stop === to);
    if (isOver) yield stop;
    start = isOver ? stop : start + last;
  }
}

export function splitSentences(text: string): string[] {
  let start = 0;
  return [...sentenceEnds(text, 0, text.length)].map((end) => {
    const sentence = text.slice(start, end);
    start = end;
    return sentence;
  });
}

/** Characters before a mark that are looked at. */
const WINDOW = 24;

function isRealEnd(part: string, start: number, mark: number, end: number): boolean {
  if (part[mark] !== "." || part.slice(mark, end).includes("\n")) return true;
  const next = part.slice(end, end + WINDOW);
  if (/^\p{Ll}/u.test(next)) return false;
  const before = part.slice(Math.max(start, mark - WINDOW), mark);
  if (/\d$/.test(before)) return !isOrdinal(before, next, start > mark - WINDOW);
  if (ENDING.test(before)) return /^["'“„«(]?\p{Lu}/u.test(next);
  return !ABBREVIATED.test(before);
}

const LEFT = String.raw`(?:^|[\s(„“"'/-])`;
const joinAlternatives = (words: string) =>
  words
    .trim()
    .split(/\s+/)
    .join("|")
    .replaceAll(".", String.raw`\.`);

/** These stand at the end of a sentence as often as within one: a capital decides. */
const ENDING = new RegExp(`${LEFT}(?:etc|usw|ecc|osv|ff|min|a\\.m|p\\.m)$`, "u");

const WORDS = joinAlternatives(`
  Mr Mrs Ms Dr Prof St Sr Jr Hon Rev Gen Col Capt Lt Sgt Gov Sen Rep vs e.g i.e cf al viz No Nos Fig
  Figs Eq Sec Ch Art Inc Ltd Co Corp Dept approx resp incl excl eds Vol vol pp p
  Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Okt Dez Mrz
  Hr Hrn Fr Frl Dipl Ing Mag Nr Nrn Abs Abt Anm Aufl Bd Hrsg Jg Jh Jhd Kap Lit Pkt Rn Ziff Std Sek
  Stk Str Tel Mio Mrd Tsd bzw ca vgl ggf evtl inkl exkl zzgl abzgl gem lt ggü sog allg bes insb max
  mind usf geb gest verh zB dh ua z.B d.h u.a o.ä i.d.R
  Mme Mlle chap éd env p.ex núm pág Sra Srta Dra Ud Uds sig dott pag
`);

/** An abbreviation, or a single letter (`z. B.`), which after a number is a unit. */
const ABBREVIATED = new RegExp(
  `${LEFT}(?:${WORDS})$|(?<!\\d\\s?)${LEFT}[\\p{Script=Latin}\\p{Script=Cyrillic}]$`,
  "u",
);

const MONTH =
  /^(?:Jan|Jän|Feb|Mär|Mrz|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|January|March|May|June|July|October|December)/u;
/** Words before an ordinal, in German and its neighbours. */
const LEADS_ORDINAL =
  /(?:^|\s)(?:d(?:er|ie|as|em|en|es)|a[mn]|im|ins?|zu[mr]|vom|von|beim?|bis|ab|seit|vor|jede[rnsm]?|ein(?:e[rnsm]?)?|sein(?:e[rnsm]?)?|ihr(?:e[rnsm]?)?|unser(?:e[rnsm]?)?|nächste[rn]?|§)\s+\d{1,3}$/iu;
const LIST_NUMBER = /^\s*\(?\d{1,3}$/;

/** `31. Dezember`, `am 3. Stock`, `1. 2. 2026`, and the number of a list item. */
function isOrdinal(before: string, next: string, isWholeSentence: boolean): boolean {
  if (/\d{4}$/.test(before)) return false;
  if (isWholeSentence && LIST_NUMBER.test(before)) return true;
  const isDate = /\d\.\s?\d{1,2}$/.test(before) && /^\d{2,4}(?!\d)/.test(next);
  return isDate || MONTH.test(next) || /^\d{1,2}\./.test(next) || LEADS_ORDINAL.test(before);
}
