import { type FileId, chunkOfVector, vectorIdOf } from "../../core/ids.ts";
import { folderOf } from "../../core/folders.ts";
import type {
  FileUpsertBatch,
  UpsertBatch,
  UpsertedVector,
  InFlightBatch,
  VectorToUpsert,
} from "../../ports/vector-ledger.ts";
import { readSetting, valueOf, type Row } from "../tables.ts";
import { noteFolders, settleMoved } from "./vector-folders.ts";

/**
 * Limit of in-flight live chunks, which every search scans: some tens of milliseconds at 1,024
 * dimensions, for the minutes after a burst. A file that would exceed the limit waits until some
 * of them are visible in the vector index.
 */
const IN_FLIGHT_LIMIT_CHUNKS = 5_000;
/** Time from seeing a vector to relying on it: longer than a search takes. */
const TRUST_AFTER_MS = 10_000;

type Stored = { sql: SqlStorage };

const SENDS_VECTORS = "sendsVectors";

/** Vectors of this index are sent to a vector index, now or earlier. */
export const sendsVectors = (sql: SqlStorage) => readSetting(sql, SENDS_VECTORS) !== null;

/** Recorded before the first vector is sent, with the rows that list it as in flight. */
function noteSending(sql: SqlStorage): void {
  sql.exec("INSERT OR IGNORE INTO settings (name, value) VALUES (?, '1')", SENDS_VECTORS);
}

/** Chunks that were just stored are being sent to the vector index. */
export function addInFlight(sql: SqlStorage, chunks: number[], batch: FileUpsertBatch): void {
  noteSending(sql);
  sql.exec(
    `INSERT INTO in_flight_vectors (chunk, batch, sent_at, folder)
      SELECT value, ?, ?, ? FROM json_each(?)`,
    batch.id,
    batch.at,
    batch.folder,
    JSON.stringify(chunks),
  );
}

/**
 * Marks live chunks missing in the vector index: searches scan them until they are visible again.
 */
export function addMissing(sql: SqlStorage, chunks: number[]): number {
  const room = Math.max(0, IN_FLIGHT_LIMIT_CHUNKS - countLiveInFlight(sql));
  const added = sql.exec(
    `INSERT OR IGNORE INTO in_flight_vectors (chunk, live) SELECT value, 1 FROM json_each(?)
      RETURNING 1`,
    JSON.stringify(chunks.slice(0, room)),
  );
  return added.toArray().length;
}

export function hasInFlight(sql: SqlStorage): boolean {
  return valueOf(sql, "SELECT 1 FROM in_flight_vectors WHERE live = 1 LIMIT 1") !== null;
}

const countLiveInFlight = (sql: SqlStorage) =>
  valueOf<number>(sql, "SELECT count(*) FROM in_flight_vectors WHERE live = 1") ?? 0;

export const countInFlight = (sql: SqlStorage) =>
  valueOf<number>(sql, "SELECT count(*) FROM in_flight_vectors") ?? 0;

/**
 * Whether activating these chunks and removing those keeps the number of in-flight vectors
 * bounded.
 */
export function hasRoom(sql: SqlStorage, entering: number[], leaving: number[]): boolean {
  const among = (chunks: number[], which: string) => {
    const query = `SELECT count(*) FROM json_each(?) c
      CROSS JOIN in_flight_vectors u ON u.chunk = c.value ${which}`;
    return valueOf<number>(sql, query, JSON.stringify(chunks)) ?? 0;
  };
  const added = among(entering, "");
  if (added === 0) return true;
  // Vectors sent again because their file moved are listed too, but no search scans them.
  const freed = among(leaving, "AND u.live = 1");
  return countLiveInFlight(sql) + added - freed <= IN_FLIGHT_LIMIT_CHUNKS;
}

export function markInFlightLive(sql: SqlStorage, chunks: number[]): void {
  sql.exec(
    "UPDATE in_flight_vectors SET live = 1 WHERE chunk IN (SELECT value FROM json_each(?))",
    JSON.stringify(chunks),
  );
}

