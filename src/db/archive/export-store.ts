import { z } from "zod";

import type { FileSourceId, RagId } from "../../core/ids.ts";
import { g, r, s } from "../records.ts";
import { audiences, files, searchExclusions } from "../schema/index.ts";
import { columnsOf, json, maybe, pick, select, type Row } from "../select.ts";
import { raw, readRows, sql, type Database } from "../sql.ts";

const EXPORTED_RAG = select({
  ...pick(r, "id", "identifier", "fileSourceId", "generation"),
  ...pick(g, "embeddingModel", "dimensions", "passagePrefix", "chunkSize", "chunkOverlap"),
  ...pick(g, "format", "shards", "vectorsIn"),
});
export type ExportedRag = Row<typeof EXPORTED_RAG>;

const EXPORTED_SOURCE = select(pick(s, "id", "identifier", "provider"));
export type ExportedSource = Row<typeof EXPORTED_SOURCE>;

/** Every RAG and its live generation, in order of identifier. */
export const listExportedRags = (db: Database) =>
  readRows(db)`select ${EXPORTED_RAG} from rags r
    join rag_generations g on g.rag_id = r.id and g.generation = r.generation
    where r.removed_at is null order by r.identifier`;

export const listExportedSources = (db: Database) =>
  readRows(db)`select ${EXPORTED_SOURCE} from file_sources s where s.removed_at is null
    order by s.identifier`;

export const MEASURED_FILES = 100_000;

/** Files, their bytes and passages of everything; files are counted up to `MEASURED_FILES`. */
export async function measureExport(db: Database) {
  const rows = await readRows(db)`select count(*) as files, coalesce(sum(f.size), 0) as bytes,
      (select coalesce(sum(g.number_vectors), 0) from rags r join rag_generations g
        on g.rag_id = r.id and g.generation = r.generation where r.removed_at is null) as passages
    from (select size from files where deleted_at is null limit ${MEASURED_FILES}) f`;
  const { files: count, bytes, passages } = rows[0] ?? {};
  return { files: Number(count), bytes: Number(bytes), passages: Number(passages) };
}

const f = columnsOf(files, "f");
const INDEXED = z.looseObject({
  id: z.string(),
  generation: z.number(),
  revision: z.number(),
  status: z.string(),
});
const EXPORTED_FILE = (ragIds: RagId[]) =>
  select({
    ...f,
    readersOf: maybe(pick(columnsOf(audiences, "a"), "id", "readers", "unreadable")),
    /** Its rows in the live generations of these RAGs. */
    rags: json(
      z.array(INDEXED),
      sql`(select json_group_array(json_object('id', x.rag_id,
          'generation', x.generation, 'revision', x.revision,
          'status', x.status, 'indexedAt', x.indexed_at, 'chunkCount', x.chunk_count,
          'fingerprint', x.fingerprint, 'notes', json(x.notes), 'errorMessage', x.error_message,
          'errorCode', x.error_code, 'errorIsOutside', json(iif(x.error_is_outside, 'true', 'false'))))
        from json_each(${ragIds}) w cross join rags r on r.id = w.value
        cross join rag_files x on x.file_id = f.id and x.rag_id = r.id
          and x.generation = r.generation and x.status not in ('deleted', 'leaving'))`,
    ),
  });
export type ExportedFile = Row<ReturnType<typeof EXPORTED_FILE>>;

/**
 * Files of a source by path, after one, or only these. Without readers from before permissions were
 * last switched on: they let nobody in.
 */
export const readExportedFiles = (
  db: Database,
  source: { id: FileSourceId; ragIds: RagId[] },
  { after, only, limit }: { after: string; only: string[] | null; limit: number },
) =>
  readRows(db)`select ${EXPORTED_FILE(source.ragIds)} from file_sources s
    cross join files f on f.file_source_id = s.id
    left join audiences a on a.id = f.audience and f.readers_revision >= s.permissions_since
    where s.id = ${source.id} and f.deleted_at is null and f.path > ${after}
      and ${only === null ? raw("1") : sql`f.path in (select value from json_each(${only}))`}
    order by f.path limit ${limit}`;

const EXCLUSION = select(
  pick(columnsOf(searchExclusions), "kind", "value", "path", "excerpt", "createdAt", "createdBy"),
);

export const listExportedExclusions = (db: Database, sourceId: FileSourceId) =>
  readRows(db)`select ${EXCLUSION} from search_exclusions where file_source_id = ${sourceId}
    order by kind, value`;
