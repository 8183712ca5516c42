import type { ChunkId } from "../../core/ids.ts";
import type { HydratedChunk } from "../../ports/rag-index.ts";
import { marksOf, rowsOf, stringsIn, type Row } from "../tables.ts";
import { cosineWith, queryVector } from "../vectors/query-vector.ts";
import type { Eligibility } from "./eligibility.ts";
import type { RankedId } from "./fuse.ts";

type HydratedRow = Omit<
  HydratedChunk,
  "file" | "headings" | "isNamed" | "recognised" | "similarities" | "scores" | "vector"
> &
  HydratedChunk["file"] &
  Row<"chunks", "headings" | "is_named" | "recognised"> & { vector: ArrayBuffer | null };

/** The list drives the join, so that rows come in its order. */
const chunksSql = (vector: string) => `SELECT c.id, t.text, c.duplicate_key AS duplicateKey,
    f.chunk_count AS fileChunks, c.position, c.headings, c.languages, c.page, c.start_at AS start,
    c.end_at AS end, c.is_named, c.recognised, f.id AS fileId, f.path, f.name, f.external_id AS externalId, f.url,
    f.modified_at AS modifiedAt, ${vector} AS vector
  FROM json_each(?) wanted CROSS JOIN chunks c ON c.id = wanted.value
  JOIN files f ON f.file = c.file JOIN contents t ON t.chunk = c.chunk`;
const OF_CHUNKS = chunksSql("NULL");
const WITH_VECTORS = chunksSql("t.vector");

/** Texts, places and exact similarities of candidates that the call may see. */
export function readChunks(
  sql: SqlStorage,
  candidates: RankedId[],
  queryVectors: (Float32Array | null)[],
  withVectors: boolean,
): HydratedChunk[] {
  const queries = queryVectors.map((vector) => (vector === null ? null : queryVector(vector)));
  const columns = queries.some((query) => query !== null) ? WITH_VECTORS : OF_CHUNKS;
  const scores = new Map(candidates.map(({ id, scores }) => [id, scores]));
  const rows = sql.exec<HydratedRow>(columns, JSON.stringify([...scores.keys()]));
  return Array.from(rows, ({ fileId, path, name, externalId, url, modifiedAt, ...row }) => {
    const { headings, vector, is_named, recognised, ...chunk } = row;
    return {
      ...chunk,
      headings: stringsIn(headings),
      ...marksOf({ is_named, recognised }),
      file: { fileId, path, name, externalId, url, modifiedAt },
      similarities: queries.map((query) =>
        query === null || vector === null ? null : cosineWith(query, vector),
      ),
      scores: scores.get(chunk.id) ?? [],
      ...(withVectors && vector !== null ? { vector: new Uint8Array(vector) } : {}),
    };
  });
}

/** Splits chunks into those that the call may see, and those that an equal chunk represents. */
export function splitByEligibility(
  sql: SqlStorage,
  eligibility: Eligibility,
  ids: ChunkId[],
): { eligible: Set<ChunkId>; equal: Set<ChunkId> } {
  const eligible = new Set<ChunkId>();
  const equal = new Set<ChunkId>();
  const rows = rowsOf<Row<"chunks", "id" | "chunk" | "file" | "duplicate">>(sql)`
    SELECT c.id, c.chunk, c.file, c.duplicate FROM json_each(${ids}) wanted
    CROSS JOIN chunks c ON c.id = wanted.value WHERE c.live = 1`;
  for (const { id, chunk, file, duplicate } of rows) {
    if (eligibility.includes({ chunk, duplicate: duplicate === 1 })) eligible.add(id);
    else if (eligibility.includesFile(file)) equal.add(id);
  }
  return { eligible, equal };
}
