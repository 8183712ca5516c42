import type { FileId, FileSourceId } from "../../core/ids.ts";
import { MESSAGE, requeueSql, type PendTimes } from "../files/file-rows.ts";
import { g, s } from "../records.ts";
import { ragFiles, files } from "../schema/index.ts";
import { columnsOf, pick, select, type Row } from "../select.ts";
import { readRows, execute, readRow, type Database } from "../sql.ts";

const COUNTED_INDEX = select(pick(g, "ragId", "generation", "shards", "numberVectors"));
/** A RAG's index as D1 counts it, for the comparison with what is stored. */
export type CountedIndex = Row<typeof COUNTED_INDEX>;

/** `limit` RAGs with no work in progress; `turn` counts up, so that every RAG gets its turn. */
export const listQuietIndexes = (db: Database, turn: number, limit: number) =>
  readRows(db)`select ${COUNTED_INDEX}
    from rags r join rag_generations g on g.rag_id = r.id and g.generation = r.generation
    where r.removed_at is null and g.pending_files = 0 and g.processing_files = 0
    order by r.id limit ${limit}
    offset ${turn * limit} % max(1, (select count(*) from rags where removed_at is null))`;

const COUNTED_FILE = select(
  pick(columnsOf(ragFiles), "fileId", "revision", "status", "chunkCount"),
);
export type CountedFile = Row<typeof COUNTED_FILE>;

type Generation = Pick<CountedIndex, "ragId" | "generation">;

/** A generation's files after this id, in order of id. */
export const readCountedFiles = (
  db: Database,
  { ragId, generation }: Generation,
  after: string,
  limit: number,
) =>
  readRows(db)`select ${COUNTED_FILE} from rag_files
    where rag_id = ${ragId} and generation = ${generation} and file_id > ${after}
    order by file_id limit ${limit}`;

/** Indexes files from scratch. Those in progress are left to their job. */
export const resetToPending = (
  db: Database,
  { ragId, generation }: Generation,
  fileIds: FileId[],
  times: PendTimes,
) =>
  readRows(db)`${requeueSql(times)}, fingerprint = null
    where rag_id = ${ragId} and generation = ${generation}
      and file_id in (select value from json_each(${fileIds})) and status in ('indexed', 'error')
    returning ${MESSAGE}`;

const DUE = select({ sourceId: s.id, after: s.uploadsAfter });
const NAMED = select(pick(columnsOf(files, "f"), "id", "version", "contentId"));

/** The source that has waited longest for its bucket to be compared, and how far that has come. */
export const dueUploadCheck = (db: Database, now: number) =>
  readRow(db)`select ${DUE} from file_sources s
    where s.uploads_due_at <= ${now} and s.removed_at is null order by s.uploads_due_at limit 1`;

/** Reads version and text of those of the files that are not deleted. */
export const readStoredVersions = (db: Database, ids: FileId[]) =>
  readRows(db)`select ${NAMED} from json_each(${ids}) wanted
    cross join files f on f.id = wanted.value where f.deleted_at is null`;

export const recordUploadCheck = (
  db: Database,
  sourceId: FileSourceId,
  { after, dueAt }: { after: string; dueAt: number },
) =>
  execute(db)`update file_sources set uploads_after = ${after}, uploads_due_at = ${dueAt}
    where id = ${sourceId}`;
