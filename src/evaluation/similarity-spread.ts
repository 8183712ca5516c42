import { decodeHalfFloats, dotProduct } from "../core/bytes/half-float.ts";
import type { RagRecord } from "../db/records.ts";
import { cosinesIn } from "../ingestion/maintenance/measure-unrelated.ts";
import type { Services } from "../services.ts";
import { percentile } from "./measures/bootstrap.ts";

/** Passages of the first shard, whose pairs are compared. */
const SAMPLED = 64;
/** Those whose closest other passage is looked for: each is a search. */
const SEARCHED = 10;
const FEWEST = 8;
const MOST = 0.95;

/** Cosines of an index's own passages: what a similarity means differs by embedding model. */
export type SimilaritySpread = {
  /** Two passages picked by chance, and what 95 % of such pairs stay below. */
  chance: number;
  chanceMost: number;
  /** A passage and the one closest to it. */
  closest: number;
};

/** Null where there are too few passages to tell. */
export async function similaritySpread(
  { ragIndexes }: Pick<Services, "ragIndexes">,
  { id: ragId, generation }: RagRecord,
): Promise<SimilaritySpread | null> {
  const index = ragIndexes({ ragId, generation, shard: 0 });
  const vectors = (await index.sample(SAMPLED)).map(({ vector }) => decodeHalfFloats(vector));
  if (vectors.length < FEWEST) return null;
  const searched = await cosinesIn(index, vectors.slice(0, SEARCHED), 2);
  // The closest of all is the passage itself.
  const closest = searched.flatMap(([, second]) => second ?? []);
  const chance = vectors.flatMap((a, at) => vectors.slice(at + 1).map((b) => dotProduct(a, b)));
  const ascending = chance.sort((a, b) => a - b);
  return {
    chance: percentile(ascending, 0.5),
    chanceMost: percentile(ascending, MOST),
    closest: percentile(
      closest.sort((a, b) => a - b),
      0.5,
    ),
  };
}
