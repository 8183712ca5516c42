/**
 * What a retrieval costs in the runtime itself: one object with FTS5 and vectors, both legs and
 * their fusion, and nothing else. No token, no rate window, no restriction, no record.
 */
import { DurableObject } from "cloudflare:workers";

import { hashEmbedding } from "../../../src/adapters/embedded/hash-embedder.ts";
import { withoutStopWords } from "../../../src/text/stop-words.ts";
import { searchWordsOf } from "../../../src/text/words.ts";

export type Passage = { text: string; embeddedText: string; source: Record<string, unknown> };
/** `source` in JSON, as it is stored. */
type StoredPassage = { text: string; score: number; source: string };
type RetrievalBody = { semanticSearch: [string]; topK: number };
type FloorEnv = { FLOOR: DurableObjectNamespace<Floor> };

const DIMENSIONS = 1_024;
/** Of a leg, as the service takes them. */
const CANDIDATES = 100;
const FIRST_RANK = 60;
const WORDS_WEIGHT = 0.9;

const TABLES = `CREATE TABLE IF NOT EXISTS passages (
    passage INTEGER PRIMARY KEY, text TEXT NOT NULL, source TEXT NOT NULL);
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    text, content = '', tokenize = 'porter unicode61');`;

export class Floor extends DurableObject<FloorEnv> {
  /** One array a dimension, so that a scan reads only the dimensions that the query has. */
  readonly #vectors = Array.from({ length: DIMENSIONS }, () => new Float32Array(0));
  #count = 0;

  constructor(context: DurableObjectState, env: FloorEnv) {
    super(context, env);
    context.storage.sql.exec(TABLES);
  }

  load(passages: Passage[]): void {
    const { sql } = this.ctx.storage;
    const first = this.#count;
    this.#count += passages.length;
    for (const [at, column] of this.#vectors.entries()) {
      const grown = new Float32Array(this.#count);
      grown.set(column);
      this.#vectors[at] = grown;
    }
    this.ctx.storage.transactionSync(() => {
      for (const [at, { text, embeddedText, source }] of passages.entries()) {
        const passage = first + at;
        sql.exec("INSERT INTO passages VALUES (?, ?, ?)", passage, text, JSON.stringify(source));
        sql.exec("INSERT INTO words (rowid, text) VALUES (?, ?)", passage, embeddedText);
        for (const [dimension, value] of hashEmbedding(embeddedText, DIMENSIONS).entries()) {
          const column = this.#vectors[dimension];
          if (column !== undefined) column[passage] = value;
        }
      }
    });
  }

  ask(text: string, vector: Float32Array, limit: number): StoredPassage[] {
    const cosines = this.#cosines(vector);
    const fused = new Map<number, number>();
    const add = (passages: number[], weight: number) => {
      for (const [rank, passage] of passages.entries()) {
        fused.set(passage, (fused.get(passage) ?? 0) + weight / (FIRST_RANK + rank));
      }
    };
    add(this.#byWords(text), WORDS_WEIGHT);
    add(bestOf(cosines), 1 - WORDS_WEIGHT);
    const best = [...fused].sort(([, a], [, b]) => b - a).slice(0, limit);
    return best.map(([passage]) => {
      const [row] = this.ctx.storage.sql
        .exec<{ text: string; source: string }>(
          "SELECT text, source FROM passages WHERE passage = ?",
          passage,
        )
        .toArray();
      const { text = "", source = "null" } = row ?? {};
      return { text, source, score: cosines[passage] ?? 0 };
    });
  }

  #byWords(text: string): number[] {
    const match = withoutStopWords(searchWordsOf(text))
      .map((word) => `"${word}"`)
      .join(" OR ");
    if (match === "") return [];
    return this.ctx.storage.sql
      .exec<{ rowid: number }>(
        "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT ?",
        match,
        CANDIDATES,
      )
      .toArray()
      .map(({ rowid }) => rowid);
  }

  #cosines(vector: Float32Array): Float32Array {
    const sums = new Float32Array(this.#count);
    for (const [dimension, value] of vector.entries()) {
      const column = this.#vectors[dimension];
      if (value === 0 || column === undefined) continue;
      for (let at = 0; at < sums.length; at++) {
        sums[at] = (sums[at] ?? 0) + value * (column[at] ?? 0);
      }
    }
    return sums;
  }
}

/** Passages in order of their cosines: only those above the bar so far are kept and sorted. */
function bestOf(cosines: Float32Array): number[] {
  let kept: number[] = [];
  let bar = -1;
  const cut = () => {
    kept = kept.sort((a, b) => (cosines[b] ?? 0) - (cosines[a] ?? 0)).slice(0, CANDIDATES);
    bar = cosines[kept.at(-1) ?? 0] ?? -1;
  };
  for (let at = 0; at < cosines.length; at++) {
    if ((cosines[at] ?? 0) <= bar) continue;
    kept.push(at);
    if (kept.length >= 2 * CANDIDATES) cut();
  }
  cut();
  return kept;
}

/** `POST /load` with passages, and any other POST as a retrieval. */
export default {
  async fetch(request, env) {
    if (request.method !== "POST") return new Response(null, { status: 204 });
    const object = env.FLOOR.get(env.FLOOR.idFromName("floor"));
    if (new URL(request.url).pathname === "/load") {
      await object.load(await request.json<Passage[]>());
      return new Response(null, { status: 204 });
    }
    const { semanticSearch, topK } = await request.json<RetrievalBody>();
    const [text] = semanticSearch;
    const vector = Float32Array.from(hashEmbedding(text, DIMENSIONS));
    const found = await object.ask(text, vector, topK);
    const chunks = found.map(({ text, score, source }) => {
      return { text, score, source: JSON.parse(source) as unknown };
    });
    return Response.json({ chunks });
  },
} satisfies ExportedHandler<FloorEnv>;
