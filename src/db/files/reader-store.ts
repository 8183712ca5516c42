import type { FileId, FileSourceId } from "../../core/ids.ts";
import { portionsOf } from "../portions.ts";
import { audiences, files, ragFiles, ragGenerations, readerChanges } from "../schema/index.ts";
import { columnsOf, pick, select, type Row } from "../select.ts";
import { execute, raw, readValues, runBatch, sql, type Database, type Sql } from "../sql.ts";

const AUDIENCE = select(columnsOf(audiences, "a"));
export type Audience = Row<typeof AUDIENCE>;

/** `isNew`: no index has heard of the file, and its first version brings its readers. */
export type RecordedFile = { id: FileId; audience: string | null; isNew: boolean };
export type Recorded = { audiences: Audience[]; files: RecordedFile[] };

/** Writes who may read files of a source, one row for each, where `when` holds. */
export function recordReadersSql(
  sourceId: FileSourceId,
  recorded: Recorded,
  { now, when = raw("true") }: { now: number; when?: Sql },
): Sql[] {
  const known = recorded.files.filter(({ isNew }) => !isNew).map(({ id }) => id);
  return [
    ...portionsOf(recorded.audiences).flatMap((some) => [
      sql`insert or ignore into audiences (id, readers, unreadable)
        select m.value ->> 'id', m.value ->> 'readers', m.value ->> 'unreadable'
        from json_each(${some}) m where ${when}`,
      sql`insert or ignore into audience_principals (principal, audience)
        select r.value ->> 'principal', m.value ->> 'id'
        from json_each(${some}) m cross join json_each(m.value, '$.readers') r where ${when}`,
    ]),
    ...portionsOf(recorded.files).map(
      (some) => sql`update files set audience = m.value ->> 'audience',
          readers_revision = max(readers_revision + 1, ${now})
        from json_each(${some}) m where files.id = m.value ->> 'id' and ${when}`,
    ),
    ...portionsOf(known).map(
      (some) => sql`insert into reader_changes (file_source_id, file_ids, at)
        select ${sourceId}, ${some}, ${now} where ${when}`,
    ),
  ];
}

/** Pushed files that have the source's default, but not as it is now. */
export const filesOfDefault = (
  db: Database,
  { id, defaultReaders }: { id: FileSourceId; defaultReaders: string[] },
  limit: number,
) =>
  readValues(db, columnsOf(files).id)`select f.id from files f
    left join audiences a on a.id = f.audience
    where f.file_source_id = ${id} and f.deleted_at is null and case
      when f.audience is null then ${defaultReaders.length > 0}
      else a.readers ->> '$[0].from' = 'default' and (
        select json_group_array(r.value ->> 'principal') from json_each(a.readers) r)
        <> ${defaultReaders.toSorted()} end
    limit ${limit}`;

const [f, g] = [columnsOf(files, "f"), columnsOf(ragGenerations, "g")];
const TOLD = select({
  ...pick(columnsOf(ragFiles, "x"), "ragId", "generation", "fileId"),
  ...pick(g, "shards"),
  ...pick(f, "audience", "readersRevision"),
});
const CHANGE = select(pick(columnsOf(readerChanges, "c"), "id"));

const CHANGES_AT_ONCE = 10;

/** The oldest changes of a source that the indexes may not know, and what they are to be told. */
export async function untoldReaders(db: Database, sourceId: FileSourceId) {
  const changed = sql`(select id, file_ids from reader_changes where file_source_id = ${sourceId}
    order by at, id limit ${CHANGES_AT_ONCE}) c`;
  const ofFiles = sql`from ${changed} cross join json_each(c.file_ids) m
    cross join files f on f.id = m.value`;
  const [changes, told, known] = await runBatch(db, [
    sql`select ${CHANGE} from ${changed}`.reading(CHANGE),
    sql`select distinct ${TOLD} ${ofFiles} cross join rag_files x on x.file_id = f.id
      cross join rag_generations g on g.rag_id = x.rag_id and g.generation = x.generation
        and g.state in ('live', 'building', 'retired')`.reading(TOLD),
    sql`select ${AUDIENCE} from audiences a
      where a.id in (select f.audience ${ofFiles})`.reading(AUDIENCE),
  ]);
  return { changes: changes.map(({ id }) => id), told, audiences: known };
}

export const forgetReaderChanges = (db: Database, ids: number[]) =>
  execute(db)`delete from reader_changes where id in (select value from json_each(${ids}))`;
