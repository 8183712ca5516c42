import type { ChunkId } from "../core/ids.ts";
import type { RankedId } from "./fuse.ts";

/** Extra candidates, for chunks that are deleted before they are hydrated. */
const SLACK = 16;
/** No call hydrates more: a few MiB of text. */
const MOST = 1_500;

type Wanted = {
  /** Chunks after the threshold. */
  needed: number;
  threshold: number | null;
  /** Approximate similarities may be this far below the exact ones. */
  margin: number;
};

/**
 * Selects which of a RAG's candidates to hydrate, best first: as many as are needed after the
 * threshold, and those of unknown similarity, which are not counted. Ties at the end are hydrated
 * too: path and position decide their order. `rest`: others that may pass the threshold.
 */
export function chooseCandidates(
  ranked: RankedId[],
  { needed, threshold, margin }: Wanted,
): { ids: ChunkId[]; rest: RankedId[] } {
  const worth = ranked.filter(
    ({ similarity }) =>
      threshold === null || similarity === null || similarity >= threshold - margin,
  );
  const end = endOf(worth, needed, threshold);
  return { ids: worth.slice(0, end).map(({ id }) => id), rest: worth.slice(end) };
}

function endOf(worth: RankedId[], needed: number, threshold: number | null): number {
  let sure = 0;
  for (const [at, { value, similarity }] of worth.entries()) {
    if (at === MOST) return at;
    if (sure >= needed + SLACK && value !== worth[at - 1]?.value) return at;
    if (threshold === null || similarity !== null) sure += 1;
  }
  return worth.length;
}
