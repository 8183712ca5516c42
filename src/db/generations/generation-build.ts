import type { RagId } from "../../core/ids.ts";
import { MINUTE_MS } from "../../core/time.ts";
import type { SizedMessage } from "../../ports/job-queue.ts";
import { MESSAGE, requeueSql, rowKey, SIZED_FIELDS, type PendTimes } from "../files/file-rows.ts";
import { ragFiles } from "../schema/index.ts";
import { columnsOf, select } from "../select.ts";
import { raw, readRows, readValue, runBatch, sql, type Database } from "../sql.ts";
import type { GenerationBuild } from "./generation-store.ts";

/** Rows `l` of the live generation of a RAG, except those that leave it. */
const isLive = (ragId: RagId) =>
  sql`l.rag_id = ${ragId} and l.status <> 'leaving'
    and l.generation = (select generation from rags where id = ${ragId})`;

const { fileId, status } = columnsOf(ragFiles);

/** The last file of the page after this one; null at the end. */
const endOfPage = (db: Database, ragId: RagId, after: string, limit: number) =>
  readValue(db, fileId)`select l.file_id from rag_files l
    where ${isLive(ragId)} and l.file_id > ${after} order by l.file_id limit 1 offset ${limit - 1}`;

/** Greater than all ids. */
const LAST = "\uffff";

const FILLED = select({ ...SIZED_FIELDS, status });

/** Adds rows for the next `limit` files. Returns messages, and the last id; null: all are done. */
export async function fillNextPage(
  db: Database,
  { ragId, generation }: GenerationBuild,
  { after, claimedUntil, limit }: { after: string; claimedUntil: number; limit: number },
): Promise<{ messages: SizedMessage[]; filledUpTo: string | null }> {
  const end = await endOfPage(db, ragId, after, limit);
  const isInPage = (x: string) =>
    sql`${raw(x)}.file_id > ${after} and ${raw(x)}.file_id <= ${end ?? LAST}`;
  const live = sql`rag_files l where ${isLive(ragId)}`;
  // No other worker has filled the page, and the generation is still being built.
  const isNext = sql`exists (select 1 from rag_generations g where g.rag_id = ${ragId}
    and g.generation = ${generation} and g.state = 'building' and g.filled_up_to = ${after})`;
  const [, filled] = await runBatch(db, [
    // Rows of a generation that was brought back whose files the RAG no longer contains.
    sql`delete from rag_files where rag_id = ${ragId} and generation = ${generation}
      and ${isInPage("rag_files")} and ${isNext}
      and not exists (select 1 from ${live} and l.file_id = rag_files.file_id)`,
    // Every file of the live generation gets a row: pending, or deleted as in the live one. An
    // existing row is kept if nothing has changed since; otherwise its indexed content stays until
    // it is replaced.
    sql`insert into rag_files (rag_id, generation, file_id, path, status, revision, indexed_at,
        claimed_until)
      select ${ragId}, ${generation}, l.file_id, l.path,
        case l.status when 'deleted' then 'deleted' else 'pending' end, l.revision, l.indexed_at,
        case l.status when 'deleted' then 0 else ${claimedUntil} end
      from ${live} and ${isInPage("l")} and ${isNext}
      on conflict (rag_id, generation, file_id) do update set status = excluded.status,
        path = excluded.path, revision = max(rag_files.revision + 1, excluded.revision),
        indexed_at = excluded.indexed_at, error_message = null, error_is_outside = 0,
        chunk_count = case excluded.status when 'deleted' then 0 else rag_files.chunk_count end,
        fingerprint = case excluded.status when 'deleted' then null else rag_files.fingerprint end,
        notes = case excluded.status when 'deleted' then '[]' else rag_files.notes end,
        attempts = 0, lease_id = null, leased_until = 0, claimed_until = excluded.claimed_until
      where rag_files.revision <> excluded.revision
      returning ${FILLED}`,
    sql`update rag_generations set filled_up_to = ${end}
      where rag_id = ${ragId} and generation = ${generation} and ${isNext}`,
  ]);
  const messages = filled.flatMap(({ status: fileStatus, ...message }) =>
    fileStatus === "pending" ? [message] : [],
  );
  return { messages, filledUpTo: end };
}

/** A failure with an outside cause is retried after this time, ms. */
const AGAIN_AFTER_MS = 15 * MINUTE_MS;

/** Files in a generation being built that failed for an outside cause long enough ago. */
export const retryOutsideFailures = (
  db: Database,
  { ragId, generation }: GenerationBuild,
  { limit, ...times }: PendTimes & { limit: number },
) =>
  readRows(db)`${requeueSql(times)} where (${rowKey()}) in (
      select ${rowKey()} from rag_files
      where rag_id = ${ragId} and generation = ${generation} and status = 'error'
        and error_is_outside = 1 and leased_until < ${times.now - AGAIN_AFTER_MS} limit ${limit})
    returning ${MESSAGE}`;

/**
 * Ready when nothing that answers now gets lost: indexed and failed files are finished, and
 * pending ones have an earlier version. If more files failed for an outside cause than succeeded,
 * the old index stays. Reads only files in progress, and failed ones if they are the majority.
 */
const READY = raw(`n.filled_up_to is null
  and not exists (select 1 from rags r
    cross join rag_files b on b.rag_id = r.id and b.generation = n.generation
      and b.status in ('pending', 'processing')
    join rag_files l on l.rag_id = r.id and l.generation = r.generation and l.file_id = b.file_id
    where r.id = n.rag_id and (l.status in ('indexed', 'error')
      or (l.chunk_count > 0 and b.chunk_count = 0)))
  and (n.error_files <= n.indexed_files
    or n.indexed_files >= (select count(*) from rag_files b where b.rag_id = n.rag_id
      and b.generation = n.generation and b.status = 'error' and b.error_is_outside = 1))`);

/** Makes the built generation live and retires the one before, in one step; false: not ready. */
export async function switchGeneration(
  db: Database,
  { ragId, generation }: GenerationBuild,
  now: number,
): Promise<boolean> {
  const goesLive = sql`exists (select 1 from rags r join rag_generations n
    on n.rag_id = r.id and n.generation = ${generation} and n.state = 'live'
    where r.id = ${ragId} and r.generation <> ${generation})`;
  const [switched] = await runBatch(db, [
    sql`update rag_generations as n set state = 'live', changed_at = ${now},
        live_since = case live_since when 0 then ${now} else live_since end
      where rag_id = ${ragId} and generation = ${generation} and state = 'building' and ${READY}
        and exists (select 1 from rags where id = ${ragId} and removed_at is null) returning 1`,
    sql`update rag_generations set state = 'retired', changed_at = ${now}
      where rag_id = ${ragId} and generation <> ${generation} and state = 'live' and ${goesLive}`,
    sql`update rags set generation = ${generation} where id = ${ragId} and ${goesLive}`,
  ]);
  return switched.length > 0;
}
