import type { ChunkId } from "../core/ids.ts";
import type { HydratedChunk } from "../ports/rag-index.ts";
import { chooseCandidates } from "./choose-candidates.ts";
import { rankCandidates } from "./fuse.ts";
import type { Scale } from "./fuse.ts";
import type { Call } from "./leg.ts";
import { hydrate, isCrowded, searchAgain } from "./hydrate-candidates.ts";
import type { Found, SearchPlan } from "./search-target.ts";

type ReadCandidates = {
  /** What the chunks were chosen from. */
  found: Found;
  chunks: HydratedChunk[];
  /** Fused values. */
  values: Map<ChunkId, number>;
};

type Wish = { scales: Scale[]; needed: number; threshold: number | null };

/**
 * The best of what was found in one RAG, with its texts. An index that changed since its search
 * searches again and reads in one step, so that a file being indexed anew is never missing. Where
 * the vector index mostly names what is gone, the index searches by itself in that step: one more
 * round trip, and only then.
 */
export async function readCandidates(
  call: Call,
  found: Found,
  plan: SearchPlan,
  wish: Wish,
): Promise<ReadCandidates> {
  const { values, ...choice } = choose(found, wish);
  const read = await hydrate(call, found, choice, plan);
  const first = { found, chunks: read.chunks, values };
  const deep = isCrowded(found, read, { ...wish, chosen: choice.ids.length });
  if (!read.outrun && !deep) return first;
  if (deep) call.services.log.info("vector index crowded", { ragId: found.target.rag.id });
  const again = await searchAgain(call, found, plan, { deep });
  // What is read already is better than what a part did not answer in time.
  if (again === null) return first;
  const chosen = choose(again.found, wish);
  const chunks = new Map(again.chunks.map((chunk) => [chunk.id, chunk]));
  return {
    found: again.found,
    chunks: chosen.ids.flatMap((id) => chunks.get(id) ?? []),
    values: chosen.values,
  };
}

function choose(found: Found, { scales, needed, threshold }: Wish) {
  const rule = { searchMode: found.searchMode, weight: found.fusionWeight };
  const ranked = rankCandidates(found.queries, rule, scales);
  const { approximate } = found;
  const choice = chooseCandidates(ranked, { needed, threshold, approximate });
  return { ...choice, values: new Map(ranked.map(({ id, value }) => [id, value])) };
}
