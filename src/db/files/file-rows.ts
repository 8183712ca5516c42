import type { FileId, RagId } from "../../core/ids.ts";
import { id, nullable, number, row } from "../columns.ts";

/** A message that indexes one file, as `returning ${MESSAGE_COLUMNS}` of rag_files returns it. */
const COLUMNS = {
  ragId: id<RagId>(),
  generation: number,
  fileId: id<FileId>(),
  revision: number,
};
export const MESSAGE = row(COLUMNS);
export const MESSAGE_COLUMNS = "rag_id as ragId, generation, file_id as fileId, revision";
/**
 * The same with the file's size, which `${SIZE}` adds to what is returned; null where the source
 * does not tell it, as of a Google document that was not read yet.
 */
export const SIZED_MESSAGE = row({ ...COLUMNS, size: nullable(number) });
export const SIZE = `(select iif(f.size = 0 and f.sha256 is null, null, f.size)
  from files f where f.id = rag_files.file_id) as size`;

/** Whether the row `x` of rag_files is the one that the message `m`, a JSON object, names. */
export const sameFile = (x = "rag_files", m = "m.value") =>
  `${x}.rag_id = ${m} ->> 'ragId' and ${x}.generation = ${m} ->> 'generation'
    and ${x}.file_id = ${m} ->> 'fileId'`;

/** The key of the row `x` of rag_files. */
export const rowKey = (x = "rag_files") => `${x}.rag_id, ${x}.generation, ${x}.file_id`;

/** The generations `g` that receive a file's changes and are worked on. */
export const OPEN = `g.state in ('live', 'building')`;

/** Whether the row `x` of rag_files is one of an open generation. */
export const isOpen = (x = "rag_files") => `exists (select 1 from rag_generations g
  where g.rag_id = ${x}.rag_id and g.generation = ${x}.generation and ${OPEN})`;

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
export const HOLDS = `(r.scope_mode = 'global'
  or exists (select 1 from rag_scopes s where ${isScope("path", "f.path")})
  or exists (with ${FOLDERS} select 1 from folders
    cross join rag_scopes s on ${isScope("path", "substr(f.path, 1, at)")} where at > 0)
  or exists (select 1 from rag_scopes s where ${isScope("externalId", "f.external_id")})
  or exists (select 1 from json_each(f.metadata, '$.ancestors') a
    cross join rag_scopes s on ${isScope("externalId", "a.value")}))`;

/** The columns of a pending row without attempts. */
const PENDING = `status = 'pending', error_message = null, error_is_outside = 0, attempts = 0,
  lease_id = null, leased_until = 0`;

/**
 * Makes files `f` pending in the open generations of those RAGs `r` that contain them; `from`
 * selects both. `now` and `claimedUntil` are names of parameters.
 */
export const pendSql = (from: string, where: string, now: string, claimedUntil: string) =>
  `insert into rag_files (rag_id, generation, file_id, path, status, revision, claimed_until)
   select r.id, g.generation, f.id, f.path, 'pending', ${now}, ${claimedUntil}
   from ${from} cross join rag_generations g on g.rag_id = r.id and ${OPEN}
   where r.removed_at is null and ${HOLDS} and ${where}
   on conflict (rag_id, generation, file_id) do update set ${PENDING}, path = excluded.path,
     revision = max(rag_files.revision + 1, excluded.revision), claimed_until = excluded.claimed_until
   returning ${MESSAGE_COLUMNS}`;

/**
 * Makes rows of rag_files pending, whatever their status; `now` and `claimedUntil` are parameters.
 */
export const pendAgainSql = (now: string, claimedUntil: string) => `update rag_files set ${PENDING},
  revision = max(rag_files.revision + 1, ${now}), claimed_until = ${claimedUntil}`;

/** Rows `x` of a RAG (?1) in its open generations, by status. */
export const rowsOf = (status: string) => `rag_generations g cross join rag_files x
    on x.rag_id = g.rag_id and x.generation = g.generation and x.status = '${status}'
  where g.rag_id = ?1 and ${OPEN}`;
