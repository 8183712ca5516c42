import { env } from "cloudflare:workers";

import type { FileSourceId, RagId } from "../../src/core/ids.ts";
import { statement, type World } from "./ingestion-world.ts";

export const CHUNKS_BEFORE = 3;

/** Rows of so many files without bytes; the SQL of an id and a path is of their number `i`. */
export const fileRows = (
  source: FileSourceId,
  count: number,
  { id = "?1 || '-' || i", path = "printf('%06d.md', i)" } = {},
) =>
  statement(
    `insert into files (id, file_source_id, path, name, size, mime_type, version, metadata,
       created_at)
     with recursive n(i) as (values (1) union all select i + 1 from n where i < ?2)
     select ${id}, ?1, ${path}, 'a.md', 1, 'text/markdown', '1', '{}', 0 from n`,
    source,
    count,
  );

/** Their rows in the first generation of a RAG; other columns have these values. */
export function workRows(rag: RagId, source: FileSourceId, columns: Record<string, unknown>) {
  const names = Object.keys(columns);
  return statement(
    `insert into rag_files (rag_id, generation, file_id, path, revision, ${names.join(", ")})
     select ?1, 1, id, path, 1, ${names.map((_, at) => `?${at + 3}`).join(", ")}
     from files where file_source_id = ?2`,
    rag,
    source,
    ...Object.values(columns),
  );
}

/** A RAG of rows alone, all indexed, whose second generation is to be built. */
export async function ragToBuild(
  world: World,
  files: number,
): Promise<{ rag: RagId; source: FileSourceId }> {
  const { source, rag } = await world.addSourceAndRag();
  const indexed = { status: "indexed", indexed_at: 1, chunk_count: CHUNKS_BEFORE };
  await env.DB.batch([
    fileRows(source, files, { id: "printf('%s-%08x', ?1, i * 2654435761 % 4294967296)" }),
    workRows(rag, source, indexed),
    statement(
      `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
         chunk_size, chunk_overlap, format, created_at, filled_up_to)
       select rag_id, 2, 'building', embedding_model, dimensions, 100, 0, format, 1, ''
       from rag_generations where rag_id = ?`,
      rag,
    ),
    statement("update rags set chunk_size = 100, chunk_overlap = 0 where id = ?", rag),
  ]);
  return { rag, source };
}

/** Its index is empty: no sweep is to find it. */
export const forget = async (rag: RagId) =>
  await statement("delete from rags where id = ?", rag).run();
