import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import { statement } from "../raw-sql.ts";
import type { Around, Statement } from "../raw-sql.ts";

/**
 * A trigger updates a generation's counters for each row of rag_files that changes. For many files
 * of a generation, a batch counts by itself: its first statement takes the files out of the
 * counters and stops the triggers, its last adds them as they are then. Nothing else sees what is
 * in between, because a batch is one transaction. Fewer files than these are left to the triggers.
 */
const WORTH_FILES = 3;

/** The generations `o` selected by `where` count those of their files whose ids are in ?1. */
const countSql = (sign: "-" | "+", where: string) => `update rag_generations as g set
    counted_by_batch = ${sign === "-" ? 1 : 0},
    pending_files = g.pending_files ${sign} c.pending,
    processing_files = g.processing_files ${sign} c.processing,
    indexed_files = g.indexed_files ${sign} c.indexed,
    error_files = g.error_files ${sign} c.error,
    deleted_files = g.deleted_files ${sign} c.deleted,
    number_vectors = g.number_vectors ${sign} c.chunks
  from (select o.rag_id, o.generation,
      count(*) filter (where x.status = 'pending') as pending,
      count(*) filter (where x.status = 'processing') as processing,
      count(*) filter (where x.status = 'indexed') as indexed,
      count(*) filter (where x.status = 'error') as error,
      count(*) filter (where x.status = 'deleted') as deleted,
      coalesce(sum(x.chunk_count), 0) as chunks
    from rag_generations o left join rag_files x on x.rag_id = o.rag_id
      and x.generation = o.generation and x.file_id in (select value from json_each(?1))
    where ${where} group by o.rag_id, o.generation) c
  where g.rag_id = c.rag_id and g.generation = c.generation`;

function countingOf(where: string, fileIds: FileId[], ...of: unknown[]): Around {
  return {
    before: [statement(countSql("-", where), fileIds, ...of)],
    after: [statement(countSql("+", where), fileIds, ...of)],
  };
}

/** For a batch that changes rows of these files only. */
export function countingFiles(
  files: Pick<IndexMessage, "ragId" | "generation" | "fileId">[],
): Around {
  const generations = Map.groupBy(files, (file) => `${file.ragId} ${file.generation}`);
  const before: Statement[] = [];
  const after: Statement[] = [];
  for (const some of generations.values()) {
    const [first] = some;
    if (first === undefined || some.length < WORTH_FILES) continue;
    const ids = some.map(({ fileId }) => fileId);
    const counting = countingOf(ONE, ids, first.ragId, first.generation);
    before.push(...counting.before);
    after.push(...counting.after);
  }
  return { before, after };
}

const ONE = "o.rag_id = ?2 and o.generation = ?3";

/**
 * For a batch that adds or changes these files of a source, in whichever RAGs contain them. RAGs
 * with scopes may contain few of them, so the triggers count there.
 */
export function countingInRags(sourceId: FileSourceId, fileIds: FileId[]): Around {
  if (fileIds.length < WORTH_FILES) return { before: [], after: [] };
  return countingOf(WHOLE_SOURCE, fileIds, sourceId);
}

const WHOLE_SOURCE = `o.state in ('live', 'building') and o.rag_id in (
  select r.id from rags r where r.file_source_id = ?2 and r.scope_mode = 'global')`;
