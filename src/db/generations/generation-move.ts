import type { RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import type { Building } from "./generation-store.ts";
import { runBatch, runOne, statement } from "../raw-sql.ts";
import { NO_NOTES } from "../schema/rags.ts";

/** A file that the generation (?2) of the RAG (?1) has, or cannot have, as it is now. */
export const BUILT = `(g.revision = rf.revision and g.state in ('indexed', 'error'))`;

/** The generation answers, and its rows up to ?5 are as it has them. */
const IS_MOVING = `exists (select 1 from rag_generations n where n.rag_id = ?1
  and n.generation = ?2 and n.state = 'live' and n.moved_after = ?5)`;

/**
 * Rows of rag_files take what the new generation has of them; what is not there waits to be
 * indexed in it. What a worker is at gets a new revision, so that what it does for the old
 * generation is void. A row that says the same already is not written: of a RAG that only grows,
 * or gets another model, hardly any is. Its fingerprint may be an old one then, which matches
 * nothing.
 */
const moveSql = (which: string) => `update rag_files set
    status = case when b.settled then b.state when status in ('deleted', 'pending') then status
      else 'pending' end,
    indexed_at = case when b.settled and b.state = 'indexed' then coalesce(indexed_at, ?3)
      else indexed_at end,
    chunk_count = case when status = 'deleted' then 0 else b.chunk_count end,
    indexed_sha256 = case when status = 'deleted' then null else b.fingerprint end,
    notes = case when status = 'deleted' then '${NO_NOTES}' else b.notes end,
    error_message = case when b.settled then b.error_message end,
    error_is_outside = case when b.settled then b.error_is_outside else 0 end,
    revision = case when b.settled or status in ('deleted', 'pending') then revision
      else max(revision + 1, ?3) end,
    attempts = case status when 'pending' then attempts else 0 end,
    lease_id = case when status in ('deleted', 'pending') then lease_id end,
    held_until = case when b.settled or status in ('deleted', 'pending') then held_until
      else ?4 end
  from (select rf.rowid as id, coalesce(g.chunk_count, 0) as chunk_count, g.fingerprint,
      coalesce(g.notes, '${NO_NOTES}') as notes,
      g.error_message, g.error_is_outside, g.state,
      coalesce(${BUILT} and rf.status in ('indexed', 'error'), 0) as settled
    from ${which} left join generation_files g
      on g.rag_id = ?1 and g.generation = ?2 and g.file_id = rf.file_id) b
  where rag_files.rowid = b.id and ${IS_MOVING}
    and case status when 'deleted' then rag_files.chunk_count <> 0
      when 'pending' then rag_files.chunk_count <> b.chunk_count
        or indexed_sha256 is not b.fingerprint or rag_files.notes <> b.notes
      else not b.settled or status <> b.state or rag_files.chunk_count <> b.chunk_count
        or rag_files.notes <> b.notes or status = 'error' end
  returning rag_id as ragId, file_id as fileId, revision, held_until = ?4 as isDue`;

/** The last file of the page after ?5; null when there is none. */
const PAGE_END = `(select max(p.file_id) from (select file_id from rag_files
  where rag_id = ?1 and file_id > ?5 order by file_id limit ?6) p)`;

const PAGE = moveSql(`(select rowid, * from rag_files
  where rag_id = ?1 and file_id > ?5 and file_id <= ${PAGE_END}) rf`);

const LOST_AT_ONCE = 1_000;

const LOST = moveSql(`(select x.rowid, x.* from generation_files e cross join rag_files x
    on x.rag_id = ?1 and x.file_id = e.file_id and x.status = 'indexed'
  where e.rag_id = ?1 and e.generation = ?2 and e.state = 'error' limit ${LOST_AT_ONCE}) rf`);

export type MoveTimes = { now: number; heldUntil: number };

/**
 * For the batch of a switch: files that no longer answer say so in the same step, the first
 * thousand of them; all else follows page by page.
 */
export const moveLostFiles = ({ ragId, generation }: Building, { now, heldUntil }: MoveTimes) =>
  statement(LOST, ragId, generation, now, heldUntil, FIRST);

/** Before the first file. */
export const FIRST = "";

export type Moving = Building & { movedAfter: string };

/** Generations that answer while rows of their files do not say so yet; one RAG's by its id. */
export async function movingGenerations(
  db: Database,
  ragId: RagId | null = null,
): Promise<Moving[]> {
  return await runOne(
    db,
    statement(
      `select g.rag_id as ragId, g.generation, g.created_at as startedAt,
         g.moved_after as movedAfter
       from rag_generations g cross join rags r on r.id = g.rag_id
       where g.moved_after is not null and +g.state = 'live' and r.removed_at is null
         and (?1 is null or g.rag_id = ?1)`,
      ragId,
    ),
  );
}

/**
 * Moves the next page of rows, and the mark behind it, in one step; whoever comes second finds
 * the mark moved and does nothing. Returns where the mark is now (null: all is done) and what is
 * to be queued.
 */
export async function moveNextPage(
  db: Database,
  { ragId, generation, movedAfter }: Moving,
  { now, heldUntil, limit }: MoveTimes & { limit: number },
): Promise<{ movedAfter: string | null; messages: IndexMessage[] }> {
  const parameters = [ragId, generation, now, heldUntil, movedAfter, limit] as const;
  const [moved, marks] = await runBatch(db, [
    statement(PAGE, ...parameters),
    statement(
      `update rag_generations set moved_after = ${PAGE_END}
       where rag_id = ?1 and generation = ?2 and state = 'live' and moved_after = ?5
       returning moved_after as movedAfter`,
      ...parameters,
    ),
  ]);
  const [mark] = marks as { movedAfter: string | null }[];
  const due = (moved as (IndexMessage & { isDue: number })[]).filter(({ isDue }) => isDue === 1);
  const messages = due.map(({ fileId, revision }) => ({ ragId, fileId, revision }));
  return { movedAfter: mark?.movedAfter ?? null, messages };
}

/**
 * For the batch that writes ends (?1) of live files: where their rows are not moved yet, the
 * generation's own notes are kept up with them, so that moving does not undo the newer facts.
 */
export const NOTE_BEFORE_MOVE = `insert into generation_files (rag_id, generation, file_id, state,
    revision, chunk_count, fingerprint, notes, error_message, error_is_outside)
  select rf.rag_id, n.generation, rf.file_id, rf.status, rf.revision,
    coalesce(m.value ->> 'chunkCount', g.chunk_count, 0),
    case m.value ->> 'chunkCount' when 0 then m.value ->> 'fingerprint'
      else coalesce(m.value ->> 'fingerprint', g.fingerprint) end,
    coalesce(m.value ->> 'notes', g.notes, '${NO_NOTES}'),
    m.value ->> 'errorMessage', m.value ->> 'errorIsOutside'
  from json_each(?1) m
    cross join rag_generations n on n.rag_id = m.value ->> 'ragId' and n.state = 'live'
      and n.generation = m.value ->> 'liveGeneration' and n.moved_after is not null
    cross join rag_files rf on rf.rag_id = n.rag_id and rf.file_id = m.value ->> 'fileId'
      and rf.file_id > n.moved_after and rf.revision = m.value ->> 'revision'
      and rf.status = m.value ->> 'status' and rf.status in ('indexed', 'error')
    left join generation_files g on g.rag_id = rf.rag_id and g.generation = n.generation
      and g.file_id = rf.file_id
  where true
  on conflict (rag_id, generation, file_id) do update set state = excluded.state,
    revision = excluded.revision, chunk_count = excluded.chunk_count,
    fingerprint = excluded.fingerprint, notes = excluded.notes,
    error_message = excluded.error_message, error_is_outside = excluded.error_is_outside`;
