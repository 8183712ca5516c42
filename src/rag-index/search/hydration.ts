import type { ChunkId } from "../../core/ids.ts";
import type { HydratedChunk } from "../../ports/rag-index.ts";
import { rowsOf, stringsIn, type Row } from "../tables.ts";
import type { Eligibility } from "./eligibility.ts";
import type { RankedId } from "./fuse.ts";
import { cosineWith, queryVector, type QueryVector } from "../vectors/query-vector.ts";

type Facts = HydratedChunk["file"];

/** In the order of the columns: naming each value costs 3 % of a search. */
type HydratedRow = [
  id: ChunkId,
  text: string,
  duplicateKey: string,
  fileChunks: number,
  position: number,
  headings: string,
  languages: string,
  page: number | null,
  start: number,
  end: number,
  fileId: Facts["fileId"],
  path: string,
  name: string,
  externalId: string | null,
  url: string | null,
  modifiedAt: number,
  vector: ArrayBuffer | null,
];

/** The list drives the join, so that rows come in its order. */
const ofChunks = (vector: string) =>
  `SELECT c.id, t.text, c.duplicate_key, f.chunk_count, c.position, c.headings, c.languages, c.page,
    c.start_at, c.end_at, f.id, f.path, f.name, f.external_id, f.url, f.modified_at, ${vector}
  FROM json_each(?) wanted CROSS JOIN chunks c ON c.id = wanted.value
  JOIN files f ON f.file = c.file JOIN contents t ON t.chunk = c.chunk`;
const OF_CHUNKS = ofChunks("NULL");
const WITH_VECTORS = ofChunks("t.vector");

/** Texts, places and exact similarities of candidates that the call may see. */
export function readChunks(
  sql: SqlStorage,
  candidates: RankedId[],
  queryVectors: (Float32Array | null)[],
  withVectors: boolean,
): HydratedChunk[] {
  const queries = queryVectors.map((vector) => (vector === null ? null : queryVector(vector)));
  const comparesVectors = queries.some((query) => query !== null);
  const columns = comparesVectors ? WITH_VECTORS : OF_CHUNKS;
  const scores = new Map(candidates.map(({ id, scores }) => [id, scores]));
  const rows = sql.exec(columns, JSON.stringify([...scores.keys()])).raw<HydratedRow>();
  return Array.from(rows, (row) => ({
    ...hydrated(row, queries, withVectors),
    scores: scores.get(row[0]) ?? [],
  }));
}

/** Those of these chunks that the call may see, and those that an equal chunk represents. */
export function sortOut(
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

/** Null where there is nothing to compare. */
const similaritiesOf = (vector: ArrayBuffer | null, queries: (QueryVector | null)[]) =>
  queries.map((query) => (query === null || vector === null ? null : cosineWith(query, vector)));

function hydrated(
  row: HydratedRow,
  queries: (QueryVector | null)[],
  withVectors: boolean,
): Omit<HydratedChunk, "scores"> {
  const [id, text, duplicateKey, fileChunks, position, headings, languages, ...more] = row;
  const [page, start, end, fileId, path, name, externalId, url, modifiedAt, vector] = more;
  return {
    id,
    text,
    duplicateKey,
    similarities: similaritiesOf(vector, queries),
    file: { fileId, path, name, externalId, url, modifiedAt },
    fileChunks,
    position,
    headings: stringsIn(headings),
    languages,
    page,
    start,
    end,
    ...(withVectors && vector !== null ? { vector: new Uint8Array(vector) } : {}),
  };
}
