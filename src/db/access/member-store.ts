import type { FileSourceId } from "../../core/ids.ts";
import { DEFAULT, PUBLIC, type Principal } from "../../core/principals.ts";
import { files, fileSources, syncedGroups, principalGroups } from "../schema/index.ts";
import { columnsOf, number, pick, notNull, select, values, type Row } from "../select.ts";
import { portionsOf, execute, readRows, readValues, runBatch, sql } from "../sql.ts";
import type { Database, Reads } from "../sql.ts";

const SOURCE = select(
  pick(
    columnsOf(fileSources),
    ...(["id", "provider", "config", "sealedSecrets"] as const),
    ...(["permissions", "permissionsSince", "defaultReaders"] as const),
  ),
);
export type GroupSource = Row<typeof SOURCE>;

/** Sources whose groups are due; each is due again at `dueAgainAt` in case this turn is lost. */
export const takeGroupSources = (db: Database, now: number, dueAgainAt: number, limit: number) =>
  readRows(db)`update file_sources set groups_due_at = ${dueAgainAt}
    where id in (select id from file_sources where permissions = 'on' and removed_at is null
      and groups_due_at <= ${now} limit ${limit}) returning ${SOURCE}`;

/** `taken`: as the turn was taken; readers that changed meanwhile have made the source due again. */
export const endTurn = (
  db: Database,
  id: FileSourceId,
  { taken: slots, dueAt, access }: { taken: number; dueAt: number; access: Record<string, number> },
) =>
  execute(db)`update file_sources set access = ${access},
    groups_due_at = case groups_due_at when ${slots} then ${dueAt} else groups_due_at end
    where id = ${id}`;

const g = columnsOf(syncedGroups, "g");

/** Groups that may read files of the source and were not read since. */
export const dueGroups = (db: Database, id: FileSourceId, since: number, limit: number) =>
  readValues(db, g.name)`select distinct r.name from (
      select r.value ->> 'principal' as name from (select distinct audience from files
        where file_source_id = ${id} and deleted_at is null) f
      cross join audiences a on a.id = f.audience cross join json_each(a.readers) r
      union all select d.value from file_sources s cross join json_each(s.default_readers) d
      where s.id = ${id}) r
    left join synced_groups g on g.file_source_id = ${id} and g.name = r.name
    where r.name glob 'group:*' and (g.synced_at is null or g.synced_at < ${since})
    limit ${limit}`;

/** Writes the members of a group that changed. */
export async function keepMembers(
  db: Database,
  revocation: {
    sourceId: FileSourceId;
    group: Principal;
    members: Principal[];
    unknown: string | null;
    now: number;
  },
): Promise<void> {
  const { sourceId, group, members, unknown, now } = revocation;
  await runBatch(db, [
    sql`delete from principal_groups where file_source_id = ${sourceId} and in_group = ${group}
      and member not in (select value from json_each(${members}))`,
    ...portionsOf(members).map(
      (some) => sql`insert or ignore into principal_groups (file_source_id, member, in_group)
        select ${sourceId}, value, ${group} from json_each(${some})`,
    ),
    sql`insert or replace into synced_groups
      ${values(syncedGroups, { fileSourceId: sourceId, name: group, unknown, syncedAt: now })}`,
  ]);
}
/** Members that were read of a source do not count any more. */
export const forgetMembers = (db: Database, id: FileSourceId) =>
  runBatch(db, [
    sql`delete from principal_groups where file_source_id = ${id}`,
    sql`delete from synced_groups where file_source_id = ${id}`,
  ]);

/** Members that were last read before a time (ms) do not count any more; reads all groups. */
export const expireMembers = (db: Database, before: number, reason: string) =>
  runBatch(db, [
    sql`delete from principal_groups where (file_source_id, in_group) in (
      select file_source_id, name from synced_groups where unknown is null and synced_at < ${before})`,
    sql`update synced_groups set unknown = ${reason}
      where unknown is null and synced_at < ${before}`,
  ]);

/** Whether the group `g` is the principal `p`, or one of the default readers that it stands for. */
export const LETS_IN = `(p.principal = g.name or p.principal in ('${DEFAULT}', '${PUBLIC}')
  and exists (select 1 from file_sources s cross join json_each(s.default_readers) d
    where s.id = g.file_source_id and d.value = g.name))`;

const UNKNOWN_SHOWN = 100;
const UNKNOWN = select({
  name: g.name,
  reason: notNull(g.unknown),
  files: number(`(select count(*) from audience_principals p
      cross join files f on f.audience = p.audience and f.file_source_id = g.file_source_id
      where ${LETS_IN} and f.deleted_at is null)`),
});

/** The first groups of a source whose members are not known, why, and how many files they read. */
export const unknownGroups = (db: Database, id: FileSourceId) =>
  readRows(db)`select ${UNKNOWN} from synced_groups g
    where file_source_id = ${id} and unknown is not null order by name limit ${UNKNOWN_SHOWN}`;

const DEFAULTS = select(pick(columnsOf(fileSources), "id", "defaultReaders"));
const MEMBERSHIP = select(pick(columnsOf(principalGroups), "fileSourceId", "inGroup"));

const f = columnsOf(files, "f");
const UNSENT = select({ fileId: f.id, revision: f.readersRevision });
/** Many times what is unsent while all indexes answer: a page of a scan, or a batch of a push. */
export const MAX_UNSENT = 10_000;

/**
 * The groups that these principals are in, as each of these sources lists them, the sources'
 * default readers, and files with an audience that indexes may not know, up to one more than
 * `MAX_UNSENT`.
 */
export async function readerFacts(db: Reads, sources: FileSourceId[], members: Principal[]) {
  const [memberships, untold, ofSources] = await runBatch(db, [
    sql`select ${MEMBERSHIP} from principal_groups
      where file_source_id in (select value from json_each(${sources}))
      and member in (select value from json_each(${members}))`,
    sql`select distinct ${UNSENT} from json_each(${sources}) s
      cross join reader_changes c on c.file_source_id = s.value
      cross join json_each(c.file_ids) m cross join files f on f.id = m.value
      limit ${MAX_UNSENT + 1}`,
    sql`select ${DEFAULTS} from file_sources
      where id in (select value from json_each(${sources}))`,
  ]);
  const bySource = Map.groupBy(memberships, ({ fileSourceId }) => fileSourceId);
  const groups = new Map(
    Array.from(bySource, ([id, rows]) => [id, rows.map(({ inGroup }) => inGroup)]),
  );
  const defaults = new Map(ofSources.map((source) => [source.id, source.defaultReaders]));
  return { groups, untold, defaults };
}
