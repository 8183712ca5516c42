import { and, asc, count, eq, getTableColumns, isNull, or, sql, type SQL } from "drizzle-orm";

import { aliased } from "../aliased.ts";
import type { Database } from "../client.ts";
import { among, type Slice } from "../page.ts";
import type { RagRecord } from "../records.ts";
import { fileSources, ragGenerations, rags } from "../schema/index.ts";

/** The columns of a RagRecord; join as `selectRags` does. */
export const ragColumns = {
  rag: aliased("rag", getTableColumns(rags)),
  source: aliased("source", {
    id: fileSources.id,
    name: fileSources.name,
    identifier: fileSources.identifier,
    provider: fileSources.provider,
    status: fileSources.status,
  }),
  live: aliased("live", {
    shards: ragGenerations.shards,
    vectorsIn: ragGenerations.vectorsIn,
    embeddingModel: ragGenerations.embeddingModel,
    dimensions: ragGenerations.dimensions,
    pendingFiles: ragGenerations.pendingFiles,
    processingFiles: ragGenerations.processingFiles,
    indexedFiles: ragGenerations.indexedFiles,
    errorFiles: ragGenerations.errorFiles,
    numberVectors: ragGenerations.numberVectors,
  }),
};

type RagRow = typeof rags.$inferSelect;
type Joined = {
  rag: RagRow;
  source: RagRecord["fileSource"] & { status: "active" | "error" };
  live: Pick<
    typeof ragGenerations.$inferSelect,
    | "shards"
    | "vectorsIn"
    | "embeddingModel"
    | "dimensions"
    | "pendingFiles"
    | "processingFiles"
    | "indexedFiles"
    | "errorFiles"
    | "numberVectors"
  >;
};

export const liveGeneration = and(
  eq(ragGenerations.ragId, rags.id),
  eq(ragGenerations.generation, rags.generation),
);

export function ragRecordOf({ rag, source, live }: Joined): RagRecord {
  const { status: sourceStatus, ...fileSource } = source;
  const failed = rag.status === "active" && sourceStatus === "error";
  return {
    id: rag.id,
    name: rag.name,
    identifier: rag.identifier,
    status: failed ? "error" : rag.status,
    fileSource,
    scopeMode: rag.scopeMode,
    chunkSize: rag.chunkSize,
    chunkOverlap: rag.chunkOverlap,
    reranker: rag.reranker,
    searchMode: rag.searchMode,
    generation: rag.generation,
    shards: live.shards,
    vectorsIn: live.vectorsIn,
    embeddingModel: live.embeddingModel,
    dimensions: live.dimensions,
    totalFiles:
      live.pendingFiles +
      live.processingFiles +
      live.indexedFiles +
      live.errorFiles +
      rag.comingFiles,
    processedFiles: live.indexedFiles,
    numberVectors: live.numberVectors,
  };
}

export function selectRags(db: Database, where: SQL | undefined) {
  return db
    .select(ragColumns)
    .from(rags)
    .innerJoin(fileSources, eq(fileSources.id, rags.fileSourceId))
    .innerJoin(ragGenerations, liveGeneration)
    .where(and(isNull(rags.removedAt), where));
}

/** A query for one RAG by id or identifier; an id takes precedence. */
function selectRag(db: Database, key: string) {
  return selectRags(db, or(sql`${rags.id} = ${key}`, eq(rags.identifier, key)))
    .orderBy(sql`${rags.id} = ${key} desc`)
    .limit(1);
}

/** By id or identifier. Null when there is none or it was removed. */
export async function findRagRecord(db: Database, key: string): Promise<RagRecord | null> {
  const row = await selectRag(db, key).get();
  return row === undefined ? null : ragRecordOf(row);
}

/** A page of the RAGs in order of identifier. */
export async function listRagRecords(db: Database, { offset, limit }: Slice) {
  const [rows, [counted]] = await db.batch([
    selectRags(db, undefined).orderBy(asc(rags.identifier)).limit(limit).offset(offset),
    db.select({ total: count() }).from(rags).where(isNull(rags.removedAt)),
  ]);
  return { data: rows.map(ragRecordOf), total: counted?.total ?? 0 };
}

/** Which of these identifiers name a RAG, with their ids; any number of them. */
export async function findRagIds(db: Database, identifiers: string[]) {
  return await db
    .select({ id: rags.id, identifier: rags.identifier })
    .from(rags)
    .where(and(isNull(rags.removedAt), among(rags.identifier, identifiers)));
}
