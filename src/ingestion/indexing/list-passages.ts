import { notFound } from "../../core/errors.ts";
import { shardOf } from "../../core/shard-of.ts";
import { findFile } from "../../db/files/file-store.ts";
import type { RagRecord } from "../../db/records.ts";
import type { Passage } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";

/**
 * One page of a file's passages in a RAG's live index, as they were cut; none while the file is
 * not indexed there.
 * @throws QuarryError `not-found` when the RAG's source has no such file.
 */
export async function listPassages(
  { db, ragIndexes }: Pick<Services, "db" | "ragIndexes">,
  { rag, path, ...page }: { rag: RagRecord; path: string; offset: number; limit: number },
): Promise<{ data: Passage[]; total: number }> {
  const file = await findFile(db, rag.fileSource.id, path);
  if (file === null) throw notFound();
  const { id: ragId, generation, shards } = rag;
  const index = ragIndexes({ ragId, generation, shard: shardOf(file.id, shards) });
  const { offset: from, limit } = page;
  const { passages, total } = await index.passages(file.id, { from, limit });
  return { data: passages, total };
}
