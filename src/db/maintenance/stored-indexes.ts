import { number, text } from "../columns.ts";
import { ragGenerations } from "../schema/index.ts";
import { columnsOf, computed, pick, select, type Row } from "../select.ts";
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

const MODEL = select({ model: g.embeddingModel });

/** Of the index that was begun last and is being built. */
export const modelBeingBuiltQuery = sql`select ${MODEL} from rags r
    join rag_generations g on g.rag_id = r.id and g.state = 'building'
  where r.removed_at is null order by g.created_at desc, g.rag_id limit 1`.reading(MODEL);

const PART = select({ name: computed(text, "name") });

/** Names of all columns (`rags.status`), indexes and triggers. */
export const partsQuery = sql`select ${PART} from (
    select m.name || '.' || c.name as name
      from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'
    union all select type || ' ' || name from sqlite_master
      where type in ('index', 'trigger') and name not like 'sqlite!_%' escape '!')
  order by 1`.reading(PART);
