/** A boundary's line: whose it is, and whether it is the last one. */
export type Delimiter = { depth: number; isLast: boolean };

const DASH = 0x2d;
const latin1 = new TextDecoder("latin1");

/** The multiparts around the place that a message is read at, by their boundaries. */
export class OpenMultiparts<Part> {
  readonly #open: { part: Part; boundary: string }[] = [];
  /** A boundary's bytes as characters, and the depths it is used at. */
  readonly #depths = new Map<string, number[]>();
  /** Of the boundaries' bytes: most lines that begin with dashes need no more than a look at it. */
  readonly #lengths = new Map<number, number>();

  get depth(): number {
    return this.#open.length;
  }

  partAt(depth: number): Part | null {
    return this.#open[depth]?.part ?? null;
  }

  open(part: Part, text: string): void {
    const boundary = latin1.decode(new TextEncoder().encode(text));
    const depths = this.#depths.get(boundary);
    if (depths === undefined) this.#depths.set(boundary, [this.depth]);
    else depths.push(this.depth);
    this.#lengths.set(boundary.length, (this.#lengths.get(boundary.length) ?? 0) + 1);
    this.#open.push({ part, boundary });
  }

  /** Closes and returns what is open at this depth and beyond. */
  closeTo(depth: number): Part[] {
    const closed = this.#open.splice(depth);
    for (const { boundary } of closed) {
      const depths = this.#depths.get(boundary) ?? [];
      depths.pop();
      if (depths.length === 0) this.#depths.delete(boundary);
      this.#lengths.set(boundary.length, (this.#lengths.get(boundary.length) ?? 1) - 1);
    }
    return closed.map(({ part }) => part);
  }

  /** What a line says after its two dashes, of the innermost part that has this boundary. */
  delimiterOf(line: Uint8Array): Delimiter | null {
    const next = this.#depthOf(line);
    const isClosing = line.at(-1) === DASH && line.at(-2) === DASH;
    const last = isClosing ? this.#depthOf(line.subarray(0, -2)) : -1;
    if (next < 0 && last < 0) return null;
    return next > last ? { depth: next, isLast: false } : { depth: last, isLast: true };
  }

  /** Less than zero for what is no boundary. */
  #depthOf(line: Uint8Array): number {
    if ((this.#lengths.get(line.length) ?? 0) === 0) return -1;
    return this.#depths.get(latin1.decode(line))?.at(-1) ?? -1;
  }
}
