/**
 * The one notion of a word in Quarry, shared by the lexical leg, the lexical reranker and the
 * hashed embedding. It follows SQLite's `unicode61` closely: runs of letters, digits and marks,
 * lower-cased, without diacritics.
 */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const MARKS = /\p{M}+/gu;

/** Scripts written without spaces: searched by overlapping character pairs. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

export function wordsOf(text: string): string[] {
  const folded = text.normalize("NFKD").replace(MARKS, "").toLowerCase();
  return folded.match(WORD) ?? [];
}

/** `東京都` becomes `東京 京都`; a single character stays. Text of other scripts is left as it is. */
export function pairUnspacedScripts(text: string): string {
  return text.replace(UNSPACED, (run) => ` ${characterPairs(run).join(" ")} `);
}

function characterPairs(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => `${characters[at] ?? ""}${character}`);
}
