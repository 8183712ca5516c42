import type { FileId, FileSourceId } from "../../core/ids.ts";
import { IS_EXCLUDED } from "../catalog/exclusion-store.ts";
import { r } from "../records.ts";
import { audiences, files, ragFiles } from "../schema/index.ts";
import { columnsOf, maybe, pick, select, type Row } from "../select.ts";
import { execute, readRow, readRows, readValues, runBatch, sql } from "../sql.ts";
import type { Database, Reads } from "../sql.ts";
import { shownStatus } from "./file-rows.ts";

const f = columnsOf(files, "f");

/** A document of a source as it is stored. */
const STORED_FILE = select({
  ...pick(f, "id", "path", "name", "size", "mimeType", "version", "sha256"),
  ...pick(f, "metadata", "modifiedAt", "deletedAt", "audience"),
});
export type StoredFile = Row<typeof STORED_FILE>;

export const findFile = (db: Database, sourceId: FileSourceId, path: string) =>
  readRow(db)`select ${STORED_FILE} from files f
    where f.file_source_id = ${sourceId} and f.path = ${path}`;

/** Finds files by several paths of a source; paths without a file are left out. */
export async function findFiles(
  db: Database,
  sourceId: FileSourceId,
  paths: string[],
): Promise<Map<string, StoredFile>> {
  const rows = await readRows(db)`select ${STORED_FILE} from json_each(${paths}) p
    cross join files f on f.file_source_id = ${sourceId} and f.path = p.value`;
  return new Map(rows.map((file) => [file.path, file]));
}

const MANIFEST_ROW = select({
  ...pick(f, "path", "size", "sha256"),
  audience: maybe(columnsOf(audiences, "a")),
});

/** One page of a source's files, in order of path, for `quarry push`. */
export const manifestRows = (db: Database, sourceId: FileSourceId, after: string, limit: number) =>
  readRows(db)`select ${MANIFEST_ROW} from files f
    left join audiences a on a.id = f.audience
    where f.file_source_id = ${sourceId} and f.path > ${after} and f.deleted_at is null
    order by f.path limit ${limit}`;

/** Records the hash of a pulled file's bytes, if they are still its content. */
export const noteContent = (
  db: Database,
  { fileId, contentId }: { fileId: FileId; contentId: string },
  { sha256, size }: { sha256: string; size: number },
) =>
  execute(db)`update files set sha256 = ${sha256}, size = ${size}
    where id = ${fileId} and content_id = ${contentId}`;

const FORGETTABLE = select({ id: f.id, sourceId: f.fileSourceId });

/** Files deleted before `before`, whose rows are to be purged. */
export const forgettableFiles = (db: Database, before: number, limit: number) =>
  readRows(db)`select ${FORGETTABLE} from files f
    where f.deleted_at is not null and f.deleted_at < ${before}
    order by f.deleted_at limit ${limit}`;

/** Purges files that are still deleted, with their rows in RAGs; returns which. */
export const forgetFiles = (db: Database, ids: FileId[], before: number) =>
  readValues(db, f.id)`delete from files where id in (select value from json_each(${ids}))
    and deleted_at is not null and deleted_at < ${before} returning id`;

const METADATA = select(pick(columnsOf(files), "path", "mimeType", "modifiedAt", "metadata"));

/** Media types and metadata of some files of a source. */
export const readFileMetadata = (db: Reads, source: FileSourceId, paths: string[]) =>
  readRows(db)`select ${METADATA} from files
    where file_source_id = ${source} and path in (select value from json_each(${paths}))`;

const DETAIL = select({
  ...pick(f, "id", "path", "name", "externalId", "url", "size", "mimeType", "sha256"),
  ...pick(f, "metadata", "modifiedAt", "createdAt", "deletedAt"),
  isExcluded: IS_EXCLUDED,
});

/** The file in the live index of one RAG. */
const IN_RAG = select({
  ragIdentifier: r.identifier,
  ragName: r.name,
  status: shownStatus("x"),
  ...pick(
    columnsOf(ragFiles, "x"),
    "indexedAt",
    "errorMessage",
    "errorCode",
    "notes",
    "chunkCount",
  ),
});

export type FileDetail = Row<typeof DETAIL> & { rags: Row<typeof IN_RAG>[] };

/** At most so many RAGs are named; a file is seldom in more than a few. */
const MAX_RAGS = 100;

/** A file of a source and how it stands in each RAG, in order of the RAG's identifier. */
export async function findFileDetail(
  db: Database,
  sourceId: FileSourceId,
  path: string,
): Promise<FileDetail | null> {
  const atPath = sql`f.file_source_id = ${sourceId} and f.path = ${path}`;
  const [[file], inRags] = await runBatch(db, [
    sql`select ${DETAIL} from files f where ${atPath}`,
    sql`select ${IN_RAG} from files f join rag_files x on x.file_id = f.id and x.status <> 'leaving'
      join rags r on r.id = x.rag_id and r.generation = x.generation and r.removed_at is null
      where ${atPath} order by r.identifier limit ${MAX_RAGS}`,
  ]);
  return file === undefined ? null : { ...file, rags: inRags };
}
