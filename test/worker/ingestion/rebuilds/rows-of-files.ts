import { env } from "cloudflare:workers";

import type { FileSourceId, RagId } from "../../../../src/core/ids.ts";
import { statement, type World } from "../../../support/ingestion-world.ts";

export const CHUNKS_BEFORE = 3;

/** A RAG of rows alone, all indexed, whose second generation is to be built. */
export async function ragToBuild(
  world: World,
  files: number,
): Promise<{ rag: RagId; source: FileSourceId }> {
  const { source, rag } = await world.addSourceAndRag();
  await env.DB.batch([
    statement(
      `with recursive n(i) as (values (1) union all select i + 1 from n where i < ?2)
       insert into files (id, file_source_id, path, name, size, mime_type, version, metadata,
         created_at)
       select printf('%s-%08x', ?1, i * 2654435761 % 4294967296), ?1, printf('%06d.md', i), 'a.md',
         1, 'text/markdown', '1', '{}', 0 from n`,
      source,
      files,
    ),
    statement(
      `insert into rag_files (rag_id, generation, file_id, path, status, revision, indexed_at,
         chunk_count)
       select ?1, 1, id, path, 'indexed', 1, 1, ${CHUNKS_BEFORE} from files
       where file_source_id = ?2`,
      rag,
      source,
    ),
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
