import { MINUTE_MS } from "../../core/clock.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { CRASHED, crashedInBuilding, keyOfFile, LEFT_BUILDING } from "../files/attempts.ts";
import type { Building } from "./generation-store.ts";
import { runBatch, statement } from "../raw-sql.ts";
import { CLAIMED_COLUMNS, claimedFrom } from "../files/file-work-store.ts";
import type { ClaimedFile, ClaimedRow, FileEnd } from "../files/file-work-store.ts";

/** An index message of a generation that is being built. */
export type BuildMessage = IndexMessage & { generation: number };

export const isBuildMessage = (message: IndexMessage): message is BuildMessage =>
  message.generation !== undefined;

/** An outside cause that hit most files is tried again after so long, ms. */
const AGAIN_AFTER_MS = 15 * MINUTE_MS;

/**
 * Files under way whose worker or message was lost, or whose message came in vain: the file was
 * just being indexed for the live generation, and has changed by that.
 */
const LOST = `select rf.file_id, rf.revision, rf.path from generation_files g
    cross join rag_files rf on rf.rag_id = g.rag_id and rf.file_id = g.file_id
      and rf.status in ('indexed', 'error')
  where g.rag_id = ?1 and g.generation = ?2 and g.state in ('pending', 'processing')
    and (g.held_until < ?3 or (g.state = 'pending' and g.revision <> rf.revision))`;

/** Files after ?7 that were never begun, changed since they ended, or failed for an outside cause. */
const NEXT = `select rf.file_id, rf.revision, rf.path
  from rag_files rf left join generation_files g
    on g.rag_id = ?1 and g.generation = ?2 and g.file_id = rf.file_id
  where rf.rag_id = ?1 and rf.file_id > ?7 and +rf.status in ('indexed', 'error')
    and (g.file_id is null or (g.state in ('indexed', 'error') and g.revision <> rf.revision)
      or (g.state = 'error' and g.error_is_outside = 1 and g.held_until < ?6))
  order by rf.file_id limit ?5`;

/**
 * Takes the next files that a building generation lacks: never begun, changed since, or left by a
 * worker or message that was lost. What is not lost is looked for in order of id, from `after` on;
 * what is found is taken in order of path.
 * `underWay`: whether earlier ones are still worked on.
 */
export async function takeDueFiles(
  db: Database,
  { ragId, generation }: Building,
  of: {
    after: string;
    now: number;
    heldUntil: number;
    limit: number;
    maxTries: number;
    reason: string;
  },
): Promise<{ messages: BuildMessage[]; underWay: boolean }> {
  const [, messages, open] = await runBatch(db, [
    statement(
      `update generation_files set state = 'error', error_message = ?5, error_is_outside = 1,
         lease_id = null, held_until = ?3
       where rag_id = ?1 and generation = ?2 and state in ('pending', 'processing')
         and held_until < ?3 and attempts >= ?4`,
      ragId,
      generation,
      of.now,
      of.maxTries,
      of.reason,
    ),
    statement(
      `insert into generation_files (rag_id, generation, file_id, state, revision, held_until)
       select ?1, ?2, due.file_id, 'pending', due.revision, ?4
       from (select * from (${LOST}) union all select * from (${NEXT})) due
       where true order by due.path limit ?5
       on conflict (rag_id, generation, file_id) do update set
         attempts = case when revision = excluded.revision and state <> 'error'
           then attempts else 0 end,
         lease_id = case when revision = excluded.revision
           and (${LEFT_BUILDING} or lease_id = '${CRASHED}') then '${CRASHED}' end,
         state = 'pending', revision = excluded.revision,
         held_until = excluded.held_until
       returning rag_id as ragId, generation, file_id as fileId, revision`,
      ragId,
      generation,
      of.now,
      of.heldUntil,
      of.limit,
      of.now - AGAIN_AFTER_MS,
      of.after,
    ),
    statement(UNDER_WAY, ragId, generation),
  ]);
  return { messages: messages as BuildMessage[], underWay: open.length > 0 };
}

/** What waits for a file that was removed meanwhile is not waited for. */
const UNDER_WAY = `select 1 from generation_files g
    join rag_files rf on rf.rag_id = g.rag_id and rf.file_id = g.file_id
  where g.rag_id = ?1 and g.generation = ?2 and g.state in ('pending', 'processing')
    and rf.status <> 'deleted' limit 1`;

const SAME_FILE = `g.rag_id = m.value ->> 'ragId' and g.generation = m.value ->> 'generation'
  and g.file_id = m.value ->> 'fileId'`;

