import type { Restriction } from "../../src/ports/rag-index.ts";
import type { RetrievalRequest, RetrievalTarget } from "../../src/retrieval/retrieval-request.ts";

const EVERYTHING: Restriction = { named: null, metadata: [] };

type RequestFields = Partial<RetrievalRequest> & { named?: Restriction["named"] };

/** A search of these RAGs; of all they hold, unless files or folders are named. */
export const requestOf = (
  rags: RetrievalTarget["rag"][],
  { named = null, ...more }: RequestFields = {},
): RetrievalRequest => ({
  targets: rags.map((rag) => ({ rag, restriction: { ...EVERYTHING, named } })),
  queries: ["boiler service"],
  topK: 5,
  useReranking: false,
  candidateMultiplier: 2,
  similarityThreshold: null,
  includeDuplicates: false,
  ...more,
});
