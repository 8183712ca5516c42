import type { ChunkId } from "../core/ids.ts";
import type { RankedId } from "./fuse.ts";

/** Beyond what is needed, for chunks that are gone by the time they are hydrated. */
const SLACK = 16;
/** No call hydrates more: a few MiB of text. */
const MOST = 1_500;
/** An approximate score may be this far below the exact one. */
const APPROXIMATION_MARGIN = 0.02;

/**
 * Which of a RAG's candidates are worth hydrating, best first: as many as are needed after the
 * threshold. A candidate whose similarity nobody told yet may pass it, so it comes along.
 * Ties at the end come along as well: their order is decided by path and position.
 */
export function chooseCandidates(
  ranked: RankedId[],
  options: { needed: number; threshold: number | null; approximate: boolean },
): ChunkId[] {
  const { threshold, needed } = options;
  const margin = options.approximate ? APPROXIMATION_MARGIN : 0;
  const chosen: ChunkId[] = [];
  let sure = 0;
  let last: number | null = null;
  for (const { id, value, similarity } of ranked) {
    if (chosen.length === MOST) break;
    if (sure >= needed + SLACK && value !== last) break;
    const below = threshold !== null && similarity !== null && similarity < threshold - margin;
    if (below) continue;
    chosen.push(id);
    last = value;
    if (threshold === null || similarity !== null) sure += 1;
  }
  return chosen;
}
