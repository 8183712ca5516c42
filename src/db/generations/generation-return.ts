import type { RagId } from "../../core/ids.ts";
import { g } from "../records.ts";
import { pick, select, type Row } from "../select.ts";
import { execute, raw, readRow, runBatch, sql, type Database } from "../sql.ts";
import { refusalOf, type WantedIndex } from "./generation-store.ts";

/** A retired generation `g` that can return: the last live one, unless only its shards differ. */
const RETURNABLE = raw(`g.state = 'retired' and g.live_since > 0
  and not exists (select 1 from rag_generations x where x.rag_id = g.rag_id
    and x.state = 'retired' and x.live_since > 0 and x.changed_at > g.changed_at)
  and not exists (select 1 from rag_generations l where l.rag_id = g.rag_id and l.state = 'live'
    and l.vectors_from = g.generation and l.copy_of is null and l.embedding_model = g.embedding_model
    and l.dimensions = g.dimensions and l.chunk_size = g.chunk_size
    and l.chunk_overlap = g.chunk_overlap and l.format = g.format)`);

const RETURNABLE_ROW = select(pick(g, "generation"));
export type Returnable = Row<typeof RETURNABLE_ROW>;

/** The generation that an administrator may return to, in a format that is still supported. */
export const returnableGeneration = (
  db: Database,
  ragId: RagId,
  { format, fixedDimensions, dimensions }: WantedIndex,
) =>
  readRow(db)`select ${RETURNABLE_ROW} from rag_generations g
    where g.rag_id = ${ragId} and ${RETURNABLE} and g.format = ${format}
      and (not ${fixedDimensions} or g.dimensions = ${dimensions})`;

/**
 * Makes a retired generation one that is being built: it becomes live once its rows match the live
 * ones and changes made meanwhile are indexed. The RAG keeps its settings from then on. False: it
 * was dropped.
 */
export async function reopenGeneration(
  db: Database,
  ragId: RagId,
  { generation }: Returnable,
  { wanted: target, now }: { wanted: WantedIndex; now: number },
): Promise<boolean> {
  const isBuilding = sql`exists (select 1 from rag_generations b where b.rag_id = ${ragId}
    and b.generation = ${generation} and b.state = 'building')`;
  const [reopened] = await runBatch(db, [
    sql`update rag_generations as g set state = 'building', filled_up_to = '', changed_at = ${now}
      where g.rag_id = ${ragId} and g.generation = ${generation} and ${RETURNABLE} returning 1`,
    sql`update rag_generations set state = 'retired', changed_at = ${now}
      where rag_id = ${ragId} and generation <> ${generation} and state = 'building'
        and ${isBuilding}`,
    sql`update rags set chunk_size = g.chunk_size, chunk_overlap = g.chunk_overlap,
        refused_index = case when g.embedding_model = ${target.embeddingModel}
            and g.dimensions = ${target.dimensions} and g.format = ${target.format}
            and g.passage_prefix = ${target.passagePrefix}
            and g.chunk_size <= ${target.longestPassage}
          then null else ${refusalOf(target)} end
      from rag_generations g
      where rags.id = ${ragId} and g.rag_id = ${ragId} and g.generation = ${generation}
        and g.state = 'building'`,
  ]);
  return reopened.length > 0;
}

const DROPPING = select(pick(g, "ragId", "generation", "shards", "vectorsIn"));
export type RetiredGeneration = Row<typeof DROPPING>;

/**
 * Starts dropping generations that were not returned to: a returnable one retired before
 * `returnableBefore` (ms), any other before `before`. Returns those whose drop started before
 * `settledBefore`: work that began while they were kept has ended by then.
 */
export async function giveUpRetired(
  db: Database,
  times: { now: number; before: number; returnableBefore: number; settledBefore: number },
  limit: number,
): Promise<RetiredGeneration[]> {
  const [, rows] = await runBatch(db, [
    sql`update rag_generations as g set state = 'dropping', changed_at = ${times.now}
      where g.state = 'retired' and g.changed_at < ${times.before}
        and (g.changed_at < ${times.returnableBefore} or not (${RETURNABLE}))`,
    sql`select ${DROPPING} from rag_generations g join rags r on r.id = g.rag_id
      where g.state = 'dropping' and g.changed_at < ${times.settledBefore}
        and r.removed_at is null
      order by g.changed_at limit ${limit}`,
  ]);
  return rows;
}

/** Its objects could not be emptied: the others that are being dropped go before it. */
export const postponeDrop = (db: Database, { ragId, generation }: RetiredGeneration, now: number) =>
  execute(db)`update rag_generations set changed_at = ${now}
    where rag_id = ${ragId} and generation = ${generation} and state = 'dropping'`;
