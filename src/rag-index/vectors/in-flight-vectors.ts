import { folderOf } from "../../core/folders.ts";
import { chunkOfVector, vectorIdOf, type FileId } from "../../core/ids.ts";
import type { FileUpsertBatch } from "../../ports/vector-ledger.ts";
import { LEFT, rowsOf, run, readSetting, valueOf, type Row } from "../tables.ts";
import type { Verb } from "../write/write-context.ts";
import { noteFolders, settleMoved } from "./vector-folders.ts";

/** In-flight live chunks, which every search scans (tens of ms); a file beyond waits for room. */
const IN_FLIGHT_LIMIT_CHUNKS = 5_000;
/** Time from seeing a vector to relying on it: longer than a search takes. */
const TRUST_AFTER_MS = 10_000;

const SENDS_VECTORS = "sendsVectors";

/** Vectors of this index are sent to a vector index, now or earlier. */
export const sendsVectors = (sql: SqlStorage) => readSetting(sql, SENDS_VECTORS) !== null;

/** Recorded before the first vector is sent, with the rows that list it as in flight. */
function noteSending(sql: SqlStorage): void {
  run(sql)`INSERT OR IGNORE INTO settings (name, value) VALUES (${SENDS_VECTORS}, '1')`;
}

/** Chunks that were just stored are being sent to the vector index. */
export function addInFlight(sql: SqlStorage, chunks: number[], batch: FileUpsertBatch): void {
  noteSending(sql);
  run(sql)`INSERT INTO in_flight_vectors (chunk, batch, sent_at, folder)
    SELECT value, ${batch.id}, ${batch.at}, ${batch.folder} FROM json_each(${chunks})`;
}

/** Marks chunks missing in the vector index: searches scan them until they are visible. */
export function addMissing(sql: SqlStorage, chunks: number[]): number {
  const room = Math.max(0, IN_FLIGHT_LIMIT_CHUNKS - countLiveInFlight(sql));
  const added = rowsOf(sql)`INSERT OR IGNORE INTO in_flight_vectors (chunk, live)
    SELECT value, 1 FROM json_each(${chunks.slice(0, room)}) RETURNING 1`;
  return added.length;
}

const countLiveInFlight = (sql: SqlStorage) =>
  valueOf<number>(sql)`SELECT count(*) FROM in_flight_vectors WHERE live = 1` ?? 0;

export const countInFlight = (sql: SqlStorage) =>
  valueOf<number>(sql)`SELECT count(*) FROM in_flight_vectors` ?? 0;

/** Whether in-flight vectors stay within their limit after this change of live chunks. */
export function hasRoom(sql: SqlStorage, entering: number[], leaving: number[]): boolean {
  const countAmong = (chunks: number[], live: boolean | null) =>
    valueOf<number>(sql)`SELECT count(*) FROM json_each(${chunks}) c
      CROSS JOIN in_flight_vectors u ON u.chunk = c.value AND u.live = coalesce(${live}, u.live)` ??
    0;
  const added = countAmong(entering, null);
  if (added === 0) return true;
  // Vectors sent again because their file moved are listed too, but no search scans them.
  const freed = countAmong(leaving, true);
  return countLiveInFlight(sql) + added - freed <= IN_FLIGHT_LIMIT_CHUNKS;
}

export function markInFlightLive(sql: SqlStorage, chunks: number[]): void {
  run(sql)`UPDATE in_flight_vectors SET live = 1
    WHERE chunk IN (SELECT value FROM json_each(${chunks}))`;
}

export function deleteInFlight(sql: SqlStorage, chunks: number[]): void {
  run(sql)`DELETE FROM in_flight_vectors WHERE chunk IN (SELECT value FROM json_each(${chunks}))`;
}

export const inFlightBatches: Verb<"inFlightBatches"> = ({ sql }, limit) => {
  // With a single max(), SQLite takes the other columns from the same row.
  const rows = rowsOf<
    { batch: number; at: number } & Row<"in_flight_vectors", "folder"> &
      Row<"chunks", "chunk" | "id">
  >(sql)`SELECT u.batch, u.at, u.chunk, u.folder, c.id FROM (
      SELECT batch, sent_at AS at, max(chunk) AS chunk, folder FROM in_flight_vectors
      WHERE batch IS NOT NULL AND seen_at IS NULL GROUP BY batch ORDER BY at LIMIT ${limit}
    ) u CROSS JOIN chunks c ON c.chunk = u.chunk`;
  return rows.map(({ batch, at, id, chunk, folder }) => {
    return { id: batch, at, vectorId: vectorIdOf(id, chunk), folder };
  });
};

export const confirmSeen: Verb<"confirmSeen"> = ({ sql }, batches, now) => {
  run(sql)`DELETE FROM in_flight_vectors WHERE seen_at <= ${now - TRUST_AFTER_MS}`;
  run(sql)`UPDATE in_flight_vectors SET seen_at = ${now}
    WHERE seen_at IS NULL AND batch IN (SELECT value FROM json_each(${batches}))`;
  settleMoved(sql);
};

/** A live file's vectors go under its current folder, others where they were sent before. */
export const vectorsToUpsert: Verb<"vectorsToUpsert"> = ({ sql }, sentBefore, limit) => {
  const rows = rowsOf<
    { fileId: FileId } & Row<"chunks", "chunk" | "id"> &
      Row<"files", "state" | "path"> &
      Row<"in_flight_vectors", "folder"> &
      Row<"contents", "vector">
  >(sql)`SELECT c.chunk, c.id, f.id AS fileId, f.state, f.path, u.folder, v.vector FROM (
      SELECT chunk, folder FROM in_flight_vectors WHERE seen_at IS NULL
        AND (batch IS NULL OR sent_at < ${sentBefore}) ORDER BY chunk LIMIT ${limit}
    ) u CROSS JOIN chunks c ON c.chunk = u.chunk
    JOIN files f ON f.file = c.file JOIN contents v ON v.chunk = c.chunk`;
  return rows.map((row) => ({
    vectorId: vectorIdOf(row.id, row.chunk),
    fileId: row.fileId,
    folder: row.state === "live" ? folderOf(row.path) : row.folder,
    vector: new Uint8Array(row.vector),
  }));
};

export const recordUpsert: Verb<"recordUpsert"> = ({ sql }, vectors, { id, at }) => {
  noteSending(sql);
  const upserts = vectors.map(({ vectorId, folder }) => [chunkOfVector(vectorId), folder]);
  const rows = rowsOf<Row<"chunks", "chunk" | "file"> & Row<"in_flight_vectors", "folder">>(sql)`
    SELECT c.chunk, c.file, sent.value ->> 1 AS folder FROM json_each(${upserts}) sent
    CROSS JOIN chunks c ON c.id = sent.value ->> 0 AND c.live <> ${LEFT}`;
  const folders = rows.map(({ chunk, folder }) => [chunk, folder]);
  run(sql)`UPDATE in_flight_vectors SET batch = ${id}, sent_at = ${at},
      folder = sent.value ->> 1, seen_at = NULL
    FROM json_each(${folders}) sent WHERE chunk = sent.value ->> 0`;
  noteFolders(sql, rows);
};
