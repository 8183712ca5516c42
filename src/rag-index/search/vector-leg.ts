import { BYTES_PER_HALF } from "../../core/bytes/half-float.ts";
import type { ChunkId } from "../../core/ids.ts";
import type { Candidate } from "../../ports/vector-index.ts";
import { InFlightMemory } from "../memory/in-flight-memory.ts";
import type { EligibleFiles, ChunkPlace } from "../memory/live-chunks.ts";
import { bytesOfSigns, SignMemory } from "../memory/sign-memory.ts";
import {
  bytesOfVectors,
  MEMORY_LIMIT_BYTES,
  vectorBudget,
  VectorMemory,
  type LiveChunkName,
} from "../memory/vector-memory.ts";
import { run, valueOf, readTotals, type Row } from "../tables.ts";
import { BestFew, type ScoredKey } from "../vectors/best-few.ts";
import { cosineWith, queryVector, type QueryVector } from "../vectors/query-vector.ts";
import type { ChunkChange } from "../write/write-context.ts";
import type { Eligibility } from "./eligibility.ts";

/** Up to this many vectors are read from storage faster than all are loaded into memory. */
const READ_FROM_STORAGE_LIMIT = 2_000;
/** Smaller shares are read from storage: the other chunks' signs would be loaded for nothing. */
const READ_FROM_STORAGE_SHARE = 0.1;

type LiveVector = ChunkPlace & Row<"contents", "vector">;

const OF_FILES = `SELECT c.chunk, c.duplicate, v.vector FROM json_each(?) wanted
  CROSS JOIN chunks c ON c.file = wanted.value AND c.live = 1
  CROSS JOIN contents v ON v.chunk = c.chunk`;
const OF_IN_FLIGHT = `SELECT c.chunk, c.duplicate, v.vector FROM in_flight_vectors u
  CROSS JOIN chunks c ON c.chunk = u.chunk
  CROSS JOIN contents v ON v.chunk = c.chunk WHERE u.live = 1`;
const OF_ALL = `SELECT c.chunk, c.duplicate, v.vector
  FROM chunks c CROSS JOIN contents v ON v.chunk = c.chunk WHERE c.live = 1`;

/** All vectors of an index object are of one model. */
function storedDimensions(sql: SqlStorage): number {
  const bytes = valueOf<number>(sql)`SELECT length(vector) FROM contents LIMIT 1`;
  return (bytes ?? 0) / BYTES_PER_HALF;
}

