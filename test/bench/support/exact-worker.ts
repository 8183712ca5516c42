import { DurableObject } from "cloudflare:workers";

import { hashEmbedding } from "../../../src/adapters/embedded/hash-embedder.ts";
import { encodeHalfFloats } from "../../../src/core/half-float.ts";
import { prepareSchema } from "../../../src/rag-index/schema.ts";
import { BitSet } from "../../../src/core/bit-set.ts";
import { Eligibility } from "../../../src/rag-index/search/eligibility.ts";
import { VectorLeg } from "../../../src/rag-index/search/vector-leg.ts";
import { addToTotals, readTotals } from "../../../src/rag-index/totals.ts";
import { cosineWith, queryVector } from "../../../src/rag-index/vectors/query-vector.ts";
import { storeCodesIfLarge } from "../../../src/rag-index/vectors/stored-codes.ts";

export type Kind = "random" | "clustered" | "texts";
export type Fill = { kind: Kind; from: number; count: number; texts?: string[] };
export type Ask = { kind: Kind; query: number; text?: string; isTruth: boolean };
export type Answered = { chunks: number[]; ms: number; rowsRead: number };

type Env = { RAG_INDEX: DurableObjectNamespace<VectorBench> };

const DIMENSIONS = 1_024;
const CLUSTERS = 1_000;
/** Chunks of one cluster have cosines of about a half with each other, as texts of one topic. */
const OWN_SHARE = 1;
const LIMIT = 100;

/** Sums of uniform numbers: nearly normal, and the same at every run. */
function directionOf(seed: number): Float32Array {
  let state = Math.imul(seed + 1, 0x9e37_79b1);
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  };
  for (let warm = 0; warm < 8; warm++) next();
  return unit(Float32Array.from({ length: DIMENSIONS }, () => next() + next() + next()));
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Seeds of queries lie above those of chunks. */
function vectorOf(kind: Kind, seed: number, text = ""): Float32Array {
  if (kind === "texts") return Float32Array.from(hashEmbedding(text, DIMENSIONS));
  const own = directionOf(seed);
  if (kind === "random") return own;
  const center = directionOf(1_000_000_000 + (seed % CLUSTERS));
  return unit(own.map((value, at) => OWN_SHARE * value + (center[at] ?? 0)));
}

/** Vectors of one index object and their search, without words and texts. */
export class VectorBench extends DurableObject<Env> {
  readonly #leg: VectorLeg;
  #rowsRead = 0;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    prepareSchema(context.storage);
    const { sql } = context.storage;
    const counted = new Proxy(sql, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: Parameters<SqlStorage["exec"]>) => {
          const cursor = target.exec(...args);
          this.#cursors.push(cursor);
          return cursor;
        };
      },
    });
    this.#leg = new VectorLeg(counted);
  }

  #cursors: { rowsRead: number }[] = [];

  fill({ kind, from, count, texts = [] }: Fill): number {
    const { sql } = this.ctx.storage;
    this.ctx.storage.transactionSync(() => {
      for (let at = 0; at < count; at++) {
        const chunk = from + at + 1;
        const vector = encodeHalfFloats(vectorOf(kind, chunk, texts[at]));
        sql.exec(
          "INSERT INTO chunks (chunk, id, file, live, revision, duplicate_key) VALUES (?, ?, ?, 1, 1, ?)",
          chunk,
          `${chunk}`.padStart(40, "0"),
          Math.ceil(chunk / 20),
          `${chunk}`.padStart(64, "0"),
        );
        sql.exec("INSERT INTO contents (chunk, vector, text) VALUES (?, ?, '')", chunk, vector);
        storeCodesIfLarge(sql, [{ chunk, vector }]);
        addToTotals(sql, { chunks: 1 });
      }
    });
    return readTotals(sql).chunks;
  }

  ask({ kind, query, text, isTruth }: Ask): Answered {
    const vector = vectorOf(kind, 500_000_000 + query, text);
    if (isTruth) return { chunks: this.#truth(vector), ms: 0, rowsRead: 0 };
    const eligibility = new Eligibility({ files: null, chunkCount: 1 }, true, () => new BitSet());
    this.#cursors = [];
    const found = this.#leg.searcher([vector], eligibility, LIMIT)(0);
    this.#rowsRead = this.#cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
    return { chunks: found.map(({ id }) => Number(id)), ms: 0, rowsRead: this.#rowsRead };
  }

  /** Memory is empty again, as after an eviction. */
  forget(): void {
    this.#leg.forget();
  }

  #truth(vector: Float32Array): number[] {
    const query = queryVector(vector);
    const scored: { chunk: number; score: number }[] = [];
    for (const row of this.ctx.storage.sql.exec<{ chunk: number; vector: ArrayBuffer }>(
      "SELECT chunk, vector FROM contents",
    )) {
      scored.push({ chunk: row.chunk, score: cosineWith(query, row.vector) });
    }
    return scored
      .sort((a, b) => b.score - a.score)
      .slice(0, LIMIT)
      .map(({ chunk }) => chunk);
  }
}

export default {
  async fetch(request, env) {
    if (request.method !== "POST") return new Response(null, { status: 204 });
    const [, name = "", verb] = new URL(request.url).pathname.split("/");
    const object = env.RAG_INDEX.get(env.RAG_INDEX.idFromName(name));
    if (verb === "fill") return Response.json(await object.fill(await request.json<Fill>()));
    if (verb === "forget") {
      await object.forget();
      return Response.json(null);
    }
    return Response.json(await object.ask(await request.json<Ask>()));
  },
} satisfies ExportedHandler<Env>;
