import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { id, row } from "../columns.ts";
import { query, runBatch, statement } from "../raw-sql.ts";
import { NEW_CONTENT_ID } from "../schema/sources.ts";
import { countingInRags } from "./count-together.ts";
import { MESSAGE, pendSql } from "./file-rows.ts";

/** What an upload changes in a file. `metadata` null: the file keeps what it has. */
export type WrittenFile = {
  id: FileId;
  path: string;
  name: string;
  size: number;
  mimeType: string;
  version: string;
  sha256: string;
  metadata: Record<string, unknown> | null;
  isNew: boolean;
};

export type FilesWritten = {
  messages: IndexMessage[];
  /** The files that were written. */
  ids: Set<FileId>;
};

/** What is common to the files of one upload; times in ms. */
export type UploadOf = { sourceId: FileSourceId; now: number; claimedUntil: number };

const WRITTEN = row({ id: id<FileId>() });

/**
 * Stores files of one source and makes them `pending` in every RAG that contains them, in one
 * step; the last of several writers wins. A file that `ids` lacks was not written: its new path
 * was taken, or it was purged since it was read, or the source was removed.
 */
export async function writeFiles(
  db: Database,
  files: WrittenFile[],
  { sourceId, now, claimedUntil }: UploadOf,
): Promise<FilesWritten> {
  const list = JSON.stringify(files);
  const steps = [
    statement(INSERT, list, sourceId, now),
    statement(UPDATE, list, now),
    query(WRITTEN, OURS, list),
    query(MESSAGE, PEND, list, now, claimedUntil),
  ] as const;
  const ids = files.map((file) => file.id);
  const counting = countingInRags(sourceId, ids);
  const [, , written, messages] = await runBatch(db, steps, counting);
  return { messages, ids: new Set(written.map(({ id }) => id)) };
}

const OURS = `select f.id from json_each(?1) m cross join files f on f.id = m.value ->> 'id'
  where f.version = m.value ->> 'version'`;

const INSERT = `insert into files (id, file_source_id, path, name, size, mime_type, version, sha256,
    metadata, created_at)
  select m.value ->> 'id', ?2, m.value ->> 'path', m.value ->> 'name', m.value ->> 'size',
    m.value ->> 'mimeType', m.value ->> 'version', m.value ->> 'sha256',
    case json_type(m.value, '$.metadata') when 'null' then '{}' else m.value -> 'metadata' end, ?3
  from json_each(?1) m
  where m.value ->> 'isNew'
    and exists (select 1 from file_sources where id = ?2 and removed_at is null)
  on conflict do nothing`;

const UPDATE = `update files set size = m.value ->> 'size', mime_type = m.value ->> 'mimeType',
    version = m.value ->> 'version', sha256 = m.value ->> 'sha256',
    metadata = case json_type(m.value, '$.metadata') when 'null' then metadata
      else m.value -> 'metadata' end,
    content_id = case when deleted_at is null and sha256 = m.value ->> 'sha256'
        and mime_type = m.value ->> 'mimeType'
      then content_id else ${NEW_CONTENT_ID} end,
    created_at = case when deleted_at is null then created_at else ?2 end, deleted_at = null
  from json_each(?1) m where files.id = m.value ->> 'id' and not (m.value ->> 'isNew')`;

const PEND = pendSql(
  `json_each(?1) m cross join files f on f.id = m.value ->> 'id'
    cross join rags r on r.file_source_id = f.file_source_id`,
  "f.version = m.value ->> 'version'",
  "?2",
  "?3",
);
