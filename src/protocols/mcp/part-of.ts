/** Offsets and lengths in UTF-16 code units; `limit` is at least 2. */
export type Part = { start: number; limit: number };

/** A part of a text. `next`: where the next one begins; null: there is none. */
export function partOf(
  whole: string,
  { start, limit }: Part,
): { text: string; next: number | null } {
  const end = endWithin(whole, start + limit);
  return { text: whole.slice(start, end), next: end < whole.length ? end : null };
}

/** Never between the two halves of a character. */
function endWithin(text: string, end: number): number {
  if (end >= text.length) return text.length;
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}