export function deleteInFlight(sql: SqlStorage, chunks: number[]): void {
  sql.exec(
    "DELETE FROM in_flight_vectors WHERE chunk IN (SELECT value FROM json_each(?))",
    JSON.stringify(chunks),
  );
}

export function inFlightBatches({ sql }: Stored, limit: number): InFlightBatch[] {
  // With a single max(), SQLite takes the other columns from the same row.
  const rows = sql.exec<
    { batch: number; at: number } & Row<"in_flight_vectors", "chunk" | "folder"> &
      Row<"chunks", "id">
  >(
    `SELECT u.batch, u.at, u.chunk, u.folder, c.id FROM (
        SELECT batch, sent_at AS at, max(chunk) AS chunk, folder FROM in_flight_vectors
        WHERE batch IS NOT NULL AND seen_at IS NULL GROUP BY batch ORDER BY at LIMIT ?
      ) u CROSS JOIN chunks c ON c.chunk = u.chunk`,
    limit,
  );
  return Array.from(rows, (row) => ({
    id: row.batch,
    at: row.at,
    vectorId: vectorIdOf(row.id, row.chunk),
    folder: row.folder,
  }));
}

export function confirmSeen({ sql }: Stored, batches: number[], now: number): void {
  sql.exec("DELETE FROM in_flight_vectors WHERE seen_at <= ?", now - TRUST_AFTER_MS);
  sql.exec(
    `UPDATE in_flight_vectors SET seen_at = ?
      WHERE seen_at IS NULL AND batch IN (SELECT value FROM json_each(?))`,
    now,
    JSON.stringify(batches),
  );
  settleMoved(sql);
}

/** A live file's vectors go under its current folder, others where they were sent before. */
export function vectorsToUpsert(
  { sql }: Stored,
  sentBefore: number,
  limit: number,
): VectorToUpsert[] {
  const rows = sql.exec<
    { fileId: FileId } & Row<"chunks", "chunk" | "id"> &
      Row<"files", "state" | "path"> &
      Row<"in_flight_vectors", "folder"> &
      Row<"contents", "vector">
  >(
    `SELECT c.chunk, c.id, f.id AS fileId, f.state, f.path, u.folder, v.vector FROM (
        SELECT chunk, folder FROM in_flight_vectors
        WHERE seen_at IS NULL AND (batch IS NULL OR sent_at < ?) ORDER BY chunk LIMIT ?
      ) u CROSS JOIN chunks c ON c.chunk = u.chunk
      JOIN files f ON f.file = c.file JOIN contents v ON v.chunk = c.chunk`,
    sentBefore,
    limit,
  );
  return Array.from(rows, (row) => ({
    vectorId: vectorIdOf(row.id, row.chunk),
    fileId: row.fileId,
    folder: row.state === "live" ? folderOf(row.path) : row.folder,
    vector: new Uint8Array(row.vector),
  }));
}

export function recordUpsert(
  { sql }: Stored,
  vectors: UpsertedVector[],
  { id, at }: UpsertBatch,
): void {
  noteSending(sql);
  const sent = JSON.stringify(
    vectors.map(({ vectorId, folder }) => [chunkOfVector(vectorId), folder]),
  );
  const rows = sql
    .exec<Row<"chunks", "chunk" | "file"> & Row<"in_flight_vectors", "folder">>(
      `SELECT c.chunk, c.file, sent.value ->> 1 AS folder FROM json_each(?) sent
        CROSS JOIN chunks c ON c.id = sent.value ->> 0`,
      sent,
    )
    .toArray();
  sql.exec(
    `UPDATE in_flight_vectors SET batch = ?, sent_at = ?, folder = sent.value ->> 1, seen_at = NULL
      FROM json_each(?) sent WHERE chunk = sent.value ->> 0`,
    id,
    at,
    JSON.stringify(rows.map(({ chunk, folder }) => [chunk, folder])),
  );
  noteFolders(sql, rows);
}
