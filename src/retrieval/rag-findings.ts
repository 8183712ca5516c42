import type { QueryScores, SearchMode, SearchReply } from "../ports/rag-index.ts";
import type { EmbeddedQueries } from "./embed-queries.ts";
import type { RetrievalTarget, SearchPlan } from "./retrieval-request.ts";

/** Findings of a search in one RAG, over all its shards. */
export type RagFindings = Pick<SearchReply, "chunks" | "candidates" | "relation"> & {
  target: RetrievalTarget;
  /** Null: the embedding model is lost. */
  embedded: EmbeddedQueries | null;
  /** The call's mode, or `hybrid` where words replace vectors because these are lost. */
  mode: SearchMode;
  queries: QueryScores[];
};

/**
 * So many passages trade places in an answer of up to `first`; in a longer one `long`, among which what
 * is close to the best moves up behind the first, which stay.
 */
export const NEIGHBOURS = { among: 75, first: 50, long: 200 } as const;
/** How many of the best trade places: always, so that a larger `topK` keeps what stood first. */
const REORDERED = { words: 20, age: 20, neighbours: NEIGHBOURS.among } as const;
/** Models whose vectors weigh less repeat what the words say; others order by meaning. */
const MIN_MEANING = 0.5;

/**
 * What puts the best of a hybrid search in order: words, headings and names (`order-by-words.ts`),
 * or how close they are to each other (`score-by-neighbours.ts`). Null: the fusion or a reranker.
 */
export function orderOf(
  { target: { rag }, embedded }: Pick<RagFindings, "target" | "embedded">,
  { reranks }: Pick<SearchPlan, "reranks">,
): "words" | "neighbours" | null {
  const isReranked = reranks && rag.reranker !== null;
  if (rag.searchMode !== "hybrid" || embedded === null || isReranked) return null;
  return embedded.fusionWeight < MIN_MEANING ? "words" : "neighbours";
}

/** How many of the best trade places in this order. */
export const reorderedCount = (
  order: "words" | "neighbours",
  { needed }: Pick<SearchPlan, "needed">,
): number =>
  order === "neighbours" && needed > NEIGHBOURS.first ? NEIGHBOURS.long : REORDERED[order];

/** Vectors of one model and size compare. */
export const modelOf = ({ target: { rag } }: Pick<RagFindings, "target">): string =>
  `${rag.dimensions} ${rag.embeddingModel}`;

/** How many of the best are read: the answer, and all that may trade places with it. */
export function readCount(
  findings: Pick<RagFindings, "target" | "embedded">,
  plan: Pick<SearchPlan, "needed" | "reranks">,
): number {
  const order = orderOf(findings, plan);
  const ages = findings.target.rag.recencyHalfLifeDays !== null;
  const reordered = order === null ? 0 : reorderedCount(order, plan);
  return Math.max(plan.needed, ages ? REORDERED.age : 0, reordered);
}
