/** The note when a file's bytes end inside an open structure; the existing part is read. */
export const ENDS_EARLY = "the file ends early";

/** Omissions of readers and the words of their notes; notes have this order. */
const OMISSIONS = [
  ["hidden sheet", "left out"],
  ["hidden slide", "left out"],
  ["hidden shape", "left out"],
  ["hidden section", "left out"],
  ["hidden text run", "removed"],
  ["hidden paragraph", "removed"],
  ["embedded part", "could not be read"],
  ["embedded file", "left out"],
  ["formula cell", "without a stored value"],
  ["HTML comment", "removed"],
  ["hidden element", "removed"],
  ["special character or string", "left out"],
] as const;
type Omission = (typeof OMISSIONS)[number][0];

export class Omissions {
  readonly #counts = new Map<Omission, number>();

  add(what: Omission, count = 1): void {
    this.#counts.set(what, this.countOf(what) + count);
  }

  countOf(what: Omission): number {
    return this.#counts.get(what) ?? 0;
  }

  get notes(): string[] {
    return OMISSIONS.flatMap(([what, verb]) => countNote(this.countOf(what), what, verb));
  }
}

/** `2 hidden sheets left out`; nothing for a count of 0. `what` is singular and gets an `s`. */
export function countNote(count: number, what: string, verb: string): string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"} ${verb}`];
}
