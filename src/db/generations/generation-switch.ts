import type { Database } from "../client.ts";
import { runBatch, statement } from "../raw-sql.ts";
import type { Building } from "./generation-store.ts";

/**
 * Ready when nothing that answers now gets lost: indexed and failed files are finished, and
 * pending ones have an earlier version. If more files failed for an outside cause than succeeded,
 * the old index stays. Reads only files in progress, and failed ones if they are the majority.
 */
const READY = `n.filled_up_to is null
  and not exists (select 1 from rags r
    cross join rag_files b on b.rag_id = r.id and b.generation = n.generation
      and b.status in ('pending', 'processing')
    join rag_files l on l.rag_id = r.id and l.generation = r.generation and l.file_id = b.file_id
    where r.id = n.rag_id and (l.status in ('indexed', 'error')
      or (l.chunk_count > 0 and b.chunk_count = 0)))
  and (n.error_files <= n.indexed_files
    or n.indexed_files >= (select count(*) from rag_files b where b.rag_id = n.rag_id
      and b.generation = n.generation and b.status = 'error' and b.error_is_outside = 1))`;

const GOES_LIVE = `exists (select 1 from rags r join rag_generations n
  on n.rag_id = r.id and n.generation = ?2 and n.state = 'live'
  where r.id = ?1 and r.generation <> ?2)`;

/**
 * Makes the built generation live and its rows the RAG's files, and retires the previous one, in
 * one step; false when it is not ready.
 */
export async function switchGeneration(
  db: Database,
  { ragId, generation }: Building,
  now: number,
): Promise<boolean> {
  const [switched] = await runBatch(db, [
    statement(
      `update rag_generations as n set state = 'live', changed_at = ?3,
         live_since = case live_since when 0 then ?3 else live_since end
       where rag_id = ?1 and generation = ?2 and state = 'building' and ${READY}
         and exists (select 1 from rags where id = ?1 and removed_at is null) returning 1`,
      ragId,
      generation,
      now,
    ),
    statement(
      `update rag_generations set state = 'retired', changed_at = ?3
       where rag_id = ?1 and generation <> ?2 and state = 'live' and ${GOES_LIVE}`,
      ragId,
      generation,
      now,
    ),
    statement(`update rags set generation = ?2 where id = ?1 and ${GOES_LIVE}`, ragId, generation),
  ]);
  return switched.length > 0;
}
