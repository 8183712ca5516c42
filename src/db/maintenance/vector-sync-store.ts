import type { RagId } from "../../core/ids.ts";
import type { IndexAddress } from "../../ports/rag-index.ts";
import type { Database } from "../client.ts";
import { id, nullable, number, row, type Row } from "../columns.ts";
import { execute, readRows, runBatch, statement } from "../raw-sql.ts";

/** An index object whose vectors are kept in sync with the vector index. */
const VECTOR_SYNC = row({
  ragId: id<RagId>(),
  generation: number,
  shard: number,
  /**
   * Dimensions of its generation; null: the generation was dropped, and its vectors are to be
   * removed.
   */
  shards: nullable(number),
  verifyAt: number,
});
export type VectorSync = Row<typeof VECTOR_SYNC>;

/** What a verification pass found: vectors compared, missing ones and orphans. */
export type VerificationCounts = { checked: number; addedAgain: number; removed: number };

/** Makes syncs of these objects due at a time (ms), unless they are due earlier. */
export async function makeVectorSyncsDue(
  db: Database,
  addresses: IndexAddress[],
  dueAt: number,
): Promise<void> {
  if (addresses.length === 0) return;
  await execute(
    db,
    `insert into vector_syncs (rag_id, generation, shard, due_at)
     select distinct value ->> 'ragId', value ->> 'generation', value ->> 'shard', ?2
     from json_each(?1) where true
     on conflict do update set due_at = min(due_at, excluded.due_at)`,
    JSON.stringify(addresses),
    dueAt,
  );
}

/** Shards without a row, e.g. after a vector index was configured. */
const ADD_UNKNOWN = `with recursive shard (number) as (
    select 0 union all select number + 1 from shard
    where number + 1 < (select max(shards) from rag_generations))
  insert into vector_syncs (rag_id, generation, shard, due_at)
  select g.rag_id, g.generation, s.number, ?1 from rag_generations g
    join shard s on s.number < g.shards
  where g.state <> 'dropped' and g.vectors_in = 'vectorize'
    and not exists (select 1 from vector_syncs u
    where u.rag_id = g.rag_id and u.generation = g.generation and u.shard = s.number)
  limit ?2`;

const NOTHING_YET = `'checked', 0, 'addedAgain', 0, 'removed', 0`;

/** Adds rows for objects without one, a limited number per call; they are due at once. */
export async function addMissingVectorSyncs(
  db: Database,
  now: number,
  limit: number,
): Promise<void> {
  await execute(db, ADD_UNKNOWN, now, limit);
}

/**
 * Claims the longest overdue until `claimedUntil`. A due verification is recorded as begun with
 * the claim, so that one that fails every time shows as unfinished.
 */
export async function claimVectorSyncs(
  db: Database,
  of: { now: number; claimedUntil: number; limit: number },
): Promise<VectorSync[]> {
  return await readRows(
    db,
    VECTOR_SYNC,
    `update vector_syncs set due_at = ?2, verification = case when verification is null and verify_at <= ?1
       then json_object('beganAt', ?1, ${NOTHING_YET}) else verification end
     where rowid in (select rowid from vector_syncs where due_at <= ?1 order by due_at limit ?3)
     returning rag_id as ragId, generation, shard, verify_at as verifyAt,
       (select shards from rag_generations g where g.rag_id = vector_syncs.rag_id
         and g.generation = vector_syncs.generation and g.state <> 'dropped') as shards`,
    of.now,
    of.claimedUntil,
    of.limit,
  );
}

/** Sets when the next sync is due; an earlier time set meanwhile stays. */
export async function rescheduleVectorSync(
  db: Database,
  address: IndexAddress,
  { claimedUntil, dueAt }: { claimedUntil: number; dueAt: number },
): Promise<void> {
  const { ragId, generation, shard } = address;
  await execute(
    db,
    `update vector_syncs set due_at = case when due_at = ?5 then ?4 else min(due_at, ?4) end
     where rag_id = ?1 and generation = ?2 and shard = ?3`,
    ragId,
    generation,
    shard,
    dueAt,
    claimedUntil,
  );
}

/**
 * Adds up the findings of a part of a pass. `end`: it was the last part; when the next pass is due
 * (ms).
 */
export async function recordVerification(
  db: Database,
  address: IndexAddress,
  found: VerificationCounts,
  end: { endedAt: number; nextAt: number } | null,
): Promise<void> {
  await runBatch(db, [
    addCounts(address, found),
    ...(end === null ? [] : [ending(address, end.endedAt, end.nextAt)]),
  ]);
}

function addCounts({ ragId, generation, shard }: IndexAddress, found: VerificationCounts) {
  return statement(
    `update vector_syncs set verification = json_set(verification,
       '$.checked', verification ->> 'checked' + (?4 ->> 'checked'),
       '$.addedAgain', verification ->> 'addedAgain' + (?4 ->> 'addedAgain'),
       '$.removed', verification ->> 'removed' + (?4 ->> 'removed'))
     where rag_id = ?1 and generation = ?2 and shard = ?3 and verification is not null`,
    ragId,
    generation,
    shard,
    JSON.stringify(found),
  );
}

function ending({ ragId, generation, shard }: IndexAddress, endedAt: number, nextAt: number) {
  return statement(
    `update vector_syncs set verify_at = ?5, verification = null,
       last_verification = coalesce(json_set(verification, '$.endedAt', ?4), last_verification)
     where rag_id = ?1 and generation = ?2 and shard = ?3`,
    ragId,
    generation,
    shard,
    endedAt,
    nextAt,
  );
}

/** Called for a dropped generation without vectors. */
export async function deleteVectorSync(
  db: Database,
  { ragId, generation, shard }: IndexAddress,
): Promise<void> {
  await execute(
    db,
    `delete from vector_syncs where rag_id = ?1 and generation = ?2 and shard = ?3`,
    ragId,
    generation,
    shard,
  );
}
