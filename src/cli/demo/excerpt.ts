import { wordsOf } from "../../text/words.ts";

const LENGTH = 600;
const STEP = 40;
/** Shorter words occur in every window. */
const TELLING_LENGTH = 4;

/**
 * The part of a passage that holds most of the queries' words, on one line and without Markdown
 * marks; the beginning when all parts score alike.
 */
export function excerpt(passage: string, queries: string[], length = LENGTH): string {
  const text = plain(passage);
  if (text.length <= length) return text;
  const telling = wordsOf(queries.join(" ")).filter((word) => word.length >= TELLING_LENGTH);
  const at = bestStart(text, new Set(telling), length);
  const end = Math.min(text.length, at + length);
  const from = at === 0 ? 0 : text.indexOf(" ", at) + 1;
  const to = end < text.length ? text.lastIndexOf(" ", end) : end;
  // A text without spaces is cut at any character.
  const cut = text.slice(from, to > from ? to : end);
  return `${at === 0 ? "" : "… "}${cut}${end < text.length ? " …" : ""}`;
}

function bestStart(text: string, telling: ReadonlySet<string>, length: number): number {
  let best = { at: 0, found: 0 };
  for (let at = 0; at + length - STEP < text.length; at += STEP) {
    const found = wordsOf(text.slice(at, at + length)).filter((word) => telling.has(word)).length;
    if (found > best.found) best = { at, found };
  }
  return best.at;
}

function plain(markdown: string): string {
  return markdown
    .replace(/^[|\s:-]+$/gm, "")
    .replace(/^\s*(#+|[-*])\s+/gm, "")
    .replace(/\*\*|`/g, "")
    .replace(/\s*\|\s*/g, " | ")
    .replace(/\s+/g, " ")
    .trim();
}
