import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { flag, id, nullable, number, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { execute, readRows, runBatch, statement } from "../raw-sql.ts";

/**
 * What a replaced or deleted file had stored. `contentId` null: its text is still current.
 * `provider` null: the source was removed. `isCurrent`: the file has this version again.
 */
const REPLACED = row({
  id: number,
  sourceId: id<FileSourceId>(),
  fileId: id<FileId>(),
  path: text,
  version: text,
  contentId: nullable(text),
  provider: nullable(text),
  isCurrent: flag,
});
export type ReplacedContent = Row<typeof REPLACED>;

/** Replaced content that is due to be deleted, the longest due first. */
export async function dueReplacedContents(
  db: Database,
  now: number,
  limit: number,
): Promise<ReplacedContent[]> {
  return await readRows(
    db,
    REPLACED,
    `select p.id, p.file_source_id as sourceId, p.file_id as fileId, p.path, p.version,
       p.content_id as contentId, s.provider,
       coalesce(f.version = p.version, 0) as isCurrent
     from replaced_contents p
       left join file_sources s on s.id = p.file_source_id
       left join files f on f.id = p.file_id and f.deleted_at is null
     where p.due_at <= ?1 order by p.due_at, p.id limit ?2`,
    now,
    limit,
  );
}

/**
 * They could not be deleted and are due again at `dueAt` (ms): late enough that one deletion then
 * is enough, because no worker can be left that writes them.
 */
export async function postponeReplacedContents(
  db: Database,
  ids: number[],
  dueAt: number,
): Promise<void> {
  await execute(
    db,
    `update replaced_contents set due_at = ?2 where id in (select value from json_each(?1))`,
    JSON.stringify(ids),
    dueAt,
  );
}

/** Records a deletion: the first one is repeated at `againAt` (ms), after the second one none. */
export async function settleReplacedContents(
  db: Database,
  ids: number[],
  againAt: number,
): Promise<void> {
  const list = JSON.stringify(ids);
  const among = "id in (select value from json_each(?1))";
  await runBatch(db, [
    statement(`delete from replaced_contents where ${among} and due_at > 0`, list),
    statement(`update replaced_contents set due_at = ?2 where ${among}`, list, againAt),
  ]);
}
