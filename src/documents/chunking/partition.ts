import { ITEM_COST, type CooperativeWork } from "../../core/work/cooperative.ts";
import type { Unit } from "./split-units.ts";

/** Units `from` to `to` (exclusive) form a chunk; its text begins at `overlapFrom`. */
export type Piece = { from: number; to: number; overlapFrom: number };

type PartitionOptions = { chunkSize: number; chunkOverlap: number };

const SMALL_CHUNK_TOKENS = 200;
const SMALL_COST = 3;
/** A fixed cost per chunk, so that there are no more than needed. */
const CHUNK_COST = 0.35;
/** Runs of so many units are skipped together where none of them can hold a better cut. */
const RUN_UNITS = 32;
const ROUNDING_SLACK = 1e-6;
const INTO_SUBSECTION = 0.2;
const OVER_SIBLING = 0.45;
const OUT_OF_SECTION = 0.7;

/** A shortest path over all cuts, so that the result is optimal; of equal cuts, the last. */
export class Partition {
  readonly #units: Unit[];
  readonly #limit: number;
  /** Below this size, the cost of a piece grows as it gets smaller; tokens. */
  readonly #small: number;
  /** Typed arrays, because each element is read some hundred times. */
  readonly #weights: Float64Array;
  readonly #crossings: Float64Array;
  readonly #overlaps: Int32Array;
  readonly #headers: Float64Array;
  /** The least total cost before each unit, including the break before it. */
  readonly #best: Float64Array;
  readonly #cuts: Int32Array;
  /**
   * For each run: the least cost of a cut with the crossings of all units behind it taken off, and
   * the latest start of a piece's text, as a weight.
   */
  readonly #bestOfRun: Float64Array;
  readonly #startOfRun: Float64Array;

  constructor(units: Unit[], options: PartitionOptions) {
    const { length } = units;
    this.#units = units;
    this.#limit = options.chunkSize;
    this.#small = Math.min(SMALL_CHUNK_TOKENS, options.chunkSize / 2);
    this.#weights = prefixSums(Float64Array.from(units, (unit) => unit.weight));
    this.#crossings = prefixSums(crossingCosts(units));
    this.#overlaps = overlapStarts(units, options);
    this.#headers = Float64Array.from(units, (unit) => unit.tableHeader?.weight ?? 0);
    this.#best = new Float64Array(length + 1);
    this.#cuts = new Int32Array(length + 1);
    const runs = Math.ceil((length + 1) / RUN_UNITS);
    this.#bestOfRun = new Float64Array(runs).fill(Infinity);
    this.#startOfRun = new Float64Array(runs).fill(-Infinity);
  }

