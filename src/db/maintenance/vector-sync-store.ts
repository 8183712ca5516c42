import type { IndexAddress } from "../../ports/rag-index.ts";
import { vectorSyncs } from "../schema/index.ts";
import { number, columnsOf, pick, select, type Row, orNull } from "../select.ts";
import { execute, raw, readRows, runBatch, sql, type Database } from "../sql.ts";

/** An index object whose vectors are kept in sync with the vector index. */
const VECTOR_SYNC = select({
  ...pick(columnsOf(vectorSyncs), "ragId", "generation", "shard", "verifyAt"),
  /** Null: the generation was dropped, and its vectors are to be removed. */
  shards: orNull(
    number(`(select shards from rag_generations g where g.rag_id = vector_syncs.rag_id
      and g.generation = vector_syncs.generation and g.state <> 'dropped')`),
  ),
});
export type VectorSync = Row<typeof VECTOR_SYNC>;

/** Counts of a verification pass: vectors compared, missing ones and orphans. */
export type VerificationCounts = { checked: number; addedAgain: number; removed: number };

/** Makes syncs of these objects due at a time (ms), unless they are due earlier. */
export async function makeVectorSyncsDue(db: Database, addresses: IndexAddress[], dueAt: number) {
  if (addresses.length === 0) return;
  await execute(db)`insert into vector_syncs (rag_id, generation, shard, due_at)
    select distinct value ->> 'ragId', value ->> 'generation', value ->> 'shard', ${dueAt}
    from json_each(${addresses}) where true
    on conflict do update set due_at = min(due_at, excluded.due_at)`;
}

/** For objects without a row, as after a vector index was set up. They are due at once. */
export const addMissingVectorSyncs = (db: Database, now: number, limit: number) =>
  execute(db)`with recursive shard (number) as (
      select 0 union all select number + 1 from shard
      where number + 1 < (select max(shards) from rag_generations))
    insert into vector_syncs (rag_id, generation, shard, due_at)
    select g.rag_id, g.generation, s.number, ${now} from rag_generations g
      join shard s on s.number < g.shards
    where g.state <> 'dropped' and g.vectors_in = 'vectorize'
      and not exists (select 1 from vector_syncs u
      where u.rag_id = g.rag_id and u.generation = g.generation and u.shard = s.number)
    limit ${limit}`;

/** Claims the longest overdue. A verification is recorded as begun, so that a failing one shows. */
export const claimVectorSyncs = (
  db: Database,
  { now, claimedUntil, limit }: { now: number; claimedUntil: number; limit: number },
) =>
  readRows(db)`update vector_syncs set due_at = ${claimedUntil},
      verification = case when verification is null and verify_at <= ${now}
        then json_object('beganAt', ${now}, 'checked', 0, 'addedAgain', 0, 'removed', 0)
        else verification end
    where rowid in (select rowid from vector_syncs where due_at <= ${now}
      order by due_at limit ${limit})
    returning ${VECTOR_SYNC}`;

const isOfIndex = ({ ragId, generation, shard }: IndexAddress) =>
  sql`rag_id = ${ragId} and generation = ${generation} and shard = ${shard}`;

/** Sets when the next sync is due; an earlier time set meanwhile stays. */
export const rescheduleVectorSync = (
  db: Database,
  address: IndexAddress,
  { claimedUntil, dueAt }: { claimedUntil: number; dueAt: number },
) =>
  execute(db)`update vector_syncs set due_at = case when due_at = ${claimedUntil} then ${dueAt}
      else min(due_at, ${dueAt}) end
    where ${isOfIndex(address)}`;

/** Adds up a part's findings. `end`: it was the last; when the next verification is due, ms. */
export async function recordVerification(
  db: Database,
  address: IndexAddress,
  counts: VerificationCounts,
  end: { endedAt: number; nextAt: number } | null,
): Promise<void> {
  const addCountSql = (name: keyof VerificationCounts) =>
    sql`${raw(`'$.${name}', verification ->> '${name}'`)} + ${counts[name]}`;
  await runBatch(db, [
    sql`update vector_syncs set verification = json_set(verification,
        ${addCountSql("checked")}, ${addCountSql("addedAgain")}, ${addCountSql("removed")})
      where ${isOfIndex(address)} and verification is not null`,
    ...(end === null
      ? []
      : [
          sql`update vector_syncs set verify_at = ${end.nextAt}, verification = null,
              last_verification = coalesce(
                json_set(verification, '$.endedAt', ${end.endedAt}), last_verification)
            where ${isOfIndex(address)}`,
        ]),
  ]);
}

/** Called for a dropped generation without vectors. */
export const deleteVectorSync = (db: Database, address: IndexAddress) =>
  execute(db)`delete from vector_syncs where ${isOfIndex(address)}`;
