import type { RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, number, oneOf, row } from "../columns.ts";
import type { Row } from "../columns.ts";
import { execute, query, readRow, runBatch, statement } from "../raw-sql.ts";
import { VECTOR_PLACES } from "../schema/rags.ts";
import { refusalOf } from "./generation-store.ts";
import type { WantedIndex } from "./generation-store.ts";

/**
 * A retired generation `g` of a RAG `r` that can become live again: the previous live one, unless
 * the live one differs only by having more shards.
 */
const RETURNABLE = `g.state = 'retired' and g.live_since > 0
  and not exists (select 1 from rag_generations x where x.rag_id = g.rag_id
    and x.state = 'retired' and x.live_since > 0 and x.changed_at > g.changed_at)
  and not exists (select 1 from rag_generations l where l.rag_id = g.rag_id and l.state = 'live'
    and l.vectors_from = g.generation and l.embedding_model = g.embedding_model
    and l.dimensions = g.dimensions and l.chunk_size = g.chunk_size
    and l.chunk_overlap = g.chunk_overlap and l.format = g.format)`;

const RETURNABLE_ROW = row({ generation: number });
export type Returnable = Row<typeof RETURNABLE_ROW>;

/** The generation that an administrator may return to, in a format that is still supported. */
export async function returnableGeneration(
  db: Database,
  ragId: RagId,
  wanted: WantedIndex,
): Promise<Returnable | null> {
  return await readRow(
    db,
    RETURNABLE_ROW,
    `select g.generation from rag_generations g
     where g.rag_id = ?1 and ${RETURNABLE} and g.format = ?2 and (?3 = 0 or g.dimensions = ?4)`,
    ragId,
    wanted.format,
    wanted.fixedDimensions,
    wanted.dimensions,
  );
}

/**
 * Makes a retired generation one that is being built: it becomes live once its rows match the live
 * ones and changes made meanwhile are indexed. The RAG keeps its settings from then on. False: it
 * was dropped.
 */
export async function reopenGeneration(
  db: Database,
  ragId: RagId,
  { generation }: Returnable,
  { wanted, now }: { wanted: WantedIndex; now: number },
): Promise<boolean> {
  const isBuilding = `exists (select 1 from rag_generations b where b.rag_id = ?1
    and b.generation = ?2 and b.state = 'building')`;
  const [reopened] = await runBatch(db, [
    statement(
      `update rag_generations as g set state = 'building', filled_up_to = '', changed_at = ?3
       where g.rag_id = ?1 and g.generation = ?2 and ${RETURNABLE} returning 1`,
      ragId,
      generation,
      now,
    ),
    statement(
      `update rag_generations set state = 'retired', changed_at = ?3
       where rag_id = ?1 and generation <> ?2 and state = 'building' and ${isBuilding}`,
      ragId,
      generation,
      now,
    ),
    statement(
      `update rags set chunk_size = g.chunk_size, chunk_overlap = g.chunk_overlap,
         refused_index = case when g.embedding_model = ?3 and g.dimensions = ?4 and g.format = ?5
           then null else ?6 end
       from rag_generations g
       where rags.id = ?1 and g.rag_id = ?1 and g.generation = ?2 and g.state = 'building'`,
      ragId,
      generation,
      wanted.embeddingModel,
      wanted.dimensions,
      wanted.format,
      refusalOf(wanted),
    ),
  ]);
  return reopened.length > 0;
}

const DROPPING = row({
  ragId: id<RagId>(),
  generation: number,
  shards: number,
  vectorsIn: oneOf(VECTOR_PLACES),
});
export type Dropping = Row<typeof DROPPING>;

/**
 * Starts dropping generations that were not returned to: a returnable one retired before
 * `returnableBefore` (ms), any other before `before`. Returns those whose drop started before
 * `settledBefore`: work that began while they were kept has ended by then.
 */
export async function giveUpRetired(
  db: Database,
  times: { now: number; before: number; returnableBefore: number; settledBefore: number },
  limit: number,
): Promise<Dropping[]> {
  const [, rows] = await runBatch(db, [
    statement(
      `update rag_generations as g set state = 'dropping', changed_at = ?1
       where g.state = 'retired' and g.changed_at < ?2
         and (g.changed_at < ?3 or not (${RETURNABLE}))`,
      times.now,
      times.before,
      times.returnableBefore,
    ),
    query(
      DROPPING,
      `select g.rag_id as ragId, g.generation, g.shards, g.vectors_in as vectorsIn
       from rag_generations g
         join rags r on r.id = g.rag_id
       where g.state = 'dropping' and g.changed_at < ?1 and r.removed_at is null
       order by g.changed_at limit ?2`,
      times.settledBefore,
      limit,
    ),
  ]);
  return rows;
}

/** Its objects could not be emptied: the others that are being dropped go before it. */
export async function postponeDrop(
  db: Database,
  { ragId, generation }: Dropping,
  now: number,
): Promise<void> {
  await execute(
    db,
    `update rag_generations set changed_at = ?3
     where rag_id = ?1 and generation = ?2 and state = 'dropping'`,
    ragId,
    generation,
    now,
  );
}