  *pieces(): CooperativeWork<Piece[]> {
    const end = this.#units.length;
    let lowest = 0;
    this.#note(0);
    for (let to = 1; to <= end; to++) {
      while (lowest < to - 1 && sumBetween(this.#weights, lowest, to) > this.#limit) lowest++;
      const cut = this.#bestCut(to, lowest);
      this.#cuts[to] = cut;
      this.#best[to] = this.#costFrom(cut, to, Infinity) + (this.#units[to]?.breakCost ?? 0);
      this.#note(to);
      yield ITEM_COST;
    }
    const pieces: Piece[] = [];
    for (let to = end; to > 0; to = this.#cuts[to] ?? 0) {
      const from = this.#cuts[to] ?? 0;
      pieces.push({ from, to, overlapFrom: this.#overlaps[from] ?? 0 });
    }
    return pieces.reverse();
  }

  #note(from: number): void {
    const run = Math.floor(from / RUN_UNITS);
    const start = valueAt(this.#weights, this.#overlaps[from] ?? 0) - valueAt(this.#headers, from);
    const cost = valueAt(this.#best, from) - valueAt(this.#crossings, from + 1);
    this.#bestOfRun[run] = Math.min(valueAt(this.#bestOfRun, run), cost);
    this.#startOfRun[run] = Math.max(valueAt(this.#startOfRun, run), start);
  }

  #bestCut(to: number, lowest: number): number {
    const best = { cut: to - 1, least: this.#costFrom(to - 1, to, Infinity) };
    // Most pieces begin where the one that ends a unit before does: try few later starts.
    this.#try(Math.max(lowest, this.#cuts[to - 1] ?? 0), to, best);
    for (let last = to - 2; last >= lowest;) {
      const first = Math.max(lowest, last - (last % RUN_UNITS));
      const bound = this.#boundOf(first, to);
      if (bound < best.least + (last > best.cut ? ROUNDING_SLACK : 0)) {
        for (let from = last; from >= first; from--) this.#try(from, to, best);
      }
      last = first - 1;
    }
    return best.cut;
  }

  #try(from: number, to: number, best: { cut: number; least: number }): void {
    const cost = this.#costFrom(from, to, best.least);
    if (cost > best.least || (cost === best.least && from <= best.cut)) return;
    best.cut = from;
    best.least = cost;
  }

  /** A lower bound of the costs of all cuts of a run from `first` on. */
  #boundOf(first: number, to: number): number {
    const run = Math.floor(first / RUN_UNITS);
    const lightest = valueAt(this.#weights, to) - valueAt(this.#startOfRun, run);
    if (lightest > this.#limit + ROUNDING_SLACK) return Infinity;
    const piece = this.#smallness(first, to) + valueAt(this.#crossings, to);
    return valueAt(this.#bestOfRun, run) + piece;
  }

  /** Infinite above the limit, unless it is a single unit; not exact above `least`. */
  #costFrom(from: number, to: number, least: number): number {
    const before = valueAt(this.#best, from);
    const smallness = this.#smallness(from, to);
    if (before + smallness > least) return Infinity;
    const weight =
      sumBetween(this.#weights, this.#overlaps[from] ?? 0, to) + valueAt(this.#headers, from);
    if (weight > this.#limit && from < to - 1) return Infinity;
    return before + (smallness + sumBetween(this.#crossings, from + 1, to));
  }

  #smallness(from: number, to: number): number {
    const own = sumBetween(this.#weights, from, to);
    return own < this.#small ? CHUNK_COST + SMALL_COST * (1 - own / this.#small) : CHUNK_COST;
  }
}

const valueAt = (values: Float64Array, index: number) => values[index] ?? 0;

const sumBetween = (sums: Float64Array, from: number, to: number) =>
  valueAt(sums, to) - valueAt(sums, from);

function prefixSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  let sum = 0;
  for (let index = 0; index < values.length; index++) {
    sum += values[index] ?? 0;
    sums[index + 1] = sum;
  }
  return sums;
}

function crossingCosts(units: Unit[]): Float64Array {
  let level = 0;
  return Float64Array.from(units, (unit) => {
    if (unit.level === 0) return 0;
    const previous = level;
    ({ level } = unit);
    if (level > previous) return INTO_SUBSECTION;
    return level === previous ? OVER_SIBLING : OUT_OF_SECTION;
  });
}

/** The first unit that a chunk beginning at each unit repeats, within the budget. */
function overlapStarts(units: Unit[], { chunkSize, chunkOverlap }: PartitionOptions): Int32Array {
  // Units that cannot be repeated get too large a weight.
  const weights = Float64Array.from(units, (unit) => (unit.mayOverlap ? unit.weight : Infinity));
  const starts = new Int32Array(units.length);
  for (let index = 0; index < starts.length; index++) {
    let budget = Math.min(chunkOverlap, chunkSize - (weights[index] ?? 0));
    let start = index;
    for (; start > 0; start--) {
      const weight = weights[start - 1] ?? 0;
      if (weight > budget) break;
      budget -= weight;
    }
    starts[index] = start;
  }
  return starts;
}
