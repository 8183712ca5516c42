import type { Unit } from "./split-units.ts";

/** Units `from` to `to` (exclusive) make a chunk; `overlapFrom` is where its text begins. */
export type Piece = { from: number; to: number; overlapFrom: number };

export type PartitionOptions = { chunkSize: number; chunkOverlap: number };

/** A chunk below this many tokens is found worse than one joined with its neighbours. */
const SMALL_CHUNK_TOKENS = 200;
const SMALL_COST = 3;
/** Every chunk costs a little, so that there are no more than needed. */
const CHUNK_COST = 0.35;
/** The least cost before any of so many units is kept, for most runs hold no better cut. */
const RUN_UNITS = 64;
/** Costs of running on over a heading, by where it leads. */
const INTO_SUBSECTION = 0.2;
const OVER_SIBLING = 0.45;
const OUT_OF_SECTION = 0.7;

/**
 * Cuts a run of units where it hurts least: a shortest path over all cuts (dynamic programming),
 * so that the result is the best one and the same every time.
 */
export function partition(units: Unit[], options: PartitionOptions): Piece[] {
  const sums = {
    weights: prefixSums(units.map((unit) => unit.weight)),
    crossings: prefixSums(crossingCosts(units)),
  };
  const overlaps = Int32Array.from(units, (_unit, at) => overlapStart(units, at, options));
  const best = new Float64Array(units.length + 1);
  const bestOfRun = new Float64Array(Math.ceil((units.length + 1) / RUN_UNITS)).fill(Infinity);
  bestOfRun[0] = 0;
  const cuts = new Int32Array(units.length + 1);
  for (let before = 0; before < units.length; before++) {
    const to = before + 1;
    let least = Infinity;
    for (let from = before; from >= 0; from--) {
      if (from < before && between(sums.weights, from, to) > options.chunkSize) break;
      const first = from - RUN_UNITS + 1;
      if (first % RUN_UNITS === 0 && at(bestOfRun, first / RUN_UNITS) + CHUNK_COST >= least) {
        // No cut within the run is better; what is beyond the limit ends the search as before.
        from = first;
        continue;
      }
      const piece = { from, to, overlapFrom: at(overlaps, from) };
      const cost = at(best, from) + pieceCost(units, piece, sums, options.chunkSize);
      if (cost >= least) continue;
      least = cost;
      cuts[to] = from;
    }
    best[to] = least + (units[to]?.breakCost ?? 0);
    const run = Math.floor(to / RUN_UNITS);
    bestOfRun[run] = Math.min(at(bestOfRun, run), at(best, to));
  }
  return piecesFrom(cuts, overlaps, units.length);
}

/** Walks the best cuts back from the end. */
function piecesFrom(cuts: Int32Array, overlaps: Int32Array, end: number): Piece[] {
  const pieces: Piece[] = [];
  for (let to = end; to > 0; to = at(cuts, to)) {
    const from = at(cuts, to);
    pieces.push({ from, to, overlapFrom: at(overlaps, from) });
  }
  return pieces.reverse();
}

const at = (values: ArrayLike<number>, index: number) => values[index] ?? 0;

type Sums = { weights: Float64Array; crossings: Float64Array };

/** Infinite for what is over the limit, unless it is a single unit: those fit by themselves. */
function pieceCost(units: Unit[], piece: Piece, sums: Sums, limit: number): number {
  const { from, to, overlapFrom } = piece;
  const header = units[from]?.tableHeader?.weight ?? 0;
  const weight = between(sums.weights, overlapFrom, to) + header;
  if (weight > limit && from < to - 1) return Infinity;
  const small = Math.min(SMALL_CHUNK_TOKENS, limit / 2);
  const own = between(sums.weights, from, to);
  const smallness = own < small ? SMALL_COST * (1 - own / small) : 0;
  return CHUNK_COST + smallness + between(sums.crossings, from + 1, to);
}

function between(sums: Float64Array, from: number, to: number): number {
  return at(sums, to) - at(sums, from);
}

function prefixSums(values: number[]): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (const [index, value] of values.entries()) sums[index + 1] = at(sums, index) + value;
  return sums;
}

function crossingCosts(units: Unit[]): number[] {
  let level = 0;
  return units.map((unit) => {
    if (unit.level === 0) return 0;
    const previous = level;
    ({ level } = unit);
    if (level > previous) return INTO_SUBSECTION;
    return level === previous ? OVER_SIBLING : OUT_OF_SECTION;
  });
}

/** The first unit that a chunk beginning at `index` repeats, within the budget. */
function overlapStart(units: Unit[], index: number, options: PartitionOptions): number {
  const first = units[index];
  if (first === undefined || !first.mayOverlap) return index;
  const room = options.chunkSize - first.weight;
  let budget = Math.min(options.chunkOverlap, room);
  let start = index;
  while (start > 0) {
    const before = units[start - 1];
    if (before === undefined || !before.mayOverlap || before.weight > budget) break;
    budget -= before.weight;
    start--;
  }
  return start;
}
