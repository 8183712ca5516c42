import type { ChunkId } from "../core/ids.ts";
import type { HydratedChunk } from "../ports/rag-index.ts";
import { chooseCandidates } from "./choose-candidates.ts";
import { rankCandidates } from "./fuse.ts";
import type { Scale } from "./fuse.ts";
import type { Call } from "./leg.ts";
import { hydrate, searchAgain } from "./search-target.ts";
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
 * searches again and reads in one step, so that a file being indexed anew is never missing.
 */
export async function readCandidates(
  call: Call,
  found: Found,
  plan: SearchPlan,
  wish: Wish,
): Promise<ReadCandidates> {
  const { ids, values } = choose(found, wish);
  const { chunks, outrun } = await hydrate(call, found, ids, plan);
  if (!outrun) return { found, chunks, values };
  const again = await searchAgain(call, found, plan);
  const chosen = choose(again.found, wish);
  const read = new Map(again.chunks.map((chunk) => [chunk.id, chunk]));
  return {
    found: again.found,
    chunks: chosen.ids.flatMap((id) => read.get(id) ?? []),
    values: chosen.values,
  };
}

function choose(found: Found, { scales, needed, threshold }: Wish) {
  const rule = { searchMode: found.target.rag.searchMode, weight: found.fusionWeight };
  const ranked = rankCandidates(found.queries, rule, scales);
  const { approximate } = found;
  const ids = chooseCandidates(ranked, { needed, threshold, approximate });
  return { ids, values: new Map(ranked.map(({ id, value }) => [id, value])) };
}
