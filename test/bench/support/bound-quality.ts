import { POSTINGS_LIMIT } from "../../../src/rag-index/search/query-terms.ts";
import type { Collection } from "./collection.ts";
import { ndcg } from "./ndcg.ts";

type Post = <Reply>(path: string, body: unknown) => Promise<Reply>;

/** What the bound leaves of the postings of a collection, as in an index of so many chunks. */
const BOUND_AS_AT = [100_000, 200_000, 500_000, 1_000_000];
const DOCUMENTS_A_CALL = 200;
const DEPTH = 10;
const RECALL_DEPTH = 100;

/**
 * nDCG@10 and recall@100 of the lexical leg with a bound that is to the collection what the
 * service's is to an index of 100,000 to 1,000,000 chunks; the first row is without a bound.
 */
export async function boundQuality(post: Post, { documents, queries, grades }: Collection) {
  const ask = { generation: 1, shards: 1 };
  for (let at = 0; at < documents.length; at += DOCUMENTS_A_CALL) {
    await post("/load", { ...ask, documents: documents.slice(at, at + DOCUMENTS_A_CALL) });
  }
  const rows = [];
  for (const chunks of [0, ...BOUND_AS_AT]) {
    const share = chunks === 0 ? 1 : POSTINGS_LIMIT / chunks;
    const limit = chunks === 0 ? Number.MAX_SAFE_INTEGER : Math.round(documents.length * share);
    let gain = 0;
    let recall = 0;
    for (const { id, text } of queries) {
      const wanted = grades.get(id) ?? new Map<string, number>();
      const found = await post<string[]>("/bounded", { ...ask, limit, text });
      gain += ndcg(found, wanted, DEPTH);
      const first = new Set(found.slice(0, RECALL_DEPTH));
      recall += [...wanted.keys()].filter((one) => first.has(one)).length / wanted.size;
    }
    rows.push({
      chunks: chunks === 0 ? "no bound" : chunks,
      ndcgAt10: Number((gain / queries.length).toFixed(4)),
      recallAt100: Number((recall / queries.length).toFixed(4)),
    });
  }
  console.table(rows);
  return rows;
}