const CLAIM = `update generation_files as g set state = 'processing', lease_id = ?2,
    held_until = ?3, attempts = g.attempts + 1, revision = rf.revision
  from json_each(?1) m
    join rag_files rf on rf.rag_id = m.value ->> 'ragId' and rf.file_id = m.value ->> 'fileId'
    join rags r on r.id = rf.rag_id and r.status = 'active' and r.removed_at is null
    join rag_generations b on b.rag_id = r.id and b.generation = m.value ->> 'generation'
  where ${SAME_FILE} and b.state = 'building' and rf.status in ('indexed', 'error')
    and (g.state = 'pending' or (g.state = 'processing' and g.held_until < ?4))`;

const CLAIMED = `select ${CLAIMED_COLUMNS}, x.revision, x.attempts,
    nullif(x.chunk_count, 0) as indexedAt, x.chunk_count as chunkCount, x.fingerprint,
    1 as building, 1 as rebuilt
  from json_each(?1) m
    join generation_files x on x.rag_id = m.value ->> 'ragId'
      and x.generation = m.value ->> 'generation' and x.file_id = m.value ->> 'fileId'
    join files f on f.id = x.file_id
    join rags r on r.id = x.rag_id
    join rag_generations g on g.rag_id = r.id and g.generation = x.generation
    join file_sources src on src.id = f.file_source_id
  where x.lease_id = ?2 and f.deleted_at is null`;

/** As claimFiles, for files on their way into a generation that is being built. */
export async function claimForBuilding(
  db: Database,
  messages: BuildMessage[],
  lease: { id: string; until: number; now: number },
): Promise<ClaimedFile[]> {
  if (messages.length === 0) return [];
  const list = JSON.stringify(messages);
  const [crashed, , rows] = await runBatch(db, [
    crashedInBuilding(list, lease.now),
    statement(CLAIM, list, lease.id, lease.until, lease.now),
    statement(CLAIMED, list, lease.id),
  ]);
  const hasCrashed = new Set((crashed as IndexMessage[]).map(keyOfFile));
  return (rows as ClaimedRow[]).map((row) => claimedFrom(row, hasCrashed.has(keyOfFile(row))));
}

const FINISH = `update generation_files as g set state = m.value ->> 'status',
    chunk_count = coalesce(m.value ->> 'chunkCount', g.chunk_count),
    fingerprint = case m.value ->> 'chunkCount' when 0 then null
      else coalesce(m.value ->> 'fingerprint', g.fingerprint) end,
    notes = coalesce(m.value ->> 'notes', g.notes),
    error_message = m.value ->> 'errorMessage', error_is_outside = m.value ->> 'errorIsOutside',
    attempts = case m.value ->> 'status' when 'pending' then g.attempts else 0 end,
    lease_id = null,
    held_until = case m.value ->> 'status' when 'error' then ?3 else m.value ->> 'heldUntil' end
  from json_each(?1) m
  where ${SAME_FILE} and g.revision = m.value ->> 'revision'
    and (g.lease_id = ?2 or m.value ->> 'status' = 'indexed')`;

/** Writes how the files of a building generation ended. */
export async function finishBuilding(
  db: Database,
  ends: FileEnd[],
  lease: { id: string; now: number },
): Promise<void> {
  if (ends.length === 0) return;
  await runBatch(db, [statement(FINISH, JSON.stringify(ends), lease.id, lease.now)]);
}

/** Of these generations, those of which no file is under way any more. */
export async function idleAmong<Key extends Pick<Building, "ragId" | "generation">>(
  db: Database,
  generations: Key[],
): Promise<Key[]> {
  const open = await runBatch(
    db,
    generations.map(({ ragId, generation }) => statement(UNDER_WAY, ragId, generation)),
  );
  return generations.filter((_, at) => open[at]?.length === 0);
}

/** Messages of building generations that were delivered in vain. */
export async function giveUpBuilding(
  db: Database,
  messages: BuildMessage[],
  of: { reason: string; now: number },
): Promise<void> {
  if (messages.length === 0) return;
  await runBatch(db, [
    statement(
      `update generation_files as g set state = 'error', error_message = ?2,
         error_is_outside = 1, attempts = 0, lease_id = null, held_until = ?3
       from json_each(?1) m where ${SAME_FILE}
         and (g.state = 'pending' or (g.state = 'processing' and g.held_until < ?3))`,
      JSON.stringify(messages),
      of.reason,
      of.now,
    ),
  ]);
}
