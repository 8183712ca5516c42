import { keepQueries } from "../catalog/usage/keep-queries.ts";
import { sendRetrievalUsage } from "../catalog/usage/send-usage.ts";
import type { RagRecord } from "../db/records.ts";
import type { Caller } from "../http/caller.ts";
import { SEARCH } from "../inference/run-agent.ts";
import type { FileCondition } from "../ports/file-condition.ts";
import type { Restriction } from "../ports/rag-index.ts";
import { type RetrievalResult, retrieve } from "../retrieval/retrieve.ts";
import type { Services } from "../services.ts";

export type Search = {
  rags: RagRecord[];
  queries: string[];
  /** 1 to 100. */
  topK: number;
  /** Least similarity, 0 to 1. */
  threshold?: number | undefined;
  /** Absent: every file. */
  condition?: FileCondition | undefined;
  /** Default: each RAG's reranker orders what was found, where it has one. */
  reranks?: boolean;
  caller: Caller;
  signal: AbortSignal;
};

/** One retrieval, whose usage is recorded as that of our own API. */
export async function search(services: Services, request: Search): Promise<RetrievalResult> {
  const { rags, queries, topK, threshold = null, condition, reranks = true } = request;
  const { caller, signal } = request;
  const restriction = restrictionOf(condition);
  const result = await retrieve(
    services,
    {
      ...SEARCH,
      targets: rags.map((rag) => ({ rag, restriction })),
      queries,
      topK,
      useReranking: reranks,
      similarityThreshold: threshold,
    },
    { signal },
  );
  const by = { ragIds: rags.map(({ id }) => id), tokenId: caller.tokenId };
  sendRetrievalUsage(services, by, result);
  keepQueries(services, { rags, queries, tokenId: caller.tokenId }, result);
  return result;
}

/**
 * A condition as a restriction in its cheapest form. One that holds for every file restricts
 * nothing, and one of folders alone names them: of these two the vector index knows, while any
 * other condition makes the index objects look through all eligible chunks.
 */
export function restrictionOf(condition: FileCondition | undefined): Restriction {
  if (condition === undefined) return { named: null, metadata: [] };
  const simple = simplify(condition);
  if (isEverything(simple)) return { named: null, metadata: [] };
  const folders = foldersIn(simple);
  if (folders !== null) return { named: { files: [], folders }, metadata: [] };
  return { named: null, metadata: [], condition: simple };
}

const isEverything = (condition: FileCondition) => "all" in condition && condition.all.length === 0;

/** Removes parts that hold for every file, and brackets around one part alone. */
function simplify(condition: FileCondition): FileCondition {
  if ("all" in condition) {
    const all = condition.all.map(simplify).filter((part) => !isEverything(part));
    return all.length === 1 ? (all[0] ?? condition) : { all };
  }
  if ("any" in condition) {
    const any = condition.any.map(simplify);
    const everything = any.find(isEverything);
    if (everything !== undefined) return everything;
    return any.length === 1 ? (any[0] ?? condition) : { any };
  }
  return condition;
}

/** Null: it is of something else than folders, one of which is to be the file's. */
function foldersIn(condition: FileCondition): string[] | null {
  if ("folder" in condition) return [condition.folder];
  if (!("any" in condition)) return null;
  const lists = condition.any.map(foldersIn);
  return lists.includes(null) ? null : lists.flatMap((list) => list ?? []);
}
