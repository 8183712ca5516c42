import { DatabaseSync } from "node:sqlite";

import { hashEmbedding } from "../../../src/adapters/embedded/hash-embedder.ts";
import type { ChunkId } from "../../../src/core/ids.ts";
import { foldForDuplicates } from "../../../src/core/hash.ts";
import { extractDocument } from "../../../src/documents/extract-document.ts";
import { fuseQuery, scaleOf } from "../../../src/rag-index/search/fuse.ts";
import { matchExpression, queryTerms } from "../../../src/rag-index/search/query-terms.ts";
import type { Candidate } from "../../../src/retrieval/passage-features.ts";
import { wordsOfPassage } from "../../../src/retrieval/passage-words.ts";
import { namesAndWordsOf } from "../../../src/text/words.ts";
import { cutDocument } from "../../support/cut-document.ts";
import type { Page } from "./documentation.ts";

const DIMENSIONS = 512;
const CHUNKS = { chunkSize: 400, chunkOverlap: 60, tokenizer: "unknown" } as const;
/** As a search has them: candidates of a leg, and the weight of the hashed vectors. */
const LIMIT = 100;
const WEIGHT = 0.1;
const FIND = `SELECT rowid AS chunk, bm25(words, 2.0, 1.0) AS rank FROM words
  WHERE words MATCH ? ORDER BY rank, rowid LIMIT ${LIMIT}`;

type Passage = Omit<Candidate, "fused" | "lexical" | "cosine">;

/** The best candidates of a query, in the order of the fusion. */
export type PassageWorld = (query: string, most: number) => Candidate[];

/** The hybrid search of the built-in models outside the service: the same chunks, words and rule. */
export async function passageWorld(pages: Page[]): Promise<PassageWorld> {
  const passages: Passage[] = [];
  const vectors: number[][] = [];
  const seen = new Set<string>();
  const database = new DatabaseSync(":memory:");
  database.exec(
    "CREATE VIRTUAL TABLE words USING fts5(headings, text, content = '', tokenize = 'porter unicode61')",
  );
  const add = database.prepare("INSERT INTO words (rowid, headings, text) VALUES (?, ?, ?)");
  for (const { path, text } of pages) {
    const name = path.split("/").at(-1) ?? path;
    const mimeType = path.endsWith(".md") ? "text/markdown" : "text/plain";
    const bytes = new TextEncoder().encode(text);
    const document = await extractDocument({ name, mimeType, bytes });
    const chunks = cutDocument(document, { ...CHUNKS, fileName: name });
    for (const { text: passage, headings, embeddedText } of chunks) {
      const key = foldForDuplicates(passage);
      if (seen.has(key)) continue;
      seen.add(key);
      const read = wordsOfPassage({ path, headings, text: passage });
      passages.push({ path, words: read, fileChunks: chunks.length });
      vectors.push(hashEmbedding(embeddedText, DIMENSIONS));
      const words = (of: string) => namesAndWordsOf(of).join(" ");
      add.run(passages.length, words(headings.join("\n")), words(passage));
    }
  }
  const find = database.prepare(FIND);
  return (query, most) => {
    const terms = queryTerms(query, () => 1);
    const rows = terms.length === 0 ? [] : find.all(matchExpression(terms));
    const lexical = rows.map(({ chunk, rank }) => scored(Number(chunk) - 1, -Number(rank)));
    const asked = hashEmbedding(query, DIMENSIONS);
    const cosines = vectors.map((vector) => dot(vector, asked));
    const nearest = cosines.map((cosine, at) => scored(at, cosine));
    const vector = nearest.sort((a, b) => b.score - a.score).slice(0, LIMIT);
    const legs = { lexical, vector };
    const rule = { searchMode: "hybrid", weight: WEIGHT } as const;
    const bm25 = new Map(lexical.map(({ id, score }) => [id, score]));
    return [...fuseQuery(legs, rule, scaleOf([legs]))]
      .sort((a, b) => b[1] - a[1])
      .slice(0, most)
      .flatMap(([id, fused]) => {
        const passage = passages[Number(id)];
        const cosine = cosines[Number(id)] ?? 0;
        return passage === undefined
          ? []
          : [{ ...passage, fused, cosine, lexical: bm25.get(id) ?? 0 }];
      });
  };
}

const scored = (at: number, score: number) => ({ id: String(at) as ChunkId, score });

function dot(one: number[], other: number[]): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
