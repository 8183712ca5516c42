import type { IndexAddress } from "../../ports/rag-index.ts";
import type { Database } from "../client.ts";
import { runBatch, runOne, statement } from "../raw-sql.ts";

/** An index object whose vectors are to be looked after. */
export type Upkeep = IndexAddress & {
  /** Shards of its generation; null: the generation is gone, and so should its vectors be. */
  shards: number | null;
  walkAt: number;
};

/** What a walk found: vectors looked for, those sent again, and those that nobody knew. */
export type WalkCounts = { checked: number; addedAgain: number; removed: number };

/** These objects' vectors are to be looked after at a time (ms), or earlier. */
export async function expectUpkeep(
  db: Database,
  addresses: IndexAddress[],
  dueAt: number,
): Promise<void> {
  if (addresses.length === 0) return;
  await runOne(
    db,
    statement(
      `insert into vector_upkeep (rag_id, generation, shard, due_at)
       select distinct value ->> 'ragId', value ->> 'generation', value ->> 'shard', ?2
       from json_each(?1) where true
       on conflict do update set due_at = min(due_at, excluded.due_at)`,
      JSON.stringify(addresses),
      dueAt,
    ),
  );
}

/** Every shard of a generation that has no row, as where there was no vector index before. */
const ADD_UNKNOWN = `with recursive shard (number) as (
    select 0 union all select number + 1 from shard
    where number + 1 < (select max(shards) from rag_generations))
  insert into vector_upkeep (rag_id, generation, shard, due_at)
  select g.rag_id, g.generation, s.number, ?1 from rag_generations g
    join shard s on s.number < g.shards
  where g.state <> 'dropped' and not exists (select 1 from vector_upkeep u
    where u.rag_id = g.rag_id and u.generation = g.generation and u.shard = s.number)
  limit ?2`;

const NOTHING_YET = `'checked', 0, 'addedAgain', 0, 'removed', 0`;

/** Lists objects that are not looked after yet, some at a time: they are due at once. */
export async function listUnknown(db: Database, now: number, limit: number): Promise<void> {
  await runOne(db, statement(ADD_UNKNOWN, now, limit));
}

/**
 * Takes what is due for the longest time; nobody else does until `heldUntil`. Where a walk is due,
 * it has begun with that, so that one which fails each time is seen to be unfinished.
 */
export async function takeUpkeep(
  db: Database,
  of: { now: number; heldUntil: number; limit: number },
): Promise<Upkeep[]> {
  return await runOne<Upkeep>(
    db,
    statement(
      `update vector_upkeep set due_at = ?2, walk = case when walk is null and walk_at <= ?1
         then json_object('beganAt', ?1, ${NOTHING_YET}) else walk end
       where rowid in (select rowid from vector_upkeep where due_at <= ?1 order by due_at limit ?3)
       returning rag_id as ragId, generation, shard, walk_at as walkAt,
         (select shards from rag_generations g where g.rag_id = vector_upkeep.rag_id
           and g.generation = vector_upkeep.generation and g.state <> 'dropped') as shards`,
      of.now,
      of.heldUntil,
      of.limit,
    ),
  );
}

/** When each is next due. What became due earlier meanwhile stays so. */
export async function settleUpkeep(
  db: Database,
  address: IndexAddress,
  { heldUntil, dueAt }: { heldUntil: number; dueAt: number },
): Promise<void> {
  const { ragId, generation, shard } = address;
  await runOne(
    db,
    statement(
      `update vector_upkeep set due_at = case when due_at = ?5 then ?4 else min(due_at, ?4) end
       where rag_id = ?1 and generation = ?2 and shard = ?3`,
      ragId,
      generation,
      shard,
      dueAt,
      heldUntil,
    ),
  );
}

/** Notes what a part of a walk found; `end`: it was the last, and the next walk's time (ms). */
export async function noteWalk(
  db: Database,
  address: IndexAddress,
  found: WalkCounts,
  end: { endedAt: number; nextAt: number } | null,
): Promise<void> {
  await runBatch(db, [
    noting(address, found),
    ...(end === null ? [] : [ending(address, end.endedAt, end.nextAt)]),
  ]);
}

function noting({ ragId, generation, shard }: IndexAddress, found: WalkCounts) {
  return statement(
    `update vector_upkeep set walk = json_set(walk,
       '$.checked', walk ->> 'checked' + (?4 ->> 'checked'),
       '$.addedAgain', walk ->> 'addedAgain' + (?4 ->> 'addedAgain'),
       '$.removed', walk ->> 'removed' + (?4 ->> 'removed'))
     where rag_id = ?1 and generation = ?2 and shard = ?3 and walk is not null`,
    ragId,
    generation,
    shard,
    JSON.stringify(found),
  );
}

function ending({ ragId, generation, shard }: IndexAddress, endedAt: number, nextAt: number) {
  return statement(
    `update vector_upkeep set walk_at = ?5, walk = null,
       walked = coalesce(json_set(walk, '$.endedAt', ?4), walked)
     where rag_id = ?1 and generation = ?2 and shard = ?3`,
    ragId,
    generation,
    shard,
    endedAt,
    nextAt,
  );
}

/** Nothing of it is left. */
export async function endUpkeep(
  db: Database,
  { ragId, generation, shard }: IndexAddress,
): Promise<void> {
  await runOne(
    db,
    statement(
      `delete from vector_upkeep where rag_id = ?1 and generation = ?2 and shard = ?3`,
      ragId,
      generation,
      shard,
    ),
  );
}
