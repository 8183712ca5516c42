import type { RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { number, oneOf } from "../columns.ts";
import { ragGenerations } from "../schema/index.ts";
import { columnsOf, computed, pick, select, type Row } from "../select.ts";
import { readRows } from "../sql.ts";

const g = columnsOf(ragGenerations, "g");
const LISTED = select({
  state: computed(oneOf(["live", "building", "retired"]), "g.state"),
  ...pick(g, "generation", "embeddingModel", "dimensions", "chunkSize", "chunkOverlap"),
  ...pick(g, "shards", "vectorsIn", "createdAt", "changedAt"),
  filesDone: computed(number, "g.indexed_files + g.error_files"),
  filesFailed: g.errorFiles,
});

/**
 * A generation of a RAG's index as an administrator sees it. Times are ms; `filesDone`: finished
 * files, failed ones included.
 */
export type ListedGeneration = Row<typeof LISTED>;

/** The live, building and retained generations of a RAG, oldest first. */
export const listGenerations = (db: Database, ragId: RagId): Promise<ListedGeneration[]> =>
  readRows(db, LISTED)`select ${LISTED} from rag_generations g
    where g.rag_id = ${ragId} and g.state in ('live', 'building', 'retired')
    order by g.generation`;
