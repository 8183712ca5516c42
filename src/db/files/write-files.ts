import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { IndexMessage } from "../../core/queue-messages.ts";
import { files as table } from "../schema/index.ts";
import { NEW_CONTENT_ID } from "../schema/sources.ts";
import { columnsOf, namedColumns, pick, select } from "../select.ts";
import { raw, runBatch, sql, type Database } from "../sql.ts";
import { counterWritesInRags } from "./counter-writes.ts";
import { HOLDS, queueSql, type PendTimes } from "./file-rows.ts";
import { recordReadersSql, type ReaderRecords } from "./reader-store.ts";
import { markLeavingSql, type RemovalTimes } from "./removal-store.ts";

/** The fields of a file that an upload changes. `metadata` null: the file keeps its own. */
export type WrittenFile = Pick<
  typeof table.$inferSelect,
  "id" | "path" | "name" | "size" | "mimeType" | "version"
> & {
  sha256: string;
  metadata: Record<string, unknown> | null;
  /** Null: now, where the bytes change. */
  modifiedAt?: number | null;
  isNew: boolean;
};

/** Facts that the files of one upload share; times in ms. */
export type UploadOf = PendTimes & { sourceId: FileSourceId; recorded?: ReaderRecords };

const WRITTEN = select(pick(columnsOf(table, "f"), "id"));
const GIVEN = namedColumns(table, "id", "path", "name", "size", "mimeType", "version", "sha256");

/**
 * Stores files of one source with their readers and makes them `pending` in every RAG that contains
 * them, in one step; the last of several writers wins. A file that `ids` lacks was not written: its
 * new path was taken, it was purged since it was read, or the source was removed.
 */
export async function writeFiles(
  db: Database,
  files: WrittenFile[],
  { sourceId, recorded, ...times }: UploadOf,
) {
  const items = sql`json_each(${files}) m`;
  const ours = sql`${items} cross join files f on f.id = m.value ->> 'id'`;
  const isOurs = raw("f.version = m.value ->> 'version'");
  const steps = [
    sql`insert into files (${GIVEN.columns}, file_source_id, metadata, modified_at, created_at)
      select ${GIVEN.values}, ${sourceId}, coalesce(m.value ->> 'metadata', '{}'),
        coalesce(m.value ->> 'modifiedAt', ${times.now}), ${times.now}
      from ${items} where m.value ->> 'isNew'
        and exists (select 1 from file_sources where id = ${sourceId} and removed_at is null)
      on conflict do nothing`,
    sql`update files set size = m.value ->> 'size', mime_type = m.value ->> 'mimeType',
        version = m.value ->> 'version', sha256 = m.value ->> 'sha256',
        metadata = coalesce(m.value ->> 'metadata', metadata),
        modified_at = coalesce(m.value ->> 'modifiedAt',
          case when sha256 = m.value ->> 'sha256' and deleted_at is null then modified_at end,
          ${times.now}),
        content_id = case when deleted_at is null and sha256 = m.value ->> 'sha256'
            and mime_type = m.value ->> 'mimeType'
          then content_id else ${raw(NEW_CONTENT_ID)} end,
        created_at = case when deleted_at is null then created_at else ${times.now} end,
        deleted_at = null
      from ${items} where files.id = m.value ->> 'id' and not (m.value ->> 'isNew')`,
    sql`select ${WRITTEN} from ${ours} where ${isOurs}`,
    queueSql(sql`${ours} cross join rags r on r.file_source_id = f.file_source_id`, isOurs, times),
  ] as const;
  const ids = files.map((file) => file.id);
  const { before, after } = counterWritesInRags(sourceId, ids);
  const readers = recorded === undefined ? [] : recordReadersSql(sourceId, recorded, times);
  const around = { before, after: [...after, ...readers] };
  const [, , fileRows, messages] = await runBatch(db, steps, around);
  return { messages, ids: new Set(fileRows.map(({ id }) => id)) };
}

/** Makes a file with new metadata `pending` in the RAGs that contain it; null: no such file. */
export async function writeMetadata(
  db: Database,
  { path, metadata }: { path: string; metadata: Record<string, unknown> },
  sourceId: FileSourceId,
  times: PendTimes,
): Promise<IndexMessage[] | null> {
  const isFile = sql`file_source_id = ${sourceId} and path = ${path} and deleted_at is null`;
  const [fileRows, messages] = await runBatch(db, [
    sql`update files set metadata = ${metadata} where ${isFile} returning 1`,
    queueSql(
      raw("files f cross join rags r on r.file_source_id = f.file_source_id"),
      sql`f.file_source_id = ${sourceId} and f.path = ${path} and f.deleted_at is null`,
      times,
    ),
  ]);
  return fileRows.length === 0 ? null : messages;
}

export type MovedFile = { id: FileId; path: string; name: string };

/**
 * Gives files of one source new paths, which no other file may have. They are `pending` until the
 * indexes know the paths, and leave RAGs whose scopes do not contain these.
 */
export async function moveFiles(
  db: Database,
  sourceId: FileSourceId,
  files: MovedFile[],
  times: PendTimes & RemovalTimes,
) {
  const ours = sql`json_each(${files}) m cross join files f on f.id = m.value ->> 'id'`;
  const steps = [
    sql`update files set path = path || ' (' || id || ')' where file_source_id = ${sourceId}
      and deleted_at is not null and path in (select value ->> 'path' from json_each(${files}))`,
    sql`update files set path = m.value ->> 'path', name = m.value ->> 'name'
      from json_each(${files}) m where files.id = m.value ->> 'id' and deleted_at is null`,
    queueSql(
      sql`${ours} cross join rags r on r.file_source_id = f.file_source_id`,
      raw("f.deleted_at is null"),
      times,
    ),
    markLeavingSql(
      sql`${ours} cross join rag_files rf on rf.file_id = f.id
        cross join rags r on r.id = rf.rag_id where not ${HOLDS}`,
      times,
    ),
  ] as const;
  const counting = counterWritesInRags(
    sourceId,
    files.map(({ id }) => id),
  );
  const [, , messages, removals] = await runBatch(db, steps, counting);
  return { messages, removals };
}