/** Exact nearest neighbours among the live chunks of one index object. */
export class VectorLeg {
  readonly #sql: SqlStorage;
  readonly #inFlight: InFlightMemory;
  #memory: VectorMemory | SignMemory | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#inFlight = new InFlightMemory(sql);
  }

  /** Called when the set of vectors visible in the vector index changes. */
  outdateInFlight(): void {
    this.#inFlight.markOutdated();
  }

  follow(change: ChunkChange): void {
    this.outdateInFlight();
    if (this.#memory === null) return;
    const before = this.#memory.bytes;
    if (!this.#memory.follow(this.#sql, change)) return this.forget();
    const { bytes } = this.#memory;
    if (bytes > before && !vectorBudget.claim(this, bytes)) this.#memory = null;
  }

  /** After a failed write, memory may be ahead of storage; or other holders need the memory. */
  forget(): void {
    this.#memory = null;
    vectorBudget.release(this);
    this.outdateInFlight();
  }

  /**
   * Finds the best eligible chunks, query by query; of a null query none. What is done for all
   * queries at once is done here. `among`: in-flight ones are a few thousand at most.
   * @throws Error when a query's dimensions differ from those of the stored vectors.
   */
  searcher(
    vectors: (Float32Array | null)[],
    eligibility: Eligibility,
    { limit, among }: { limit: number; among: "all" | "in-flight" },
  ): (at: number) => Candidate[] {
    const queries = vectors.map((vector) => (vector === null ? null : queryVector(vector)));
    const queryVectors = queries.filter((query) => query !== null);
    if (queryVectors.length === 0 || eligibility.chunkCount === 0) return () => [];
    const memory =
      among === "all"
        ? this.#memoryFor(eligibility)
        : this.#inFlight.current(() => storedDimensions(this.#sql));
    if (memory === null) {
      const rows = this.#rowsOf(eligibility, among);
      const candidates = this.#inPlaces(queries, bestOf(rows, queryVectors, eligibility, limit));
      return (at) => candidates[at] ?? [];
    }
    return (at) => {
      const query = queries[at] ?? null;
      if (query === null) return [];
      const best =
        memory instanceof SignMemory
          ? memory.search(this.#sql, query, eligibility, limit)
          : memory.scan(query, eligibility, limit);
      return this.#candidatesOf(best);
    };
  }

  #inPlaces(queries: (QueryVector | null)[], scored: ScoredKey[][]): Candidate[][] {
    let next = 0;
    return queries.map((query) => (query === null ? [] : this.#candidatesOf(scored[next++] ?? [])));
  }

  /** Whole vectors where these are few, their signs where they are not or memory is short. */
  #memoryFor({ files, chunkCount }: EligibleFiles): VectorMemory | SignMemory | null {
    if (this.#memory !== null) {
      vectorBudget.use(this);
      return this.#memory;
    }
    const { chunks } = readTotals(this.#sql);
    const few = Math.max(READ_FROM_STORAGE_LIMIT, READ_FROM_STORAGE_SHARE * chunks);
    if (files !== null && chunkCount <= few) return null;
    const dimensions = storedDimensions(this.#sql);
    const bytes = bytesOfVectors(chunks, dimensions);
    if (bytes <= MEMORY_LIMIT_BYTES && vectorBudget.claim(this, bytes)) {
      this.#memory = VectorMemory.load(this.#sql, dimensions);
    } else if (vectorBudget.claim(this, bytesOfSigns(chunks, dimensions))) {
      this.#memory = SignMemory.load(this.#sql, dimensions);
    }
    return this.#memory;
  }

  #rowsOf({ files }: Eligibility, among: "all" | "in-flight"): Iterable<LiveVector> {
    if (among === "in-flight") return this.#sql.exec<LiveVector>(OF_IN_FLIGHT);
    if (files === null) return this.#sql.exec<LiveVector>(OF_ALL);
    return this.#sql.exec<LiveVector>(OF_FILES, JSON.stringify([...files]));
  }

  /** A live chunk that is in memory; null: it must be read. */
  nameOf(chunk: number): LiveChunkName | null {
    return this.#memory instanceof VectorMemory ? this.#memory.nameOf(chunk) : null;
  }

  #candidatesOf(scored: ScoredKey[]): Candidate[] {
    const candidates: Candidate[] = [];
    for (const { key, score } of scored) {
      const candidate = this.nameOf(key);
      if (candidate !== null) candidates.push({ id: candidate.id, score });
    }
    if (candidates.length === scored.length) return candidates;
    const keys = scored.map(({ key }) => key);
    const rows = run(this.#sql)`SELECT c.chunk, c.id
      FROM json_each(${keys}) wanted CROSS JOIN chunks c ON c.chunk = wanted.value`;
    const ids = new Map(rows.raw<[number, ChunkId]>());
    return scored.flatMap(({ key, score }) => {
      const id = ids.get(key);
      return id === undefined ? [] : [{ id, score }];
    });
  }
}

function bestOf(
  rows: Iterable<LiveVector>,
  queries: QueryVector[],
  eligibility: Eligibility,
  limit: number,
): ScoredKey[][] {
  const best = queries.map(() => new BestFew(limit));
  for (const { chunk, duplicate, vector } of rows) {
    if (!eligibility.includes({ chunk, duplicate: duplicate === 1 })) continue;
    queries.forEach((query, at) => best[at]?.offer(chunk, cosineWith(query, vector)));
  }
  return best.map((few) => few.sortItems());
}
