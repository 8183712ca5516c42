import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { IndexMessage } from "../../core/queue-messages.ts";
import { FILE_STATUSES } from "../schema/rags.ts";
import { raw, sql, type SurroundingWrites, type Sql } from "../sql.ts";

/**
 * A trigger updates a generation's counters for each row of rag_files that changes. For many files
 * of a generation, a batch counts by itself: its first statement takes the files out of the
 * counters and stops the triggers, its last adds them as they are then. Nothing else sees what is
 * in between, because a batch is one transaction. Fewer files than these are left to the triggers.
 */
const WORTH_FILES = 3;

/** The generations `o` selected by `where` count those of these files that they have. */
const countSql = (sign: "-" | "+", where: Sql, fileIds: FileId[]): Sql => {
  const setSql = (column: string, source: string) => `${column} = g.${column} ${sign} c.${source}`;
  return sql`update rag_generations as g set counted_by_batch = ${sign === "-"},
      ${raw(FILE_STATUSES.map((status) => setSql(`${status}_files`, status)).join(", "))},
      ${raw(setSql("number_vectors", "chunks"))}
    from (select o.rag_id, o.generation, ${COUNTS}, coalesce(sum(x.chunk_count), 0) as chunks
      from rag_generations o left join rag_files x on x.rag_id = o.rag_id
        and x.generation = o.generation and x.file_id in (select value from json_each(${fileIds}))
      where ${where} group by o.rag_id, o.generation) c
    where g.rag_id = c.rag_id and g.generation = c.generation`;
};

const COUNTS = raw(
  FILE_STATUSES.map((status) => `count(*) filter (where x.status = '${status}') as ${status}`).join(
    ", ",
  ),
);

const counterWritesOf = (where: Sql, fileIds: FileId[]): SurroundingWrites => ({
  before: [countSql("-", where, fileIds)],
  after: [countSql("+", where, fileIds)],
});

/** Counter writes around a batch that changes rows of these files only. */
export function counterWritesOfFiles(
  files: Pick<IndexMessage, "ragId" | "generation" | "fileId">[],
): SurroundingWrites {
  const generations = Map.groupBy(files, (file) => `${file.ragId} ${file.generation}`);
  const updates = [...generations.values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined || some.length < WORTH_FILES) return [];
    const where = sql`o.rag_id = ${first.ragId} and o.generation = ${first.generation}`;
    const fileIds = some.map(({ fileId }) => fileId);
    return [counterWritesOf(where, fileIds)];
  });
  return {
    before: updates.flatMap(({ before }) => before),
    after: updates.flatMap(({ after }) => after),
  };
}

/** For files of a source in any RAG. In RAGs with scopes, which may contain few, triggers count. */
export function counterWritesInRags(sourceId: FileSourceId, fileIds: FileId[]): SurroundingWrites {
  if (fileIds.length < WORTH_FILES) return { before: [], after: [] };
  const ofWholeSource = sql`o.state in ('live', 'building') and o.rag_id in (
    select r.id from rags r where r.file_source_id = ${sourceId} and r.scope_mode = 'global')`;
  return counterWritesOf(ofWholeSource, fileIds);
}
