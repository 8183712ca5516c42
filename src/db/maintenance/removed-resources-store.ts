import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, number, oneOf, row, type Row } from "../columns.ts";
import { execute, query, readRow, runBatch, statement } from "../raw-sql.ts";
import { VECTOR_PLACES } from "../schema/rags.ts";
import { heldUntil } from "../files/attempts.ts";
import { rowKey } from "../files/file-rows.ts";

/** RAGs and sources removed before `before` that still have data to delete. */
export async function removedResources(
  db: Database,
  before: number,
): Promise<{ rags: RagId[]; sources: FileSourceId[] }> {
  const [rags, sources] = await runBatch(db, [
    query(row({ id: id<RagId>() }), `select id from rags where removed_at < ?1`, before),
    query(
      row({ id: id<FileSourceId>() }),
      `select id from file_sources where removed_at < ?1`,
      before,
    ),
  ]);
  return { rags: rags.map(({ id }) => id), sources: sources.map(({ id }) => id) };
}

const GENERATION = row({ generation: number, shards: number, vectorsIn: oneOf(VECTOR_PLACES) });

/** Every generation of a removed RAG, retired ones included; null when it is not removed. */
export async function removedRagGenerations(
  db: Database,
  ragId: RagId,
): Promise<Row<typeof GENERATION>[] | null> {
  const [rags, generations] = await runBatch(db, [
    statement(`select 1 from rags where id = ?1 and removed_at is not null`, ragId),
    query(
      GENERATION,
      `select generation, shards, vectors_in as vectorsIn from rag_generations where rag_id = ?1`,
      ragId,
    ),
  ]);
  return rags.length === 0 ? null : generations;
}

/** Deletes some of a RAG's file rows; returns whether there may be more. */
export async function deleteRagFiles(db: Database, ragId: RagId, limit: number): Promise<boolean> {
  const deleted = await execute(
    db,
    `delete from rag_files where (${rowKey()}) in (
       select ${rowKey()} from rag_files where rag_id = ?1 limit ?2) returning 1`,
    ragId,
    limit,
  );
  return deleted.length === limit;
}

/** Whether a worker may still write to the RAG's index. */
export async function isWorkedOn(db: Database, ragId: RagId, now: number): Promise<boolean> {
  const rows = await execute(
    db,
    `select 1 from rag_files where rag_id = ?1 and status = 'processing' and ${heldUntil()} > ?2
     limit 1`,
    ragId,
    now,
  );
  return rows.length > 0;
}

export async function deleteRag(db: Database, ragId: RagId): Promise<void> {
  await execute(db, `delete from rags where id = ?1 and removed_at is not null`, ragId);
}

/**
 * When a source was removed, ms; null: it was not, or may not be cleaned yet, as its RAGs are
 * cleaned first.
 */
export async function purgeableSince(db: Database, sourceId: FileSourceId): Promise<number | null> {
  const found = await readRow(
    db,
    row({ removedAt: number }),
    `select removed_at as removedAt from file_sources where id = ?1 and removed_at is not null
       and not exists (select 1 from rags where file_source_id = ?1)`,
    sourceId,
  );
  return found?.removedAt ?? null;
}

/** Deletes some of a source's files; returns whether there may be more. */
export async function deleteSourceFiles(
  db: Database,
  sourceId: FileSourceId,
  limit: number,
): Promise<boolean> {
  const rows = await execute(
    db,
    `delete from files where id in (
       select id from files where file_source_id = ?1 limit ?2) returning 1`,
    sourceId,
    limit,
  );
  return rows.length === limit;
}

export async function deleteSource(db: Database, sourceId: FileSourceId): Promise<void> {
  await execute(db, `delete from file_sources where id = ?1 and removed_at is not null`, sourceId);
}
