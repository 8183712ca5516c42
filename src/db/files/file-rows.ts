import type { RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../core/queue-messages.ts";
import { ragFiles } from "../schema/index.ts";
import { FILE_STATUSES, type FileStatus } from "../schema/rags.ts";
import { number, columnsOf, pick, select, oneOf, orNull } from "../select.ts";
import { raw, sql, execute, type Sql, type Database } from "../sql.ts";

/** Names a file in a generation, and the change that it is indexed for. */
export const MESSAGE_FIELDS = pick(
  columnsOf(ragFiles),
  "ragId",
  "generation",
  "fileId",
  "revision",
);
export const MESSAGE = select(MESSAGE_FIELDS);

/** With the file's size; null where the source does not say it, as for a Google document. */
export const SIZED_FIELDS = {
  ...MESSAGE_FIELDS,
  size: orNull(
    number(`(select iif(f.size = 0 and f.sha256 is null, null, f.size)
      from files f where f.id = rag_files.file_id)`),
  ),
};

/** Whether the row `x` of rag_files is the one that the item `m` of a JSON list names. */
export const sameFile = (x = "rag_files"): Sql =>
  raw(`${x}.rag_id = m.value ->> 'ragId' and ${x}.generation = m.value ->> 'generation'
    and ${x}.file_id = m.value ->> 'fileId'`);

/** The key of the row `x` of rag_files. */
export const rowKey = (x = "rag_files"): Sql => raw(`${x}.rag_id, ${x}.generation, ${x}.file_id`);

/** Whether the row `x` of rag_files is one whose file is to be removed from the index, or was. */
export const isRemoved = (x = "rag_files"): Sql => raw(`${x}.status in ('deleted', 'leaving')`);

/** Not yet removed from the index; the index `rag_files_leaving` has the same condition. */
export const LEAVING = raw("status in ('deleted', 'leaving') and leased_until > 0");

/** The generations `g` that receive a file's changes and are worked on. */
export const OPEN = raw("g.state in ('live', 'building')");

/** Whether the row `x` of rag_files is one of an open generation. */
export const isOpen = (x = "rag_files"): Sql =>
  sql`exists (select 1 from rag_generations g where g.rag_id = ${raw(x)}.rag_id
    and g.generation = ${raw(x)}.generation and ${OPEN})`;

/** The path of each folder above a file (alias `f`) ends `at` a "/". */
const FOLDERS = `recursive folders(at) as (
  select instr(f.path, '/')
  union all
  select at + nullif(instr(substr(f.path, at + 1), '/'), 0) from folders where at > 0)`;

const isScope = (type: "path" | "externalId", value: string) =>
  `s.rag_id = r.id and s.type = '${type}' and s.value = ${value}`;

/**
 * Whether a RAG (alias `r`) contains a file (alias `f`): all files of its source, or those that a
 * scope names: a path, a folder (ends in `/`), an external id or that of an ancestor folder. Each
 * of these few is looked up, so that a RAG may have many scopes.
 */
export const HOLDS = raw(`(r.scope_mode = 'global'
  or exists (select 1 from rag_scopes s where ${isScope("path", "f.path")})
  or exists (with ${FOLDERS} select 1 from folders
    cross join rag_scopes s on ${isScope("path", "substr(f.path, 1, at)")} where at > 0)
  or exists (select 1 from rag_scopes s where ${isScope("externalId", "f.external_id")})
  or exists (select 1 from json_each(f.metadata, '$.ancestors') a
    cross join rag_scopes s on ${isScope("externalId", "a.value")}))`);

/** The columns of a pending row without attempts. */
const PENDING = raw(`status = 'pending', error_message = null, error_is_outside = 0, attempts = 0,
  lease_id = null, leased_until = 0`);

/** When a change became known, and until when its message is awaited, ms. */
export type PendTimes = { now: number; claimedUntil: number };

/** Makes files `f` pending in open generations of RAGs `r` that contain them. Returns messages. */
export const queueSql = (from: Sql, where: Sql, { now, claimedUntil }: PendTimes) =>
  sql`insert into rag_files (rag_id, generation, file_id, path, status, revision, claimed_until)
    select r.id, g.generation, f.id, f.path, 'pending', ${now}, ${claimedUntil}
    from ${from} cross join rag_generations g on g.rag_id = r.id and ${OPEN}
    where r.removed_at is null and ${HOLDS} and ${where}
    on conflict (rag_id, generation, file_id) do update set ${PENDING}, path = excluded.path,
      revision = max(rag_files.revision + 1, excluded.revision),
      claimed_until = excluded.claimed_until
    returning ${MESSAGE}`;

/** Makes rows of rag_files pending, whatever their status. */
export const requeueSql = ({ now, claimedUntil }: PendTimes): Sql =>
  sql`update rag_files set ${PENDING}, revision = max(rag_files.revision + 1, ${now}),
    claimed_until = ${claimedUntil}`;

/** Rows `x` of a RAG in its open generations, by status. */
export const rowsOf = (ragId: RagId, status: FileStatus): Sql =>
  sql`rag_generations g cross join rag_files x
    on x.rag_id = g.rag_id and x.generation = g.generation and x.status = ${raw(`'${status}'`)}
    where g.rag_id = ${ragId} and ${OPEN}`;

/**
 * An attempt is counted before its work begins, so that a dying or hanging worker is detected.
 * Which of its files killed it is unknown: all are suspects, are processed one by one and last, and
 * each one's attempt is counted when its own work begins. The one that kills a worker again while
 * it is read alone is given up.
 */

/** Value of `lease_id` for a suspect that is pending again. */
export const CRASHED = raw("'crashed'");

/** Whether the worker of row `x` died: one that ends normally releases its lease. */
export const isAbandoned = (x = "rag_files"): Sql =>
  raw(`(${x}.status = 'processing' and ${x}.lease_id is not null)`);

/** Whether row `x` is a suspect. */
export const isSuspect = (x: string, now: number): Sql =>
  sql`(${raw(x)}.lease_id = ${CRASHED} or (${isAbandoned(x)} and ${raw(x)}.leased_until < ${now}))`;

/** Until when nobody else takes row `x`, which is in work: its worker's lease, or its message's claim. */
export const heldUntilSql = (x = "rag_files"): Sql =>
  sql`case when ${isAbandoned(x)} then ${raw(x)}.leased_until else ${raw(x)}.claimed_until end`;

/** Added to the attempts of a suspect while it is read: who dies then dies of this file. */
export const READING = 100;

/** Counts an attempt of a suspect under this lease: more before it is read than after. */
export const countAttempt = (
  db: Database,
  file: IndexMessage,
  { leaseId, isRead }: { leaseId: string; isRead: boolean },
) =>
  execute(db)`update rag_files set attempts = attempts + ${isRead ? -READING : READING + 1}
    where rag_id = ${file.ragId} and generation = ${file.generation} and file_id = ${file.fileId}
      and lease_id = ${leaseId}`;

/** The status of a row `x` of rag_files that does not leave its RAG, as lists show it. */
export const shownStatus = (x: string) => oneOf(FILE_STATUSES, `${x}.status`);
