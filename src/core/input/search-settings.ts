import { z } from "zod";

const MAX_TOP_K = 100;
const MAX_MULTIPLIER = 10;

export const searchSettings = z.object({
  topK: z.int().min(1).max(MAX_TOP_K),
  searchMode: z.enum(["hybrid", "semantic", "keyword"]),
  useReranking: z.boolean(),
  /** Candidates before reranking: `topK` times this value. */
  candidateMultiplier: z.int().min(2).max(MAX_MULTIPLIER),
  /** Chunks below this similarity are dropped. */
  similarityThreshold: z.number().min(0).max(1),
  includeDuplicates: z.boolean(),
});
