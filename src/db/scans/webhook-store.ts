import type { FileId, FileSourceId } from "../../core/ids.ts";
import { queueSql, type PendTimes } from "../files/file-rows.ts";
import { idOfKey } from "../page.ts";
import { fileSources, files } from "../schema/index.ts";
import { NEW_CONTENT_ID } from "../schema/sources.ts";
import { columnsOf, pick, select } from "../select.ts";
import { execute, raw, readRow, runBatch, sql, type Database } from "../sql.ts";

const HOOKED_SOURCE = select(
  pick(
    columnsOf(fileSources),
    ...(["id", "provider", "webhookSecretHash", "sealedWebhookSecret", "config"] as const),
  ),
);

/** A source, by id or identifier, and its webhook secret, hashed and maybe sealed; null: there is none. */
export const findHookedSource = (db: Database, key: string) =>
  readRow(db)`select ${HOOKED_SOURCE} from file_sources
    where id = ${idOfKey("file_sources", key)} and removed_at is null`;

export type PushedUrl = { id: FileId; url: string; name: string };

const PATH = select(pick(columnsOf(files), "path"));

/**
 * Adds pushed URLs as files; new ones are pending in every RAG that contains them. New ones
 * are added in order until the source has `maxFiles`; concurrent pushes cannot exceed that,
 * because a batch is one transaction. Returns what was added.
 */
export async function pushFiles(
  db: Database,
  sourceId: FileSourceId,
  pushed: PushedUrl[],
  { maxFiles, ...times }: PendTimes & { maxFiles: number },
): Promise<string[]> {
  const items = sql`json_each(${pushed}) m`;
  const [claims] = await runBatch(db, [
    sql`insert into files (id, file_source_id, path, external_id, url, name, size, mime_type,
        version, metadata, source_state, modified_at, created_at)
      select value ->> 'id', ${sourceId}, value ->> 'url', value ->> 'url', value ->> 'url',
        value ->> 'name', 0, 'text/html', '', '{}', '{"pushed":true}', ${times.now}, ${times.now}
      from (
        select m.value, k.id is not null as known,
          s.pushed_files + sum(k.id is null) over (order by m.key) as position
        from ${items}
          cross join file_sources s on s.id = ${sourceId} and s.removed_at is null
          left join files k on k.file_source_id = ${sourceId} and k.path = m.value ->> 'url'
      )
      where known or position <= ${maxFiles}
      on conflict (file_source_id, path) do update set
        source_state = json_set(coalesce(source_state, '{}'), '$.pushed', json('true')),
        version = case when deleted_at is null then version else '' end,
        sha256 = case when deleted_at is null then sha256 end,
        content_id = case when deleted_at is null then content_id else ${raw(NEW_CONTENT_ID)} end,
        created_at = case when deleted_at is null then created_at else excluded.created_at end,
        deleted_at = null
      returning ${PATH}`,
    sql`update file_sources set pushed_files = pushed_files + (
        select count(*) from ${items} join files f on f.id = m.value ->> 'id')
      where id = ${sourceId}`,
    queueSql(
      sql`${items} cross join files f on f.file_source_id = ${sourceId}
          and f.path = m.value ->> 'url'
        cross join rags r on r.file_source_id = f.file_source_id`,
      // A page that was read before is pending only if its scan finds it changed.
      raw("f.version = ''"),
      times,
    ),
  ]);
  return claims.map(({ path }) => path);
}

/** Records for the owner that pushed URLs were rejected. */
export const notePushesRefused = (
  db: Database,
  sourceId: FileSourceId,
  rejections: number,
  now: number,
) =>
  execute(db)`update file_sources
    set pushes_refused = pushes_refused + ${rejections}, pushes_refused_at = ${now}
    where id = ${sourceId}`;

/** Counts the pushed files again, so that purged ones free their places. */
export const recountPushedFiles = (db: Database, sourceId: FileSourceId) =>
  execute(db)`update file_sources set pushed_files = (select count(*) from files f
      where f.file_source_id = ${sourceId} and f.source_state ->> '$.pushed')
    where id = ${sourceId}`;
