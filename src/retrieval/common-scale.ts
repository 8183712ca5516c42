import { bm25Scorer } from "../text/bm25.ts";
import { indexedWordsOf } from "../text/indexed-words.ts";
import type { ChunkId } from "../core/ids.ts";
import { fuseQuery, scaleOf, type QueryLegs } from "../rag-index/search/fuse.ts";
import { counterOf } from "../rag-index/search/direct-scoring.ts";
import { modelOf } from "./rag-search.ts";
import type { ScoredChunk, ScoredList } from "./score-chunks.ts";

/**
 * Lists of RAGs that are searched in different modes, or with different models, on one scale: words
 * of all that was read are counted as one index would score them, also where a RAG was searched by
 * vectors alone. Similarities compare among lists of one model. Each list keeps its order.
 */
export function onCommonScale(lists: ScoredList[]): ScoredChunk[][] {
  const values = new Map<ChunkId, number>();
  for (const at of lists[0]?.found.queries.keys() ?? []) {
    const legs = legsOf(lists, at);
    const { lexicalBest } = scaleOf(legs);
    for (const [place, { found }] of lists.entries()) {
      const ofModel = legs.filter(
        (_, other) => modelOf(lists[other]?.found ?? found) === modelOf(found),
      );
      const scale = { ...scaleOf(ofModel), lexicalBest };
      const rule = { mode: "hybrid", weight: found.embedded?.fusionWeight ?? 0 } as const;
      for (const [id, value] of fuseQuery(legs[place] ?? NOTHING, rule, scale)) {
        values.set(id, Math.max(values.get(id) ?? 0, value));
      }
    }
  }
  return lists.map(({ chunks }) => {
    const sorted = chunks.map(({ chunk }) => values.get(chunk.id) ?? 0).sort((a, b) => b - a);
    return chunks.map((chunk, place) => ({ ...chunk, value: sorted[place] ?? 0 }));
  });
}

const NOTHING: QueryLegs = { lexical: [], vector: [] };

/** What a query would find of the chunks of each list, searched by both legs. */
function legsOf(lists: ScoredList[], at: number): QueryLegs[] {
  const statistics = lists.map(({ found }) => found.queries[at]?.statistics).find((one) => one);
  const { terms = [], corpus = { chunks: 0, words: 0 } } = statistics ?? {};
  const count = counterOf(terms.map(({ word }) => word));
  const scoreOf = bm25Scorer(terms, corpus);
  return lists.map(({ chunks }) => ({
    lexical: chunks.map(({ chunk: { id, headings, text } }) => {
      return { id, score: scoreOf(count(indexedWordsOf({ headings, text }))) };
    }),
    vector: chunks.flatMap(({ chunk: { id, similarities } }) => {
      const score = similarities[at] ?? null;
      return score === null ? [] : [{ id, score }];
    }),
  }));
}
