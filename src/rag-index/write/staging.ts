import type { ChunkId, FileId } from "../../core/ids.ts";
import { vectorIdOf } from "../../core/vector-id.ts";
import type { StagedChunk } from "../../ports/rag-index.ts";
import type { FileUpsertBatch, StoredVector } from "../../ports/vector-ledger.ts";
import { findFile, findOrAddFile, isSuperseded } from "./files.ts";
import { addToTotals } from "../totals.ts";
import { addInFlight } from "../vectors/in-flight-vectors.ts";
import { storeCodesIfLarge } from "../vectors/stored-codes.ts";
import { noteFolders } from "../vectors/vector-folders.ts";

type Stored = { sql: SqlStorage };

/** The ids of these files' chunks whose text and vector are not stored. */
export function missing({ sql }: Stored, files: { fileId: FileId; ids: ChunkId[] }[]): ChunkId[] {
  return files.flatMap((file) => missingOf(sql, file));
}

function missingOf(
  sql: SqlStorage,
  { fileId, ids }: { fileId: FileId; ids: ChunkId[] },
): ChunkId[] {
  const file = findFile(sql, fileId);
  if (file === null) return ids;
  const rows = sql.exec<{ id: ChunkId }>(
    `SELECT value AS id FROM json_each(?)
      WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE id = value AND file = ?)`,
    JSON.stringify(ids),
    file.file,
  );
  return Array.from(rows, ({ id }) => id);
}

/** The stored vectors of these ids of the file. */
export function vectors(
  { sql }: Stored,
  fileId: FileId,
  ids: ChunkId[],
): { id: ChunkId; vector: Uint8Array }[] {
  const file = findFile(sql, fileId);
  if (file === null) return [];
  const rows = sql.exec<{ id: ChunkId; vector: ArrayBuffer }>(
    `SELECT c.id, v.vector FROM json_each(?) wanted
      CROSS JOIN chunks c ON c.id = wanted.value AND c.file = ?
      JOIN vectors v ON v.chunk = c.chunk`,
    JSON.stringify(ids),
    file.file,
  );
  return Array.from(rows, ({ id, vector }) => ({ id, vector: new Uint8Array(vector) }));
}

/**
 * Stores content that no search sees yet. Void when a later revision of the file is known. For a
 * chunk already stored, only the revision is raised, so that an older job does not delete it.
 * Returns what was added.
 */
export function stage(
  { sql }: Stored,
  fileId: FileId,
  revision: number,
  chunks: StagedChunk[],
  batch?: FileUpsertBatch,
): StoredVector[] {
  if (isSuperseded(findFile(sql, fileId), revision)) return [];
  const { file } = findOrAddFile(sql, fileId);
  const added: { id: ChunkId; chunk: number; vector: Uint8Array }[] = [];
  for (const { id, text, duplicateKey, vector } of chunks) {
    const row = sql
      .exec<{ chunk: number }>(
        `INSERT INTO chunks (id, file, revision, duplicate_key) VALUES (?, ?, ?, ?)
          ON CONFLICT (id) DO NOTHING RETURNING chunk`,
        id,
        file,
        revision,
        duplicateKey,
      )
      .toArray()[0];
    if (row === undefined) {
      sql.exec("UPDATE chunks SET revision = max(revision, ?) WHERE id = ?", revision, id);
      continue;
    }
    sql.exec("INSERT INTO texts (chunk, text) VALUES (?, ?)", row.chunk, text);
    sql.exec("INSERT INTO vectors (chunk, vector) VALUES (?, ?)", row.chunk, vector);
    added.push({ id, chunk: row.chunk, vector });
  }
  if (batch !== undefined && added.length > 0) {
    noteFolders(sql, [{ file, folder: batch.folder }]);
    addInFlight(
      sql,
      added.map(({ chunk }) => chunk),
      batch,
    );
  }
  storeCodesIfLarge(sql, added);
  addToTotals(sql, { staged: added.length });
  return added.map((row) => ({ id: row.id, vectorId: vectorIdOf(row.id, row.chunk) }));
}
