import type { FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { files, ragFiles, rags } from "../schema/index.ts";
import { columnsOf, pick, select, type Row } from "../select.ts";
import { runBatch, sql } from "../sql.ts";
import { shownStatus } from "../file-status.ts";

const f = columnsOf(files, "f");
const DETAIL = select({
  ...pick(f, "id", "path", "name", "externalId", "url", "size", "mimeType", "sha256"),
  ...pick(f, "metadata", "createdAt", "deletedAt"),
});

/** The file in the live index of one RAG. */
const r = columnsOf(rags, "r");
const IN_RAG = select({
  ragIdentifier: r.identifier,
  ragName: r.name,
  status: shownStatus("x"),
  ...pick(columnsOf(ragFiles, "x"), "indexedAt", "errorMessage", "notes", "chunkCount"),
});

export type FileDetail = Row<typeof DETAIL> & { rags: Row<typeof IN_RAG>[] };

/** RAGs that are told of; a file is seldom in more than a few. */
const RAGS_TOLD = 100;

/** A file of a source and how it stands in each RAG, in order of the RAG's identifier. */
export async function findFileDetail(
  db: Database,
  sourceId: FileSourceId,
  path: string,
): Promise<FileDetail | null> {
  const atPath = sql`f.file_source_id = ${sourceId} and f.path = ${path}`;
  const [[file], inRags] = await runBatch(db, [
    sql`select ${DETAIL} from files f where ${atPath}`.reading(DETAIL),
    sql`select ${IN_RAG} from files f join rag_files x on x.file_id = f.id and x.status <> 'leaving'
      join rags r on r.id = x.rag_id and r.generation = x.generation and r.removed_at is null
      where ${atPath} order by r.identifier limit ${RAGS_TOLD}`.reading(IN_RAG),
  ]);
  return file === undefined ? null : { ...file, rags: inRags };
}
