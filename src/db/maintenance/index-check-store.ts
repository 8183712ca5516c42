import type { FileId, RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { id, number, oneOf, row } from "../columns.ts";
import type { Row } from "../columns.ts";
import { MESSAGE, MESSAGE_COLUMNS, pendAgainSql } from "../files/file-rows.ts";
import { readRows } from "../raw-sql.ts";
import { FILE_STATUSES } from "../schema/rags.ts";

const COUNTED_INDEX = row({
  ragId: id<RagId>(),
  generation: number,
  shards: number,
  numberVectors: number,
});
/** A RAG's index as D1 counts it, for the comparison with what is stored. */
export type CountedIndex = Row<typeof COUNTED_INDEX>;

/** `limit` RAGs with no work in progress; `turn` counts up, so that every RAG gets its turn. */
export async function quietIndexes(
  db: Database,
  turn: number,
  limit: number,
): Promise<CountedIndex[]> {
  return await readRows(
    db,
    COUNTED_INDEX,
    `select r.id as ragId, r.generation, g.number_vectors as numberVectors, g.shards
     from rags r join rag_generations g on g.rag_id = r.id and g.generation = r.generation
     where r.removed_at is null and g.pending_files = 0 and g.processing_files = 0
     order by r.id limit ?2
     offset (?1 * ?2) % max(1, (select count(*) from rags where removed_at is null))`,
    turn,
    limit,
  );
}

const COUNTED_FILE = row({
  fileId: id<FileId>(),
  revision: number,
  status: oneOf(FILE_STATUSES),
  chunkCount: number,
});
export type CountedFile = Row<typeof COUNTED_FILE>;

type Generation = Pick<CountedIndex, "ragId" | "generation">;

/** A generation's files after this id, in order of id. */
export async function countedFiles(
  db: Database,
  { ragId, generation }: Generation,
  after: string,
  limit: number,
): Promise<CountedFile[]> {
  return await readRows(
    db,
    COUNTED_FILE,
    `select file_id as fileId, revision, status, chunk_count as chunkCount from rag_files
     where rag_id = ?1 and generation = ?2 and file_id > ?3 order by file_id limit ?4`,
    ragId,
    generation,
    after,
    limit,
  );
}

/**
 * Makes files pending from scratch, ignoring what was indexed before. Files already in progress
 * are left to their job.
 */
export async function pendAfresh(
  db: Database,
  { ragId, generation }: Generation,
  fileIds: FileId[],
  now: number,
  claimedUntil: number,
): Promise<IndexMessage[]> {
  return await readRows(
    db,
    MESSAGE,
    `${pendAgainSql("?3", "?4")}, fingerprint = null
     where rag_id = ?1 and generation = ?5 and file_id in (select value from json_each(?2))
       and status in ('indexed', 'error')
     returning ${MESSAGE_COLUMNS}`,
    ragId,
    fileIds,
    now,
    claimedUntil,
    generation,
  );
}
