/** The note when a file's bytes end inside an open structure; the existing part is read. */
export const ENDS_EARLY = "the file ends early";

export const HEADERS_ALONE = "only headers and footers have text";

/** Omissions of readers and the words of their notes; notes have this order. */
const OMISSIONS = [
  ["hidden sheet", "left out"],
  ["hidden slide", "left out"],
  ["hidden shape", "left out"],
  ["slide master", "with text left out"],
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

const MAX_NAMES = 10;
const MAX_NAME_CHARACTERS = 100;

export class Omissions {
  readonly #counts = new Map<Omission, number>();
  readonly #files: string[] = [];

  add(what: Omission, count = 1): void {
    this.#counts.set(what, this.countOf(what) + count);
  }

  addFile(name: string): void {
    this.add("embedded file");
    if (name !== "" && this.#files.length < MAX_NAMES)
      this.#files.push(name.slice(0, MAX_NAME_CHARACTERS));
  }

  countOf(what: Omission): number {
    return this.#counts.get(what) ?? 0;
  }

  get notes(): string[] {
    const names = this.#files.length === 0 ? "" : `: ${this.#files.join(", ")}`;
    return OMISSIONS.flatMap(([what, verb]) =>
      countNote(this.countOf(what), what, what === "embedded file" ? verb + names : verb),
    );
  }
}

/** `2 hidden sheets left out`; nothing for a count of 0. `what` is singular and gets an `s`. */
export function countNote(count: number, what: string, verb: string): string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"} ${verb}`];
}
