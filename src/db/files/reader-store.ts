import type { FileId, FileSourceId } from "../../core/ids.ts";
import { DEFAULT } from "../../core/principals.ts";
import { LETS_IN } from "../access/member-store.ts";
import { g } from "../records.ts";
import { audiences, files, ragFiles, readerChanges, type fileSources } from "../schema/index.ts";
import { columnsOf, maybe, number, pick, select, text, type Row } from "../select.ts";
import { portionsOf, execute, raw, readRow, readValues, onlyRow, runBatch, sql } from "../sql.ts";
import type { Database, Sql } from "../sql.ts";

const AUDIENCE = select(columnsOf(audiences, "a"));
export type Audience = Row<typeof AUDIENCE>;

/** `isNew`: no index has heard of the file, and its first version brings its readers. */
export type RecordedFile = { id: FileId; audience: string | null; isNew: boolean };
export type ReaderRecords = { audiences: Audience[]; files: RecordedFile[] };

/** Writes who may read files of a source, one row for each, where `when` holds. */
export function recordReadersSql(
  sourceId: FileSourceId,
  recorded: ReaderRecords,
  { now, when = raw("true") }: { now: number; when?: Sql },
): Sql[] {
  if (recorded.files.length === 0) return [];
  const ids = recorded.files.filter(({ isNew }) => !isNew).map(({ id }) => id);
  return [
    ...audiencesSql(recorded.audiences, when),
    ...portionsOf(recorded.files).map(
      (some) => sql`update files set audience = m.value ->> 'audience',
          readers_revision = max(readers_revision + 1, ${now})
        from json_each(${some}) m where files.id = m.value ->> 'id' and ${when}`,
    ),
    ...portionsOf(ids).map(
      (some) => sql`insert into reader_changes (file_source_id, file_ids, at)
        select ${sourceId}, ${some}, ${now} where ${when}`,
    ),
    sql`update file_sources set groups_due_at = ${now} where id = ${sourceId}
      and permissions = 'on' and groups_due_at > ${now} and ${when}`,
  ];
}

const FILES_IN_CHANGE = 500;

/** Gives an audience to files that have none, or one in which an earlier version wrote the default. */
export function recordDefaultAudience(
  db: Database,
  sourceId: FileSourceId,
  audience: Audience,
  now: number,
) {
  const untold = sql`file_source_id = ${sourceId} and deleted_at is null and (audience is null
    or audience in (select id from audiences
      where readers ->> '$[0].from' = 'default' and id <> ${audience.id}))`;
  return runBatch(db, [
    ...audiencesSql([audience]),
    sql`insert into reader_changes (file_source_id, file_ids, at)
      select ${sourceId}, json_group_array(id), ${now} from (
        select id, row_number() over (order by id) / ${FILES_IN_CHANGE} as part
        from files where ${untold})
      group by part`,
    sql`update files set audience = ${audience.id},
      readers_revision = max(readers_revision + 1, ${now}) where ${untold}`,
  ]);
}

const audiencesSql = (audiences: Audience[], when = raw("true")): Sql[] =>
  portionsOf(audiences).flatMap((some) => [
    sql`insert or ignore into audiences (id, readers, unreadable)
      select m.value ->> 'id', m.value ->> 'readers', m.value ->> 'unreadable'
      from json_each(${some}) m where ${when}`,
    sql`insert or ignore into audience_principals (principal, audience)
      select r.value ->> 'principal', m.value ->> 'id'
      from json_each(${some}) m cross join json_each(m.value, '$.readers') r where ${when}`,
  ]);

const FILE_READERS = select({
  audience: maybe(columnsOf(audiences, "a")),
  ...pick(columnsOf(files, "f"), "readersRevision"),
});

/** Null: there is no such file. */
export const findFileReaders = (db: Database, sourceId: FileSourceId, path: string) =>
  readRow(db)`select ${FILE_READERS} from files f
    left join audiences a on a.id = f.audience
    where f.file_source_id = ${sourceId} and f.path = ${path} and f.deleted_at is null`;

export const MAX_PROBLEMS = 20;
/** Why nobody reads a file: its source names nobody; it names no readers, and there is no default. */
export const [NOBODY, UNNAMED] = [
  "nobody may read it at its source",
  "no readers are named for it",
];
const PROBLEM = select({
  path: columnsOf(files, "f").path,
  message: text(`coalesce(a.unreadable, iif(a.readers = '[]', '${NOBODY}', '${UNNAMED}'))`),
});
/** Whether nobody reads a file with the audience `a`, given the default readers `d`. */
const IS_NOBODYS = `case when a.id is null then d.untold
  when a.readers ->> '$[0].principal' = '${DEFAULT}' then d.readers else a.readers end = '[]'`;
