import { raw, runBatch, sql, type Database } from "../sql.ts";
import type { Building } from "./generation-store.ts";

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

/**
 * Makes the built generation live and its rows the RAG's files, and retires the previous one, in
 * one step; false when it is not ready.
 */
export async function switchGeneration(
  db: Database,
  { ragId, generation }: Building,
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
