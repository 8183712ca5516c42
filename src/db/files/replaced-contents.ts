import { execute, readRows, runBatch, sql, type Database } from "../sql.ts";
import { flag, columnsOf, computed, optional, pick, select, type Row } from "../select.ts";
import { fileSources, replacedContents } from "../schema/index.ts";

const p = columnsOf(replacedContents, "p");

/**
 * What a replaced or deleted file had stored. `contentId` null: its text is still current.
 * `provider` null: the source was removed. `isCurrent`: the file has this version again.
 */
const REPLACED = select({
  ...pick(p, "id", "fileId", "path", "version", "contentId"),
  sourceId: p.fileSourceId,
  provider: optional(columnsOf(fileSources, "s").provider),
  isCurrent: computed(flag, "coalesce(f.version = p.version, 0)"),
});
export type ReplacedContent = Row<typeof REPLACED>;

/** Replaced content that is due to be deleted, the longest due first. */
export const dueReplacedContents = (db: Database, now: number, limit: number) =>
  readRows(db, REPLACED)`select ${REPLACED} from replaced_contents p
      left join file_sources s on s.id = p.file_source_id
      left join files f on f.id = p.file_id and f.deleted_at is null
    where p.due_at <= ${now} order by p.due_at, p.id limit ${limit}`;

const among = (ids: number[]) => sql`id in (select value from json_each(${ids}))`;

/**
 * They could not be deleted and are due again at `dueAt` (ms): late enough that one deletion then
 * is enough, because no worker can be left that writes them.
 */
export const postponeReplacedContents = (db: Database, ids: number[], dueAt: number) =>
  execute(db)`update replaced_contents set due_at = ${dueAt} where ${among(ids)}`;

/** Records a deletion: the first one is repeated at `againAt` (ms), after the second one none. */
export async function settleReplacedContents(db: Database, ids: number[], againAt: number) {
  await runBatch(db, [
    sql`delete from replaced_contents where ${among(ids)} and due_at > 0`,
    sql`update replaced_contents set due_at = ${againAt} where ${among(ids)}`,
  ]);
}
