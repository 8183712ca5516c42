import type { RagId } from "../../core/ids.ts";
import { BUILT_IN_MODELS } from "../../ports/models.ts";
import { ragGenerations } from "../schema/index.ts";
import { columnsOf, pick, select, type Row } from "../select.ts";
import { execute, raw, readRows, type Database } from "../sql.ts";

const g = columnsOf(ragGenerations, "g");
const OPEN = raw("state in ('live', 'building')");

const PROBED = select(
  pick(g, "ragId", "generation", "embeddingModel", "dimensions", "probe", "modelChangedAt"),
);
/** A generation of an index, and its model's vector of a fixed text when it was built. */
export type Probed = Row<typeof PROBED>;

/**
 * Generations that were not compared with their model since `before` (ms), or differ from it; in
 * no order, so that those of a model that does not answer hide no others.
 */
export const dueProbes = (db: Database, before: number, limit: number) =>
  readRows(db)`select ${PROBED} from rag_generations g
    where g.${OPEN} and (g.probed_at < ${before} or g.model_changed_at > 0)
      and g.embedding_model <> ${BUILT_IN_MODELS.embedding} order by random() limit ${limit}`;

type Comparison = { ragId: RagId; generation: number; probe: number[]; modelChangedAt: number };

export const recordProbes = (db: Database, comparisons: Comparison[], now: number) =>
  execute(db)`update rag_generations as g set probed_at = ${now}, probe = m.value ->> 'probe',
      model_changed_at = m.value ->> 'modelChangedAt'
    from json_each(${comparisons}) m
    where g.rag_id = m.value ->> 'ragId' and g.generation = m.value ->> 'generation'`;

/** After a start, every model is compared. */
export const expireProbes = (db: Database) =>
  execute(db)`update rag_generations set probed_at = 0 where ${OPEN}`;
