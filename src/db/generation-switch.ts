import type { IndexMessage } from "../ports/job-queue.ts";
import type { Database } from "./client.ts";
import type { Building } from "./generation-store.ts";
import { runBatch, statement } from "./raw-sql.ts";
import { NO_NOTES } from "./schema/rags.ts";

/** A file that the building generation (?2) of the RAG (?1) has, or cannot have, as it is now. */
const BUILT = `(g.revision = rf.revision and g.state in ('indexed', 'error'))`;

/**
 * Everything that answers now answers then as well: a file that is indexed has been worked on to
 * the end, one that waits for its next version has at least an earlier one. Where more failed for
 * an outside cause than succeeded, the cause is not the files': the old index stays.
 */
const READY = `not exists (select 1 from rag_files rf
    left join generation_files g on g.rag_id = ?1 and g.generation = ?2 and g.file_id = rf.file_id
    where rf.rag_id = ?1 and rf.status <> 'deleted'
      and (rf.chunk_count > 0 or rf.status = 'indexed')
      and not coalesce(${BUILT}
        or (rf.status in ('pending', 'processing') and g.chunk_count > 0), 0))
  and not exists (select 1 from generation_files g where g.rag_id = ?1 and g.generation = ?2
    and g.state = 'processing' and g.held_until > ?3)
  and (select coalesce(sum(g.error_is_outside), 0) from generation_files g
      where g.rag_id = ?1 and g.generation = ?2 and g.state = 'error')
    <= (select count(*) from generation_files g
      where g.rag_id = ?1 and g.generation = ?2 and g.state = 'indexed')`;

const GOES_LIVE = `exists (select 1 from rags r join rag_generations n
  on n.rag_id = r.id and n.generation = ?2 and n.state = 'live'
  where r.id = ?1 and r.generation <> ?2)`;

/** Files of a switch that are queued by it; what waits beyond them the sweep takes up. */
const QUEUED_AT_ONCE = 1_000;

/**
 * Rows take what the new generation has of them; what is not there waits to be indexed in it,
 * under a new revision: what a worker still does for the old generation is void. A row that says
 * the same already is not written: of a RAG that only grows, or gets another model, hardly any is.
 * Its fingerprint may be an old one then, which matches nothing.
 */
const MOVE_FILES = `update rag_files set
    status = case when b.settled then b.state when status = 'deleted' then status
      else 'pending' end,
    indexed_at = case when b.settled and b.state = 'indexed' then coalesce(indexed_at, ?3)
      else indexed_at end,
    chunk_count = case when status = 'deleted' then 0 else b.chunk_count end,
    indexed_sha256 = case when status = 'deleted' then null else b.fingerprint end,
    notes = case when status = 'deleted' then '${NO_NOTES}' else b.notes end,
    error_message = case when b.settled then b.error_message end,
    error_is_outside = case when b.settled then b.error_is_outside else 0 end,
    revision = case when b.settled or status = 'deleted' then revision
      else max(revision + 1, ?3) end,
    attempts = 0,
    lease_id = case when status = 'deleted' then lease_id end,
    held_until = case when b.settled or status = 'deleted' then held_until else ?4 end
  from (select rf.rowid as id, coalesce(g.chunk_count, 0) as chunk_count, g.fingerprint,
      coalesce(g.notes, '${NO_NOTES}') as notes,
      g.error_message, g.error_is_outside, g.state,
      coalesce(${BUILT} and rf.status in ('indexed', 'error'), 0) as settled
    from rag_files rf left join generation_files g
      on g.rag_id = ?1 and g.generation = ?2 and g.file_id = rf.file_id
    where rf.rag_id = ?1) b
  where rag_files.rowid = b.id and ${GOES_LIVE}
    and case when status = 'deleted' then rag_files.chunk_count <> 0
      else not b.settled or status <> b.state or rag_files.chunk_count <> b.chunk_count
        or rag_files.notes <> b.notes or status = 'error' end`;

const TO_INDEX = `select rag_id as ragId, file_id as fileId, revision from rag_files
  where rag_id = ?1 and status = 'pending' and held_until = ?3 and ${GOES_LIVE}
  limit ${QUEUED_AT_ONCE}`;

/**
 * From here on the built generation answers and the one before is retired, all in one step; null
 * when it is not ready. Returns the files that are to be indexed in it yet.
 */
export async function switchGeneration(
  db: Database,
  { ragId, generation }: Building,
  of: { now: number; heldUntil: number },
): Promise<IndexMessage[] | null> {
  const [switched = [], , waiting = []] = await runBatch(db, [
    statement(
      `update rag_generations set state = 'live', changed_at = ?3,
         live_since = case live_since when 0 then ?3 else live_since end
       where rag_id = ?1 and generation = ?2 and state = 'building' and ${READY}
         and exists (select 1 from rags where id = ?1 and removed_at is null) returning 1`,
      ragId,
      generation,
      of.now,
    ),
    statement(MOVE_FILES, ragId, generation, of.now, of.heldUntil),
    statement(TO_INDEX, ragId, generation, of.heldUntil),
    statement(
      `update rag_generations set state = 'retired', changed_at = ?3
       where rag_id = ?1 and generation <> ?2 and state = 'live' and ${GOES_LIVE}`,
      ragId,
      generation,
      of.now,
    ),
    statement(`update rags set generation = ?2 where id = ?1 and ${GOES_LIVE}`, ragId, generation),
  ]);
  return switched.length === 0 ? null : (waiting as IndexMessage[]);
}
