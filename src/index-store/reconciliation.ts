import type { ChunkId, FileId } from "../core/ids.ts";
import type { RagIndex } from "../ports/rag-index.ts";

type ListedFiles = Awaited<ReturnType<RagIndex["listFiles"]>>;

/** Files with a live version in order of id, hidden ones among them. */
export function listLiveFiles(sql: SqlStorage, after: FileId | null, limit: number): ListedFiles {
  return sql
    .exec<ListedFiles[number]>(
      `SELECT id AS fileId, revision, chunk_count AS chunkCount FROM files
        WHERE id > ? AND state = 'live' ORDER BY id LIMIT ?`,
      after ?? "",
      limit,
    )
    .toArray();
}

export function listDeadVectors(sql: SqlStorage, limit: number): ChunkId[] {
  const rows = sql.exec<{ id: ChunkId }>("SELECT id FROM dead_vectors ORDER BY id LIMIT ?", limit);
  return Array.from(rows, ({ id }) => id);
}
