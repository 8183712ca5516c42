import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { execute, readRow, readRows } from "../raw-sql.ts";

const DUE = row({ sourceId: id<FileSourceId>(), after: text });
const NAMED = row({ id: id<FileId>(), version: text, contentId: text });

/** The source that has waited longest for its bucket to be compared, and how far that has come. */
export async function dueUploadCheck(db: Database, now: number): Promise<Row<typeof DUE> | null> {
  return await readRow(
    db,
    DUE,
    `select id as sourceId, uploads_after as "after" from file_sources
     where uploads_due_at <= ?1 and removed_at is null order by uploads_due_at limit 1`,
    now,
  );
}

/** Of these files those that are not deleted, with the version and text that they have. */
export async function storedVersions(db: Database, ids: FileId[]): Promise<Row<typeof NAMED>[]> {
  return await readRows(
    db,
    NAMED,
    `select f.id, f.version, f.content_id as contentId
     from json_each(?1) wanted cross join files f on f.id = wanted.value
     where f.deleted_at is null`,
    ids,
  );
}

export async function recordUploadCheck(
  db: Database,
  sourceId: FileSourceId,
  { after, dueAt }: { after: string; dueAt: number },
): Promise<void> {
  await execute(
    db,
    `update file_sources set uploads_after = ?2, uploads_due_at = ?3 where id = ?1`,
    sourceId,
    after,
    dueAt,
  );
}
