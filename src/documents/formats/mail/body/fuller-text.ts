/** Longer pages say something themselves, whatever the plain text says. */
const MOST_PAGE_CHARACTERS = 1 << 15;
/** More is not needed to know that a plain text has several times the words of such a page. */
const LOOK_BYTES = 1 << 18;
const TIMES = 3;
/** So that a greeting does not lose against a signature. */
const MORE_WORDS = 5;
/** Where nothing divides words, as in Chinese, so many bytes count as one. */
const WORD_BYTES = 12;
const LETTER = /[a-z\d]|[^\0-\x7f]/i;

/**
 * Whether a plain text has several times the words of the page that should say the same: newsletters
 * send pages that only say where they can be seen. `plain`: undecoded, `page` in Markdown.
 */
export function isFuller(plain: Uint8Array, page: string): boolean {
  if (page.length > MOST_PAGE_CHARACTERS) return false;
  const head = plain.subarray(0, LOOK_BYTES);
  // Words cannot be told in UTF-16's bytes.
  if (head.includes(0)) return false;
  const words = wordsIn(new TextEncoder().encode(page));
  return wordsIn(head) >= Math.max(words * TIMES, words + MORE_WORDS);
}

/** Addresses are none, nor are lines of dashes. */
function wordsIn(bytes: Uint8Array): number {
  let words = 0;
  for (const [token] of new TextDecoder("latin1").decode(bytes).matchAll(/[^\s]+/g)) {
    if (LETTER.test(token) && !token.includes("://")) words += Math.ceil(token.length / WORD_BYTES);
  }
  return words;
}
