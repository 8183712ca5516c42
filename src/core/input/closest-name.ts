/** Longer names are not compared: the work grows with both lengths. */
const MAX_NAME_LENGTH = 100;

const foldName = (name: string) => name.replaceAll(/[-_ ]/g, "").toLowerCase();

/** Letters to change, add or leave out: https://en.wikipedia.org/wiki/Levenshtein_distance */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let at = 1; at <= to.length; at++) {
      const same = from[line - 1] === to[at - 1] ? 0 : 1;
      const [before = 0, above = 0, corner = 0] = [next[at - 1], row[at], row[at - 1]];
      next.push(Math.min(before + 1, above + 1, corner + same));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The name that was probably meant; null where none has half of its letters. */
export function closestName(input: string, names: readonly string[]): string | null {
  if (input.length > MAX_NAME_LENGTH) return null;
  const [closest] = names
    .map((name) => ({ name, off: distance(foldName(input), foldName(name)) }))
    .toSorted((a, b) => a.off - b.off);
  if (closest === undefined) return null;
  const { name, off } = closest;
  return 2 * off < Math.max(input.length, name.length) ? name : null;
}
