import type { ChunkId } from "../../core/ids.ts";
import type { ChunkOrigin } from "../../ports/rag-index.ts";

/** Tells which of equal chunks in several shards came first. */
export function originsOf(sql: SqlStorage, ids: ChunkId[]): ChunkOrigin[] {
  return sql
    .exec<ChunkOrigin>(
      `SELECT c.id, c.duplicate_key AS duplicateKey, f.id AS fileId, c.position
        FROM json_each(?) wanted CROSS JOIN chunks c ON c.id = wanted.value
        JOIN files f ON f.file = c.file`,
      JSON.stringify([...new Set(ids)]),
    )
    .toArray();
}