const ACCESS = select({
  files: number("count(*)"),
  nobody: number(`count(*) filter (where ${IS_NOBODYS})`),
  unreadable: number("count(a.unreadable)"),
  unknown: number("count(u.audience)"),
});

type SourcePermissions = Pick<
  typeof fileSources.$inferSelect,
  "id" | "permissions" | "permissionsSince" | "defaultReaders"
>;

/**
 * Counts the files of a source that nobody can read, and says why for the first; reads every
 * file. While permissions are off, files without readers count as if they had the default ones.
 */
export async function readAccess(
  db: Database,
  { id, permissions, permissionsSince, defaultReaders }: SourcePermissions,
) {
  const ofUntold = permissions === "off" ? defaultReaders : [];
  const from = sql`from files f
    cross join (select ${defaultReaders} as readers, ${ofUntold} as untold) d
    left join audiences a on a.id = f.audience and f.readers_revision >= ${permissionsSince}
    left join (select distinct p.audience from synced_groups g
      cross join audience_principals p on ${raw(LETS_IN)}
      where g.file_source_id = ${id} and g.unknown is not null) u on u.audience = a.id
    where f.file_source_id = ${id} and f.deleted_at is null`;
  const [access, problems] = await runBatch(db, [
    sql`select ${ACCESS} ${from}`,
    sql`select ${PROBLEM} ${from} and ${raw(IS_NOBODYS)} order by f.path
      limit ${MAX_PROBLEMS}`,
  ]);
  return { ...onlyRow(access), problems };
}

/** Deletes audiences that no file has any more; reads all of them. */
export const purgeAudiences = (db: Database) =>
  runBatch(db, [
    sql`delete from audiences
      where not exists (select 1 from files f where f.audience = audiences.id)`,
    sql`delete from audience_principals where audience not in (select id from audiences)`,
  ]);

const f = columnsOf(files, "f");
const INDEXED_FILE = select({
  ...pick(columnsOf(ragFiles, "x"), "ragId", "generation", "fileId"),
  ...pick(g, "shards"),
  ...pick(f, "audience", "readersRevision"),
  // A generation that is returned to indexes what changed meanwhile as a later revision.
  from: number(`iif(x.content_id is not f.content_id,
      x.revision + (g.state = 'retired' and x.content_id is not null), 0)`),
});
const CHANGE = select(pick(columnsOf(readerChanges, "c"), "id", "at"));
export type ReaderChange = Row<typeof CHANGE>;

const CHANGES_AT_ONCE = 10;

/** The newest changes of a source, before a given one, that the indexes may not know. */
export async function readPendingChanges(
  db: Database,
  sourceId: FileSourceId,
  { at, id }: ReaderChange = { at: Number.MAX_SAFE_INTEGER, id: 0 },
) {
  const changed = sql`(select id, at, file_ids from reader_changes
    where file_source_id = ${sourceId} and (at, id) < (${at}, ${id})
    order by at desc, id desc limit ${CHANGES_AT_ONCE}) c`;
  const ofFiles = sql`from ${changed} cross join json_each(c.file_ids) m
    cross join files f on f.id = m.value`;
  const [changes, changedReaders, fileRows] = await runBatch(db, [
    sql`select ${CHANGE} from ${changed} order by c.at desc, c.id desc`,
    sql`select distinct ${INDEXED_FILE} ${ofFiles} cross join rag_files x on x.file_id = f.id
      cross join rag_generations g on g.rag_id = x.rag_id and g.generation = x.generation
        and g.state in ('live', 'building', 'retired')`,
    sql`select ${AUDIENCE} from audiences a
      where a.id in (select f.audience ${ofFiles})`,
  ]);
  return { changes, told: changedReaders, audiences: fileRows };
}

/** Sources with changes from before a time (ms) that the indexes may not know. */
export const findSourcesWithPendingChanges = (db: Database, before: number) =>
  readValues(db, columnsOf(readerChanges).fileSourceId)`select distinct file_source_id
    from reader_changes where at < ${before}`;

export const forgetReaderChanges = (db: Database, changes: ReaderChange[]) =>
  execute(db)`delete from reader_changes
    where id in (select value ->> 'id' from json_each(${changes}))`;
