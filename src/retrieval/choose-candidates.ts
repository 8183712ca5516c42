import type { ChunkId } from "../core/ids.ts";
import type { RankedId } from "./fuse.ts";

/** Beyond what is needed, for chunks that are gone by the time they are hydrated. */
const SLACK = 16;
/** No call hydrates more: a few MiB of text. */
const MOST = 1_500;
/** Whether a neighbour is still there must be known of all; what only words named just fills up. */
const SPARE_OF_WORDS = 200;
/** An approximate score may be this far below the exact one. */
export const APPROXIMATION_MARGIN = 0.02;

/** `spare`: what else the legs named, best first, for those of `ids` that are gone. */
type Choice = { ids: ChunkId[]; spare: ChunkId[] };

/**
 * Which of a RAG's candidates are worth hydrating, best first: as many as are needed after the
 * threshold. A candidate whose similarity nobody told yet may pass it, so it comes along.
 * Ties at the end come along as well: their order is decided by path and position.
 */
export function chooseCandidates(
  ranked: RankedId[],
  options: { needed: number; threshold: number | null; approximate: boolean },
): Choice {
  const { threshold } = options;
  const margin = options.approximate ? APPROXIMATION_MARGIN : 0;
  const worth = ranked.filter(
    ({ similarity }) =>
      threshold === null || similarity === null || similarity >= threshold - margin,
  );
  const end = endOf(worth, options);
  const ids = worth.slice(0, end).map(({ id }) => id);
  if (!options.approximate) return { ids, spare: [] };
  const spare = worth
    .slice(end)
    .filter(({ similarity }, at) => similarity !== null || at < SPARE_OF_WORDS);
  return { ids, spare: spare.map(({ id }) => id) };
}

function endOf(
  worth: RankedId[],
  { needed, threshold }: { needed: number; threshold: number | null },
): number {
  let sure = 0;
  for (const [at, { value, similarity }] of worth.entries()) {
    if (at === MOST) return at;
    if (sure >= needed + SLACK && value !== worth[at - 1]?.value) return at;
    if (threshold === null || similarity !== null) sure += 1;
  }
  return worth.length;
}
