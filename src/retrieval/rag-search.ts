import type { ChunkId } from "../core/ids.ts";
import type { Find, HydratedChunk, QueryCandidates } from "../ports/rag-index.ts";
import type { RetrievalCall } from "./degradations.ts";
import type { EmbeddedQueries, EmbeddedTarget } from "./embed-queries.ts";
import { chooseCandidates, rankCandidates, scaleOf } from "../rag-index/search/fuse.ts";
import type { Choice, Scale } from "../rag-index/search/fuse.ts";
import type { RetrievalTarget, SearchPlan } from "./retrieval-request.ts";
import type { SearchMode } from "./search-mode.ts";

/** `candidateCount`: those these are the best of. No `finds` where the order is the fusion's. */
type Best = Pick<ReadChunks, "chunks" | "values"> & {
  candidateCount: number;
  finds: ReadonlyMap<ChunkId, Find>[];
};

/** Findings of the legs in one RAG, over all its shards. */
export type RagFindings = {
  target: RetrievalTarget;
  /** Null: the embedding model is lost. */
  embedded: EmbeddedQueries | null;
  /** The call's mode, or `hybrid` where words replace vectors because the model failed. */
  mode: SearchMode;
  /** In the order of the queries. */
  queries: QueryCandidates[];
  /** The shard that holds a candidate, where it is known. */
  shardOf: ReadonlyMap<ChunkId, number>;
  /** The best, if the find call read them; `queries` is then filled only if the plan explains. */
  best?: Best;
  /** For each query: the nearest-neighbour index may hold more with scores up to this one. */
  floors: (number | null)[];
};

/** The best of what was found, with texts and exact similarities, in no order. */
export type ReadChunks = {
  /** The candidates they were chosen from: searched again if the index changed meanwhile. */
  found: RagFindings;
  chunks: HydratedChunk[];
  /** Fused value of each candidate. */
  values: ReadonlyMap<ChunkId, number>;
};

/**
 * Searches one RAG, then reads the best of what all RAGs found. `embedded-search.ts` and
 * `vector-index-search.ts` differ in the source of nearest neighbours, and so in what may be
 * missing. A part that fails is a degradation.
 */
export type RagSearch = {
  find: (call: RetrievalCall, target: EmbeddedTarget, plan: SearchPlan) => Promise<RagFindings>;
  /** @param scales of each query, over all RAGs that are searched together. */
  read: (
    call: RetrievalCall,
    found: RagFindings,
    plan: SearchPlan,
    scales: Scale[],
  ) => Promise<ReadChunks>;
};

/** How many of the best trade places: always, so that a larger `topK` keeps what stood first. */
export const REORDERED = { words: 20, age: 20, neighbours: 50 } as const;
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
  return Math.max(plan.needed, ages ? REORDERED.age : 0, order === null ? 0 : REORDERED[order]);
}

/** The scale of each query over all RAGs. */
export const scalesOf = (findings: RagFindings[], { queries }: SearchPlan): Scale[] =>
  queries.map((_, at) =>
    scaleOf(findings.map((finding) => finding.queries[at] ?? { lexical: [], vector: [] })),
  );

export function chooseFound(
  findings: RagFindings,
  plan: SearchPlan,
  scales: Scale[],
): Choice & { values: Map<ChunkId, number> } {
  const rule = { mode: findings.mode, weight: findings.embedded?.fusionWeight ?? 0 };
  const ranked = rankCandidates(findings.queries, rule, scales);
  const values = new Map(ranked.map(({ id, value }) => [id, value]));
  const limits = { needed: readCount(findings, plan), threshold: plan.threshold };
  return { ...chooseCandidates(ranked, findings.queries, limits), values };
}

/** Chunks that were read together with their search, less those that are not chosen after it. */
export function chosenOf(
  findings: RagFindings,
  chunks: HydratedChunk[],
  { ids, values }: ReturnType<typeof chooseFound>,
): ReadChunks {
  const chosenIds = new Set(ids);
  return { found: findings, chunks: chunks.filter(({ id }) => chosenIds.has(id)), values };
}
