import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, jsonObject, row, text, type Row } from "../columns.ts";
import { query, readRow, runBatch, statement } from "../raw-sql.ts";
import { NEW_CONTENT_ID } from "../schema/sources.ts";
import { pendSql } from "../files/file-rows.ts";

const WEB_SOURCE = row({ id: id<FileSourceId>(), webhookSecretHash: text, config: jsonObject });

/** A web source and the hash of its secret; null for an unknown id or another provider. */
export async function findWebSource(
  db: Database,
  sourceId: string,
): Promise<Row<typeof WEB_SOURCE> | null> {
  return await readRow(
    db,
    WEB_SOURCE,
    `select id, webhook_secret_hash as webhookSecretHash, config from file_sources
     where id = ?1 and provider = 'web' and removed_at is null`,
    sourceId,
  );
}

export type PushedUrl = { id: FileId; url: string; name: string };

const PATH = row({ path: text });

/**
 * Adds pushed URLs as files; new ones are pending in every RAG that contains them. New ones
 * are added in order until the source has `maxFiles`; concurrent pushes cannot exceed that,
 * because a batch is one transaction. Returns what was added.
 */
export async function pushFiles(
  db: Database,
  sourceId: FileSourceId,
  pushed: PushedUrl[],
  of: { now: number; claimedUntil: number; maxFiles: number },
): Promise<string[]> {
  const list = JSON.stringify(pushed);
  const [taken] = await runBatch(db, [
    query(
      PATH,
      `insert into files (id, file_source_id, path, external_id, url, name, size, mime_type,
         version, metadata, source_state, created_at)
       select value ->> 'id', ?2, value ->> 'url', value ->> 'url', value ->> 'url',
         value ->> 'name', 0, 'text/html', '', '{}', '{"pushed":true}', ?3
       from (
         select m.value, k.id is not null as known,
           s.pushed_files + sum(k.id is null) over (order by m.key) as position
         from json_each(?1) m
           cross join file_sources s on s.id = ?2 and s.removed_at is null
           left join files k on k.file_source_id = ?2 and k.path = m.value ->> 'url'
       )
       where known or position <= ?4
       on conflict (file_source_id, path) do update set
         source_state = json_set(coalesce(source_state, '{}'), '$.pushed', json('true')),
         version = case when deleted_at is null then version else '' end,
         sha256 = case when deleted_at is null then sha256 end,
         content_id = case when deleted_at is null then content_id else ${NEW_CONTENT_ID} end,
         created_at = case when deleted_at is null then created_at else excluded.created_at end,
         deleted_at = null
       returning path`,
      list,
      sourceId,
      of.now,
      of.maxFiles,
    ),
    statement(
      `update file_sources set pushed_files = pushed_files + (
         select count(*) from json_each(?1) m join files f on f.id = m.value ->> 'id')
       where id = ?2`,
      list,
      sourceId,
    ),
    statement(PEND_PUSHED, list, sourceId, of.now, of.claimedUntil),
  ]);
  return taken.map(({ path }) => path);
}

/** Records for the owner that pushed URLs were rejected. */
export async function notePushesRefused(
  db: Database,
  sourceId: FileSourceId,
  refused: number,
  now: number,
): Promise<void> {
  await runBatch(db, [
    statement(
      `update file_sources set pushes_refused = pushes_refused + ?2, pushes_refused_at = ?3
       where id = ?1`,
      sourceId,
      refused,
      now,
    ),
  ]);
}

/** Counts the pushed files again, so that purged ones free their places. */
export async function recountPushedFiles(db: Database, sourceId: FileSourceId): Promise<void> {
  await runBatch(db, [
    statement(
      `update file_sources set pushed_files = (
         select count(*) from files f where f.file_source_id = ?1 and f.source_state ->> '$.pushed')
       where id = ?1`,
      sourceId,
    ),
  ]);
}

const PEND_PUSHED = pendSql(
  `json_each(?1) m cross join files f on f.file_source_id = ?2 and f.path = m.value ->> 'url'
     cross join rags r on r.file_source_id = f.file_source_id`,
  // A page that was read before is pending only if its scan finds it changed.
  "f.version = ''",
  "?3",
  "?4",
);
