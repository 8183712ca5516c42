/** The note when a file's bytes end inside an open structure; the existing part is read. */
export const ENDS_EARLY = "the file ends early";

/** `2 hidden sheets left out`; nothing for a count of 0. `what` is singular and gets an `s`. */
export function countNote(count: number, what: string, done: string): string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"} ${done}`];
}
