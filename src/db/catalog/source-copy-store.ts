import type { FileSourceId } from "../../core/ids.ts";
import { audiences, files, fileSources } from "../schema/index.ts";
import { COPIED_VERSION } from "../schema/sources.ts";
import { assignSql, columnsOf, flag, orNull, pick, select, UPDATED } from "../select.ts";
import { execute, hasRows, raw, readRow, readValues, runBatch, sql } from "../sql.ts";
import type { Database } from "../sql.ts";

/** Pushed readers of `f`, by what they are: an older revision of them may be written to `c` later. */
const HAS_OTHER_READERS = `(a.id <> coalesce(c.audience, '') and not exists (
  select 1 from json_each(a.readers) r where r.value ->> 'from' <> 'push'))`;
const FILE = select({
  ...pick(columnsOf(files, "f"), "id", "path", "version", "mimeType", "metadata", "modifiedAt"),
  size: columnsOf(files, "f").size,
  readers: orNull(columnsOf(audiences, "a").readers),
  hasOtherReaders: flag(`c.id is not null and coalesce(${HAS_OTHER_READERS}, 0)`),
});
const ORIGINAL = select({
  name: columnsOf(fileSources, "o").name,
  error: columnsOf(fileSources, "c").copyError,
});
/** The others are the copy's own: it keeps what is put into it meanwhile. */
const IS_COPIED = raw(`c.version like '${COPIED_VERSION}%'`);
const COPIED = select(pick(columnsOf(files, "c"), "path"));

/** `after`: files behind this path; empty or null: a round begins. */
type CopyPage = {
  id: FileSourceId;
  originalId: FileSourceId;
  after: string | null;
  limit: number;
};

/**
 * Files of the original that its copy lacks or has copied otherwise, in order, and, when a round
 * begins, paths of copied files that the original no longer has: all at one moment.
 */
export async function differencesOf(db: Database, { id, originalId, after, limit }: CopyPage) {
  const [differing, copies] = await runBatch(db, [
    sql`select ${FILE} from files f left join audiences a on a.id = f.audience
      left join files c on c.file_source_id = ${id} and c.path = f.path and c.deleted_at is null
      where f.file_source_id = ${originalId} and f.path > ${after ?? ""} and f.deleted_at is null
        and (c.id is null or ${IS_COPIED} and (c.sha256 is not f.sha256
          or c.mime_type <> f.mime_type or c.metadata <> f.metadata
          or c.modified_at <> f.modified_at or ${raw(HAS_OTHER_READERS)}))
      order by f.path limit ${limit}`,
    sql`select ${COPIED} from files c
      left join files f on f.file_source_id = ${originalId} and f.path = c.path
        and f.deleted_at is null
      where ${!after} and c.file_source_id = ${id} and c.deleted_at is null and f.id is null
        and ${IS_COPIED} limit ${limit}`,
  ]);
  return { files: differing, removals: copies.map(({ path }) => path) };
}

/**
 * Ends a copy (`copyOf` null), or holds it; not one that another delivery of its steps has ended,
 * nor one whose original has permissions while it has none: that takes another step.
 */
export const settleCopy = (db: Database, id: FileSourceId, copyOf: FileSourceId | null) =>
  hasRows(
    db,
  )`update file_sources set ${assignSql(fileSources, { copyOf, copyError: null })}, ${UPDATED}
    where id = ${id} and copy_of is not null and (${copyOf} is not null or not exists (
      select 1 from file_sources o where o.id = file_sources.copy_of and o.permissions = 'on'
        and file_sources.permissions = 'off')) returning 1`;

export const recordCopyFailure = (db: Database, id: FileSourceId, copyError: string) =>
  execute(db)`update file_sources set ${assignSql(fileSources, { copyError })}
    where id = ${id} and copy_of is not null`;

/** The original of a copy of a source; null: the copy is complete, or it is none. */
export const findOriginalOfCopy = (db: Database, id: FileSourceId) =>
  readRow(db)`select ${ORIGINAL} from file_sources c
    join file_sources o on o.id = c.copy_of where c.id = ${id}`;

/** Copies that still get files of a source. */
export const copiesOf = (db: Database, id: FileSourceId) =>
  readValues(db, columnsOf(fileSources).id)`select id from file_sources indexed by file_sources_copy
    where copy_of = ${id} and removed_at is null`;

/** Copies that got no files since `before` (ms); they are held until `now`. */
export const takeStalledCopies = (db: Database, before: number, limit: number) =>
  readValues(db, columnsOf(fileSources).id)`update file_sources set ${UPDATED}
    where id in (select id from file_sources indexed by file_sources_copy
      where copy_of is not null and removed_at is null
      and updated_at < ${before} limit ${limit}) returning id`;
