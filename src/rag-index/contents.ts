import type { FileId } from "../core/ids.ts";
import type { IndexFacts, RagIndex } from "../ports/rag-index.ts";
import { stringsIn } from "./stored-json.ts";
import { readTotals } from "./totals.ts";

type Stored = { sql: SqlStorage };
type ListedFiles = Awaited<ReturnType<RagIndex["listFiles"]>>;

export function facts({ sql }: Stored): IndexFacts {
  const { chunks, files, staged, tombstones } = readTotals(sql);
  return { chunks, files, staged, tombstones };
}

/** Files with a live version in order of id, hidden ones included. */
export function listFiles({ sql }: Stored, after: FileId | null, limit: number): ListedFiles {
  return sql
    .exec<ListedFiles[number]>(
      `SELECT id AS fileId, revision, chunk_count AS chunkCount FROM files
        WHERE id > ? AND state = 'live' ORDER BY id LIMIT ?`,
      after ?? "",
      limit,
    )
    .toArray();
}

/** Live chunks at equal distances; the cost does not depend on their number. */
export function sample({ sql }: Stored, count: number): { text: string; headings: string[] }[] {
  const rows = sql.exec<{ text: string; headings: string }>(
    `SELECT t.text, c.headings FROM chunks c JOIN texts t ON t.chunk = c.chunk
      WHERE c.live = 1 AND c.chunk IN (
        SELECT (SELECT n.chunk FROM chunks n WHERE n.chunk >= ends.low + step.value * ends.width / ?1
          ORDER BY n.chunk LIMIT 1)
        FROM (SELECT min(chunk) AS low, max(chunk) - min(chunk) AS width FROM chunks) ends,
          json_each(?2) step)`,
    count,
    JSON.stringify(Array.from({ length: count }, (_, at) => at)),
  );
  return Array.from(rows, ({ text, headings }) => ({ text, headings: stringsIn(headings) }));
}
