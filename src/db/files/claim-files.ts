import type { FileId, FileSourceId, RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { flag, id, jsonObject, nullable, number, oneOf, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { query, runBatch, statement } from "../raw-sql.ts";
import { VECTOR_PLACES } from "../schema/rags.ts";
import { heldUntil, isSuspect } from "./attempts.ts";
import { countingFiles } from "./count-together.ts";
import { MESSAGE, OPEN, sameFile } from "./file-rows.ts";

const CLAIMED = row({
  ragId: id<RagId>(),
  generation: number,
  fileId: id<FileId>(),
  revision: number,
  attempts: number,
  indexedAt: nullable(number),
  chunkCount: number,
  fingerprint: nullable(text),
  path: text,
  externalId: nullable(text),
  url: nullable(text),
  name: text,
  size: number,
  mimeType: text,
  version: text,
  sha256: nullable(text),
  contentId: text,
  metadata: jsonObject,
  sourceState: nullable(jsonObject),
  chunkSize: number,
  chunkOverlap: number,
  isBuilding: flag,
  shards: number,
  vectorsIn: oneOf(VECTOR_PLACES),
  vectorsFrom: nullable(number),
  vectorShards: nullable(number),
  embeddingModel: text,
  dimensions: number,
  sourceId: id<FileSourceId>(),
  provider: text,
  config: jsonObject,
  sealedSecrets: nullable(text),
});

type ClaimedRow = Row<typeof CLAIMED>;
type SourceColumns = "sourceId" | "provider" | "config" | "sealedSecrets";

/**
 * Everything needed to index one file in one generation. `attempts` includes this one (1: the
 * first). `chunkCount` live chunks exist in the generation, made from `fingerprint`; `indexedAt`
 * is the last success in any. `isBuilding`: the generation is not live yet.
 */
export type ClaimedFile = Omit<ClaimedRow, SourceColumns | "vectorsFrom" | "vectorShards"> & {
  /** Its last worker died: this file may be the cause. */
  isSuspect: boolean;
  /** The generation whose vectors are reused where the embedded text is the same. */
  vectorsFrom: { generation: number; shards: number } | null;
  source: { id: FileSourceId } & Pick<ClaimedRow, "provider" | "config" | "sealedSecrets">;
};

const SUSPECTS = `select x.rag_id as ragId, x.generation, x.file_id as fileId, x.revision
  from json_each(?1) m cross join rag_files x on ${sameFile("x")} where ${isSuspect("x", "?2")}`;

const CLAIM = `update rag_files as x set status = 'processing', lease_id = ?2, leased_until = ?3,
    attempts = x.attempts + case when ${isSuspect("x", "?4")} then 0 else 1 end
  from json_each(?1) m
  where ${sameFile("x")} and x.revision = m.value ->> 'revision'
    and (x.status = 'pending' or (x.status = 'processing' and ${heldUntil("x")} < ?4))
    and exists (select 1 from rags r join rag_generations g on g.rag_id = r.id
      where r.id = x.rag_id and r.status = 'active' and r.removed_at is null
        and g.generation = x.generation and ${OPEN})`;

const READ = `select x.rag_id as ragId, x.generation, x.file_id as fileId, x.revision, x.attempts,
    x.indexed_at as indexedAt, x.chunk_count as chunkCount, x.fingerprint,
    f.path, f.external_id as externalId, f.url, f.name, f.size, f.mime_type as mimeType,
    f.version, f.sha256, f.content_id as contentId, f.metadata,
    f.source_state as sourceState,
    g.chunk_size as chunkSize, g.chunk_overlap as chunkOverlap, g.state = 'building' as isBuilding,
    g.shards, g.vectors_in as vectorsIn, g.vectors_from as vectorsFrom,
    v.shards as vectorShards,
    g.embedding_model as embeddingModel, g.dimensions,
    s.id as sourceId, s.provider, s.config, s.sealed_secrets as sealedSecrets
  from json_each(?1) m
    cross join rag_files x on ${sameFile("x")}
    join files f on f.id = x.file_id
    join rag_generations g on g.rag_id = x.rag_id and g.generation = x.generation
    left join rag_generations v on v.rag_id = x.rag_id and v.generation = g.vectors_from
    join file_sources s on s.id = f.file_source_id
  where x.lease_id = ?2 and f.deleted_at is null`;

/**
 * Claims the files of these messages that are still wanted and not claimed by another worker, in
 * one round trip per batch. Files not returned are done, void, or claimed by another worker.
 */
export async function claimFiles(
  db: Database,
  messages: IndexMessage[],
  lease: { id: string; until: number; now: number },
): Promise<ClaimedFile[]> {
  const list = JSON.stringify(messages);
  const steps = [
    query(MESSAGE, SUSPECTS, list, lease.now),
    statement(CLAIM, list, lease.id, lease.until, lease.now),
    query(CLAIMED, READ, list, lease.id),
  ] as const;
  const [suspects, , rows] = await runBatch(db, steps, countingFiles(messages));
  const suspected = new Set(suspects.map(keyOfFile));
  return rows.map((one) => claimedFrom(one, suspected.has(keyOfFile(one))));
}

/** Identifies a file in a generation. */
export const keyOfFile = ({ ragId, generation, fileId }: Omit<IndexMessage, "revision">) =>
  `${ragId} ${generation} ${fileId}`;

function claimedFrom(claimed: ClaimedRow, isSuspect: boolean): ClaimedFile {
  const { sourceId, provider, config, sealedSecrets, vectorsFrom, vectorShards, ...file } = claimed;
  const isReusing = vectorsFrom !== null && vectorShards !== null;
  return {
    ...file,
    // A suspect's attempt is counted when its work begins.
    attempts: file.attempts + (isSuspect ? 1 : 0),
    isSuspect,
    vectorsFrom: isReusing ? { generation: vectorsFrom, shards: vectorShards } : null,
    source: { id: sourceId, provider, config, sealedSecrets },
  };
}
