/** A boundary line: the depth of its multipart, and whether it is the closing one. */
export type Delimiter = { depth: number; isLast: boolean };

const DASH = 0x2d;
const latin1 = new TextDecoder("latin1");

/** The open multiparts at the current place of a message, by their boundaries. */
export class OpenMultiparts<Part> {
  readonly #open: { part: Part; boundary: string }[] = [];
  readonly #depths = new Map<string, number[]>();
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

  /** Closes and returns the multiparts at this depth and deeper. */
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

  /** The innermost multipart with this boundary; `line`: without its two dashes. */
  delimiterOf(line: Uint8Array): Delimiter | null {
    const next = this.#depthOf(line);
    const isClosing = line.at(-1) === DASH && line.at(-2) === DASH;
    const last = isClosing ? this.#depthOf(line.subarray(0, -2)) : -1;
    if (next < 0 && last < 0) return null;
    return next > last ? { depth: next, isLast: false } : { depth: last, isLast: true };
  }

  /** The depth of a boundary; negative for no boundary. */
  #depthOf(line: Uint8Array): number {
    if ((this.#lengths.get(line.length) ?? 0) === 0) return -1;
    return this.#depths.get(latin1.decode(line))?.at(-1) ?? -1;
  }
}
