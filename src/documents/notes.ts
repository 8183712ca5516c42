/** Said where a file's structure is still open when its bytes end; what is there is read. */
export const ENDS_EARLY = "the file ends early";

/** `2 hidden sheets left out`; nothing of none. `what` is singular and takes an `s`. */
export function countNote(count: number, what: string, done: string): string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"} ${done}`];
}
