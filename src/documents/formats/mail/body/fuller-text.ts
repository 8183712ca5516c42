/** A longer page is taken as it is, whatever the plain text says. */
const MAX_PAGE_CHARACTERS = 1 << 15;
/** Bytes of the plain text to look at: enough to compare its words with those of such a page. */
const LOOK_BYTES = 1 << 18;
const TIMES = 3;
/** Margin in words, so that a greeting does not lose against a signature. */
const MORE_WORDS = 5;
/** In scripts without spaces between words, such as Chinese, so many bytes count as a word. */
const WORD_BYTES = 12;
const LETTER = /[a-z\d]|[^\0-\x7f]/i;

/**
 * Whether a plain text has several times the words of its HTML alternative: some newsletters send
 * HTML that only says where to view them. `plain` is undecoded, `page` in Markdown.
 */
export function isFuller(plain: Uint8Array, page: string): boolean {
  if (page.length > MAX_PAGE_CHARACTERS) return false;
  const head = plain.subarray(0, LOOK_BYTES);
  // In UTF-16, words cannot be counted by bytes.
  if (head.includes(0)) return false;
  const words = wordsIn(new TextEncoder().encode(page));
  return wordsIn(head) >= Math.max(words * TIMES, words + MORE_WORDS);
}

/** Counts words; addresses and lines of dashes are not words. */
function wordsIn(bytes: Uint8Array): number {
  let words = 0;
  for (const [token] of new TextDecoder("latin1").decode(bytes).matchAll(/[^\s]+/g)) {
    if (LETTER.test(token) && !token.includes("://")) words += Math.ceil(token.length / WORD_BYTES);
  }
  return words;
}
