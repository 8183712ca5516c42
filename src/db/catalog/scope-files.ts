import type { FileSourceId } from "../../core/ids.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Database } from "../client.ts";
import { number, row } from "../columns.ts";
import { AFTER_SLASH } from "../path-range.ts";
import { readRow } from "../raw-sql.ts";

const COUNTED = row({ files: number });

/** The number of a source's files inside a scope; counting stops at `max`. */
export async function countScopeFiles(
  db: Database,
  sourceId: FileSourceId,
  { type, value }: IndexScope,
  max: number,
): Promise<number> {
  const counted = await readRow(
    db,
    COUNTED,
    `select count(*) as files from (
       select 1 from files f
       where f.file_source_id = ?1 and f.deleted_at is null and ${conditionOf(type, value)}
       limit ?3)`,
    sourceId,
    value,
    max,
  );
  return counted?.files ?? 0;
}

/** The number of a source's files; counting stops at `max`. */
export async function countSourceFiles(
  db: Database,
  sourceId: FileSourceId,
  max: number,
): Promise<number> {
  const counted = await readRow(
    db,
    COUNTED,
    `select count(*) as files from (
       select 1 from files where file_source_id = ?1 and deleted_at is null limit ?2)`,
    sourceId,
    max,
  );
  return counted?.files ?? 0;
}

/** A folder is a range of paths, so that the index can be used. */
function conditionOf(type: IndexScope["type"], value: string): string {
  if (type === "externalId") {
    return `(f.external_id = ?2
      or exists (select 1 from json_each(f.metadata, '$.ancestors') where value = ?2))`;
  }
  if (!value.endsWith("/")) return "f.path = ?2";
  return `f.path >= ?2 and f.path < substr(?2, 1, length(?2) - 1) || '${AFTER_SLASH}'`;
}
