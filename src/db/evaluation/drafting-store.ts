import type { Database } from "../client.ts";
import { row, text } from "../columns.ts";
import { readRows } from "../raw-sql.ts";
import type { RagRecord } from "../records.ts";

/** Rows that one choice of files reads at most, besides those that it skips. */
const CONSIDERED = 1_000;
const SKIPPED_MAX = 100_000;

/**
 * Some indexed files of a RAG, chosen at random; `place` (0 to 1, 1 excluded) says where among
 * its paths.
 */
export async function someIndexedPaths(
  db: Database,
  rag: Pick<RagRecord, "id" | "generation" | "processedFiles">,
  { limit, place }: { limit: number; place: number },
): Promise<string[]> {
  const skippable = Math.min(SKIPPED_MAX, Math.max(0, rag.processedFiles - CONSIDERED));
  const rows = await readRows(
    db,
    row({ path: text }),
    `select path from (select path from rag_files
       where rag_id = ?1 and generation = ?2 and status = 'indexed'
       order by path limit ?3 offset ?4)
     order by random() limit ?5`,
    rag.id,
    rag.generation,
    CONSIDERED,
    Math.floor(place * skippable),
    limit,
  );
  return rows.map(({ path }) => path);
}
