import type { FileId, FileSourceId, RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { crashedAmong, keyOfFile } from "./attempts.ts";
import { NOTE_BEFORE_MOVE } from "../generations/generation-move.ts";
import { runBatch, runOne, statement } from "../raw-sql.ts";
import type { Provider } from "../records.ts";

/** Everything that indexing one file in one RAG must know. */
export type ClaimedFile = {
  ragId: RagId;
  fileId: FileId;
  revision: number;
  /** This try counted; 1 for the first. */
  attempts: number;
  indexedAt: number | null;
  chunkCount: number;
  /** `indexed_sha256`: fingerprint of all that the answering chunks were made from. */
  fingerprint: string | null;
  path: string;
  externalId: string | null;
  url: string | null;
  name: string;
  size: number;
  mimeType: string;
  version: string;
  sha256: string | null;
  metadata: Record<string, unknown>;
  sourceState: Record<string, unknown> | null;
  chunkSize: number;
  chunkOverlap: number;
  /** The one that this work is for: the RAG's live one, or one that is being built. */
  generation: number;
  isBuilding: boolean;
  /** A generation is being built beside the live one, and is to have the file as well. */
  isRebuilt: boolean;
  /** Its last worker ended without a word: this file may be what killed it. */
  hasCrashed: boolean;
  shards: number;
  /** The generation whose vectors serve again where the embedded text is the same. */
  vectorsFrom: { generation: number; shards: number } | null;
  embeddingModel: string;
  dimensions: number;
  source: {
    id: FileSourceId;
    provider: Provider;
    config: Record<string, unknown>;
    sealedSecrets: string | null;
  };
};

export type ClaimedRow = Omit<
  ClaimedFile,
  "metadata" | "sourceState" | "source" | "isBuilding" | "isRebuilt" | "hasCrashed" | "vectorsFrom"
> & {
  vectorsFrom: number | null;
  vectorShards: number | null;
  building: number;
  rebuilt: number;
  metadata: string;
  sourceState: string | null;
  sourceId: FileSourceId;
  provider: Provider;
  config: string;
  sealedSecrets: string | null;
};

const CLAIM = `update rag_files set status = 'processing', lease_id = ?2, held_until = ?3,
    attempts = attempts + 1
  from json_each(?1) m
  where rag_files.rag_id = m.value ->> 'ragId' and rag_files.file_id = m.value ->> 'fileId'
    and rag_files.revision = m.value ->> 'revision'
    and (status = 'pending' or (status = 'processing' and held_until < ?4))
    and exists (select 1 from rags r where r.id = rag_files.rag_id
      and r.status = 'active' and r.removed_at is null)`;

/** Of a file `f`, a RAG `r`, its generation `g` and its source `src`. */
export const CLAIMED_COLUMNS = `r.id as ragId, f.id as fileId,
    f.path, f.external_id as externalId, f.url, f.name, f.size, f.mime_type as mimeType,
    f.version, f.sha256, f.metadata, f.source_state as sourceState,
    g.chunk_size as chunkSize, g.chunk_overlap as chunkOverlap, g.generation, g.shards,
    g.embedding_model as embeddingModel, g.dimensions, g.vectors_from as vectorsFrom,
    (select v.shards from rag_generations v where v.rag_id = g.rag_id
      and v.generation = g.vectors_from) as vectorShards,
    src.id as sourceId, src.provider, src.config, src.sealed_secrets as sealedSecrets`;

const CLAIMED = `select ${CLAIMED_COLUMNS}, rf.revision, rf.attempts,
    rf.indexed_at as indexedAt, rf.chunk_count as chunkCount,
    case when rf.file_id > g.moved_after then (select x.fingerprint from generation_files x
        where x.rag_id = rf.rag_id and x.generation = g.generation and x.file_id = rf.file_id)
      else rf.indexed_sha256 end as fingerprint,
    0 as building, exists (select 1 from rag_generations b where b.rag_id = r.id
      and b.state = 'building') as rebuilt
  from json_each(?1) m
    join rag_files rf on rf.rag_id = m.value ->> 'ragId' and rf.file_id = m.value ->> 'fileId'
    join files f on f.id = rf.file_id
    join rags r on r.id = rf.rag_id
    join rag_generations g on g.rag_id = r.id and g.generation = r.generation
    join file_sources src on src.id = f.file_source_id
  where rf.lease_id = ?2 and f.deleted_at is null`;

/**
 * Takes those of these messages whose work is still wanted and held by nobody. One round trip
 * for the whole batch; what is not returned is done, void, or another's.
 */
export async function claimFiles(
  db: Database,
  messages: IndexMessage[],
  lease: { id: string; until: number; now: number },
): Promise<ClaimedFile[]> {
  const list = JSON.stringify(messages);
  const [crashed, , rows] = await runBatch(db, [
    crashedAmong(list, lease.now),
    statement(CLAIM, list, lease.id, lease.until, lease.now),
    statement(CLAIMED, list, lease.id),
  ]);
  const hasCrashed = new Set((crashed as IndexMessage[]).map(keyOfFile));
  return (rows as ClaimedRow[]).map((row) => claimedFrom(row, hasCrashed.has(keyOfFile(row))));
}

export function claimedFrom(row: ClaimedRow, hasCrashed: boolean): ClaimedFile {
  const { metadata, sourceState, sourceId, provider, config, sealedSecrets, ...others } = row;
  const { building, rebuilt, vectorsFrom: generation, vectorShards: shards, ...rest } = others;
  return {
    ...rest,
    hasCrashed,
    vectorsFrom: generation === null || shards === null ? null : { generation, shards },
    isBuilding: building === 1,
    isRebuilt: rebuilt === 1,
    metadata: JSON.parse(metadata) as Record<string, unknown>,
    sourceState: sourceState === null ? null : (JSON.parse(sourceState) as Record<string, unknown>),
    source: {
      id: sourceId,
      provider,
      config: JSON.parse(config) as Record<string, unknown>,
      sealedSecrets,
    },
  };
}

const RENEW = `update rag_files set held_until = ?3 from json_each(?1) m
  where rag_files.rag_id = m.value ->> 'ragId' and rag_files.file_id = m.value ->> 'fileId'
    and rag_files.lease_id = ?2 and rag_files.status = 'processing'`;

/** The worker still lives: its hold on the files of these messages lasts until then. */
export async function renewLease(
  db: Database,
  lease: { id: string; until: number },
  messages: IndexMessage[],
): Promise<void> {
  await runBatch(db, [
    statement(RENEW, JSON.stringify(messages), lease.id, lease.until),
    statement(
      `update generation_files set held_until = ?2 where lease_id = ?1 and state = 'processing'`,
      lease.id,
      lease.until,
    ),
  ]);
}

/** How one try ended, as it is written. */
export type FileEnd = IndexMessage & {
  /** The one that a live file was worked on for: when another is live by then, this is void. */
  liveGeneration: number;
  /** `processing`: all is stored, and the vector index is waited for. */
  status: "indexed" | "error" | "pending" | "processing";
  /** Null keeps what is there. */
  chunkCount: number | null;
  fingerprint: string | null;
  /** What was left out or mended in the content of `fingerprint`; null keeps what is there. */
  notes: string[] | null;
  errorMessage: string | null;
  errorIsOutside: boolean;
  /** For `pending` and `processing`: until when the row is not taken up; otherwise 0. */
  heldUntil: number;
};

const FINISH = `update rag_files set status = m.value ->> 'status',
    indexed_at = case m.value ->> 'status' when 'indexed' then ?3 else indexed_at end,
    chunk_count = coalesce(m.value ->> 'chunkCount', chunk_count),
    indexed_sha256 = case m.value ->> 'chunkCount' when 0 then m.value ->> 'fingerprint'
      else coalesce(m.value ->> 'fingerprint', indexed_sha256) end,
    notes = coalesce(m.value ->> 'notes', notes),
    error_message = m.value ->> 'errorMessage',
    error_is_outside = m.value ->> 'errorIsOutside',
    attempts = case m.value ->> 'status' when 'pending' then attempts else 0 end,
    lease_id = null, held_until = m.value ->> 'heldUntil'
  from json_each(?1) m
  where rag_files.rag_id = m.value ->> 'ragId' and rag_files.file_id = m.value ->> 'fileId'
    and rag_files.revision = m.value ->> 'revision' and rag_files.status <> 'deleted'
    and (rag_files.lease_id = ?2 or m.value ->> 'status' = 'indexed')
    and exists (select 1 from rags r where r.id = rag_files.rag_id
      and r.generation = m.value ->> 'liveGeneration')`;

/**
 * Writes the ends of a group of files where the revision is still the one that was worked on.
 * An `indexed` counts whoever holds the lease: the index has activated the version. `saved`: embeddings that
 * unchanged chunks made unnecessary, by source.
 */
export async function finishFiles(
  db: Database,
  ends: FileEnd[],
  lease: { id: string; now: number },
  saved: Map<FileSourceId, number>,
): Promise<void> {
  const list = JSON.stringify(ends);
  const statements = [
    statement(FINISH, list, lease.id, lease.now),
    statement(NOTE_BEFORE_MOVE, list),
  ];
  for (const [sourceId, embeddings] of saved) {
    if (embeddings > 0) statements.push(statement(SAVED, sourceId, embeddings));
  }
  await runBatch(db, statements);
}

const SAVED = `update scan_runs set embeddings_saved = embeddings_saved + ?2 where id = (
  select id from scan_runs where file_source_id = ?1 order by started_at desc limit 1)`;

/**
 * The index has seen a later revision than the message's while D1 has not: the row moves above
 * it and waits again. Returns what to queue; a row that changed meanwhile is left alone.
 */
export async function outgrow(
  db: Database,
  stale: (IndexMessage & { above: number })[],
  now: number,
  heldUntil: number,
): Promise<IndexMessage[]> {
  return await runOne(
    db,
    statement(
      `update rag_files set status = 'pending', attempts = 0, lease_id = null, held_until = ?3,
         revision = max(rag_files.revision + 1, (m.value ->> 'above') + 1, ?2)
       from json_each(?1) m
       where rag_files.rag_id = m.value ->> 'ragId' and rag_files.file_id = m.value ->> 'fileId'
         and rag_files.revision = m.value ->> 'revision' and rag_files.status = 'processing'
       returning rag_files.rag_id as ragId, rag_files.file_id as fileId, rag_files.revision`,
      JSON.stringify(stale),
      now,
      heldUntil,
    ),
  );
}
