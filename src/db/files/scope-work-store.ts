import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Database } from "../client.ts";
import { runBatch, runOne, statement } from "../raw-sql.ts";
import { leaveSql, removalsFrom } from "./removal-store.ts";
import type { Removal } from "./removal-store.ts";
import { HOLDS, PENDING_AGAIN } from "../scope-sql.ts";

/** A RAG's indexes and what they may show; null scopes: the whole source. */
export type RagScopes = { generations: [number, number][]; scopes: IndexScope[] | null };

/** Null when there is no such RAG any more. */
export async function scopesOfIndexes(db: Database, ragId: RagId): Promise<RagScopes | null> {
  const [rags, generations, scopes] = await runBatch(db, [
    statement(`select scope_mode as mode from rags where id = ?1 and removed_at is null`, ragId),
    statement(
      `select generation, shards from rag_generations
       where rag_id = ?1 and state in ('live', 'building')`,
      ragId,
    ),
    statement(`select type, value from rag_scopes where rag_id = ?1 order by type, value`, ragId),
  ]);
  const [rag] = rags as { mode: string }[];
  if (rag === undefined) return null;
  const pairs = generations as { generation: number; shards: number }[];
  return {
    generations: pairs.map(({ generation, shards }) => [generation, shards]),
    scopes: rag.mode === "global" ? null : (scopes as IndexScope[]),
  };
}

/** Where the page of a RAG's source ends that begins after `after`; null at the end. */
export async function endOfPage(
  db: Database,
  ragId: RagId,
  after: string,
  limit: number,
): Promise<string | null> {
  const [row] = await runOne<{ path: string }>(
    db,
    statement(
      `select f.path from files f join rags r on r.file_source_id = f.file_source_id
       where r.id = ?1 and f.path > ?2 order by f.path limit 1 offset ?3`,
      ragId,
      after,
      limit - 1,
    ),
  );
  return row?.path ?? null;
}

type PageRange = { after: string; upTo: string | null };

/** Gives the RAG the files of a page that it holds, and marks those that it holds no more. */
export async function applyScopesToPage(
  db: Database,
  ragId: RagId,
  { after, upTo }: PageRange,
  times: { now: number; queuedUntil: number; removedUntil: number },
): Promise<{ messages: IndexMessage[]; removals: Removal[] }> {
  const [messages, removals] = await runBatch(db, [
    statement(
      `insert into rag_files (rag_id, file_id, path, status, revision, held_until)
       select r.id, f.id, f.path, 'pending', ?2, ?3
       from rags r join files f on f.file_source_id = r.file_source_id
       where r.id = ?1 and r.removed_at is null and f.deleted_at is null
         and f.path > ?4 and (?5 is null or f.path <= ?5) and ${HOLDS}
         and not exists (select 1 from rag_files x where x.rag_id = r.id and x.file_id = f.id
           and x.status <> 'deleted')
       on conflict (rag_id, file_id) do update set ${PENDING_AGAIN}
       returning rag_id as ragId, file_id as fileId, revision`,
      ragId,
      times.now,
      times.queuedUntil,
      after,
      upTo,
    ),
    statement(
      leaveSql(`rag_files rf join files f on f.id = rf.file_id join rags r on r.id = rf.rag_id
        where rf.rag_id = ?1 and rf.path > ?4 and (?5 is null or rf.path <= ?5)
          and not ${HOLDS}`),
      ragId,
      times.now,
      times.removedUntil,
      after,
      upTo,
    ),
  ]);
  return { messages: messages as IndexMessage[], removals: removalsFrom(removals) };
}

/** Ten minutes of sweeps: by then the holds of all others have run out by themselves. */
const RELEASED_AT_ONCE = 10_000;

/**
 * What waits in this RAG is due for the next sweep: it may have been paused. No more of it than
 * the sweep takes up before holds run out, so that this stays one short statement.
 */
export async function releasePending(db: Database, ragId: RagId, heldAfter: number) {
  await runOne(
    db,
    statement(
      `update rag_files set held_until = 1 where rowid in (
         select rowid from rag_files where rag_id = ?1 and status = 'pending' and attempts = 0
           and held_until > ?2 limit ?3)`,
      ragId,
      heldAfter,
      RELEASED_AT_ONCE,
    ),
  );
}

const PEND_FAILED = `update rag_files set status = 'pending', attempts = 0, lease_id = null,
    revision = max(revision + 1, ?2), error_message = null, error_is_outside = 0, held_until = ?3
  where rowid in`;

type Times = { now: number; heldUntil: number; limit: number };

/** Failed files of a RAG wait again; one of them when `path` names it. */
export async function pendFailed(
  db: Database,
  ragId: RagId,
  path: string | null,
  { now, heldUntil, limit }: Times,
): Promise<IndexMessage[]> {
  return await runOne(
    db,
    statement(
      `${PEND_FAILED} (select rowid from rag_files where rag_id = ?1 and status = 'error'
         and (?4 is null or path = ?4) limit ?5)
       returning rag_id as ragId, file_id as fileId, revision`,
      ragId,
      now,
      heldUntil,
      path,
      limit,
    ),
  );
}

/** The same for files of a source that failed for an outside cause. */
export async function pendFailedOutside(
  db: Database,
  sourceId: FileSourceId,
  { now, heldUntil, limit }: Times,
): Promise<IndexMessage[]> {
  return await runOne(
    db,
    statement(
      `${PEND_FAILED} (select rf.rowid from rags r
         join rag_files rf on rf.rag_id = r.id and rf.status = 'error'
         where r.file_source_id = ?1 and r.removed_at is null and rf.error_is_outside = 1 limit ?4)
       returning rag_id as ragId, file_id as fileId, revision`,
      sourceId,
      now,
      heldUntil,
      limit,
    ),
  );
}

/** RAGs that are not removed. */
export async function activeRagIds(db: Database): Promise<RagId[]> {
  const rows = await runOne<{ id: RagId }>(
    db,
    statement(`select id from rags where removed_at is null`),
  );
  return rows.map(({ id }) => id);
}
