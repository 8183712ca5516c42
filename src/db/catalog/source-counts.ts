import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, number, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { readRows } from "../raw-sql.ts";

const COUNTS = row({
  sourceId: id<FileSourceId>(),
  ragId: id<RagId>(),
  identifier: text,
  name: text,
  generation: number,
  pending: number,
  processing: number,
  indexed: number,
  error: number,
  passages: number,
});

/** A RAG of a source, with the counters of its live index. */
export type RagOfSource = Row<typeof COUNTS>;

/** RAGs told of for one list of sources; each costs two rows. */
const RAGS_MAX = 2_000;

/** The RAGs of these sources, in order of identifier: two rows each, whatever they hold. */
export async function ragsOfSources(db: Database, ids: FileSourceId[]): Promise<RagOfSource[]> {
  return await readRows(
    db,
    COUNTS,
    `select r.file_source_id as sourceId, r.id as ragId, r.identifier, r.name, r.generation,
       g.pending_files + r.coming_files as pending, g.processing_files as processing,
       g.indexed_files as indexed, g.error_files as error, g.number_vectors as passages
     from json_each(?1) wanted
     cross join rags r on r.file_source_id = wanted.value and r.removed_at is null
     cross join rag_generations g on g.rag_id = r.id and g.generation = r.generation
     order by r.identifier limit ?2`,
    ids,
    RAGS_MAX,
  );
}
