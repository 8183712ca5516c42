import { number, columnsOf, computed, pick, select, type Row } from "../select.ts";
import { ragGenerations } from "../schema/index.ts";
import { sql } from "../sql.ts";

/*
 * What the command line asks the local database while no server uses it.
 */

const g = columnsOf(ragGenerations, "g");

const STORED = select({
  model: g.embeddingModel,
  ...pick(g, "dimensions", "format"),
  files: computed(number, "sum(g.indexed_files)"),
});
/** Of the live indexes of one model: how their vectors were made, and of how many files. */
export type StoredIndex = Row<typeof STORED>;

/** The most files first. */
export const storedIndexesQuery = sql`select ${STORED} from rags r
    join rag_generations g on g.rag_id = r.id and g.generation = r.generation
  where r.removed_at is null group by 1, 2, 3 having sum(g.indexed_files) > 0
  order by 4 desc`.reading(STORED);
