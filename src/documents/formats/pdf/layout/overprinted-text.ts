import type { Segment } from "./segment.ts";

/** In ems: the most distance between copies that are to look like one bold text. */
const MAX_SHIFT = 0.12;

/** Finds text that is drawn again at nearly the same place: writers without a bold font do so. */
export class OverprintedText {
  /** Texts by the grid square that they begin in, with their starting points. */
  readonly #drawn = new Map<string, Segment>();

  /** Whether the segment's text was already drawn here; if not, it is remembered. */
  isCopy(segment: Segment): boolean {
    const { x0, y, size } = segment;
    const shift = size * MAX_SHIFT;
    for (const x of [x0 - shift, x0 + shift]) {
      for (const row of [y - shift, y + shift]) {
        const other = this.#drawn.get(keyOf(segment, x, row));
        if (other !== undefined && isNear(other, segment, shift)) return true;
      }
    }
    this.#drawn.set(keyOf(segment, x0, y), { ...segment });
    return false;
  }
}

const isNear = (one: Segment, other: Segment, shift: number) =>
  Math.abs(one.x0 - other.x0) <= shift && Math.abs(one.y - other.y) <= shift;

/** Squares are twice as wide as the largest shift, so that two in each direction suffice. */
function keyOf({ text, size, block }: Segment, x: number, y: number): string {
  const side = size * MAX_SHIFT * 2;
  return `${Math.floor(x / side)} ${Math.floor(y / side)} ${size.toFixed(1)} ${block} ${text}`;
}
