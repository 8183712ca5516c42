import type { Database } from "../client.ts";
import { BUILT, FIRST, moveLostFiles } from "./generation-move.ts";
import type { MoveTimes } from "./generation-move.ts";
import type { Building } from "./generation-store.ts";
import { runBatch, statement } from "../raw-sql.ts";

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

/** Rows still follow the last switch: the next one waits for them. */
const NONE_MOVES = `not exists (select 1 from rag_generations l where l.rag_id = ?1
  and l.state = 'live' and l.moved_after is not null)`;

/**
 * From here on the built generation answers and the one before is retired, all in one step; false
 * when it is not ready. The rows of its files follow page by page.
 */
export async function switchGeneration(
  db: Database,
  building: Building,
  of: MoveTimes,
): Promise<boolean> {
  const { ragId, generation } = building;
  const [switched] = await runBatch(db, [
    statement(
      `update rag_generations set state = 'live', changed_at = ?3, moved_after = '${FIRST}',
         live_since = case live_since when 0 then ?3 else live_since end
       where rag_id = ?1 and generation = ?2 and state = 'building' and ${NONE_MOVES} and ${READY}
         and exists (select 1 from rags where id = ?1 and removed_at is null) returning 1`,
      ragId,
      generation,
      of.now,
    ),
    moveLostFiles(building, of),
    statement(
      `update rag_generations set state = 'retired', changed_at = ?3, moved_after = null
       where rag_id = ?1 and generation <> ?2 and state = 'live' and ${GOES_LIVE}`,
      ragId,
      generation,
      of.now,
    ),
    statement(`update rags set generation = ?2 where id = ?1 and ${GOES_LIVE}`, ragId, generation),
  ]);
  return switched.length > 0;
}
