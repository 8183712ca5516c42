import type { FileFailure } from "../../core/file-failures.ts";
import type { FileSourceId } from "../../core/ids.ts";
import type { IndexMessage } from "../../core/queue-messages.ts";
import { execute, readRows, runBatch, sql, type Database } from "../sql.ts";
import { counterWritesOfFiles } from "./counter-writes.ts";
import { heldUntilSql, MESSAGE, sameFile, type PendTimes } from "./file-rows.ts";

/** The result of one attempt, as it is written. */
export type FileEnd = IndexMessage & {
  /** `processing`: all is stored, and the vectors are not visible in the vector index yet. */
  status: "indexed" | "error" | "pending" | "processing";
  /** Null keeps the current value. */
  chunkCount: number | null;
  fingerprint: string | null;
  /** The content of the file as it was claimed; recorded with `fingerprint`. */
  contentId: string;
  /**
   * Parts of the content of `fingerprint` that were left out or repaired; null keeps the current
   * value.
   */
  notes: string[] | null;
  errorMessage: string | null;
  errorCode: FileFailure | null;
  errorIsOutside: boolean;
  /** For `pending` and `processing`: the row is not claimed before this time. */
  claimedUntil: number;
  /** Whether an attempt that left the file `pending` counts. */
  isCounted: boolean;
};

/**
 * Writes the results of a group of files whose revision is unchanged. `indexed` is written whoever
 * holds the lease, because the index has the file. `saved`: embeddings that unchanged chunks made
 * unnecessary, by source.
 */
export async function finishFiles(
  db: Database,
  ends: FileEnd[],
  { id, now }: { id: string; now: number },
  saved: Map<FileSourceId, number>,
): Promise<void> {
  const savings = [...saved].filter(([, embeddings]) => embeddings > 0);
  const steps = [
    sql`update rag_files set status = m.value ->> 'status',
        indexed_at = case m.value ->> 'status' when 'indexed' then ${now} else indexed_at end,
        chunk_count = coalesce(m.value ->> 'chunkCount', chunk_count),
        fingerprint = case m.value ->> 'chunkCount' when 0 then null
          else coalesce(m.value ->> 'fingerprint', fingerprint) end,
        content_id = case when m.value ->> 'fingerprint' is null then content_id
          else m.value ->> 'contentId' end,
        notes = coalesce(m.value ->> 'notes', notes),
        error_message = m.value ->> 'errorMessage',
        error_code = m.value ->> 'errorCode',
        error_is_outside = m.value ->> 'errorIsOutside',
        attempts = case m.value ->> 'status' when 'pending'
          then max(0, attempts - iif(m.value ->> 'isCounted', 0, 1)) else 0 end,
        lease_id = null,
        claimed_until = m.value ->> 'claimedUntil',
        leased_until = case m.value ->> 'status' when 'error' then ${now} else 0 end
      from json_each(${ends}) m
      where ${sameFile()} and rag_files.revision = m.value ->> 'revision'
        and rag_files.status <> 'deleted'
        and (rag_files.lease_id = ${id} or m.value ->> 'status' = 'indexed')`,
    ...savings.map(
      ([sourceId, embeddings]) =>
        sql`update scan_runs set embeddings_saved = embeddings_saved + ${embeddings} where id = (
          select id from scan_runs where file_source_id = ${sourceId}
          order by started_at desc limit 1)`,
    ),
  ];
  await runBatch(db, steps, counterWritesOfFiles(ends));
}

/** The index knows a later revision than D1: raises the row's above it, queues the file again. */
export const requeueSuperseded = (
  db: Database,
  superseded: (IndexMessage & { above: number })[],
  { now, claimedUntil }: PendTimes,
) =>
  readRows(db)`update rag_files set status = 'pending', attempts = 0, lease_id = null,
      claimed_until = ${claimedUntil}, leased_until = 0,
      revision = max(rag_files.revision + 1, (m.value ->> 'above') + 1, ${now})
    from json_each(${superseded}) m
    where ${sameFile()} and rag_files.revision = m.value ->> 'revision'
      and rag_files.status = 'processing'
    returning ${MESSAGE}`;

/** Fails files whose messages were given up, unless a worker has claimed them now. */
export const giveUpFiles = (
  db: Database,
  messages: IndexMessage[],
  { reason, now }: { reason: string; now: number },
) =>
  execute(db)`update rag_files set status = 'error', error_message = ${reason},
      error_code = 'service', error_is_outside = 1, attempts = 0, lease_id = null, claimed_until = 0, leased_until = ${now}
    from json_each(${messages}) m
    where ${sameFile()} and rag_files.revision = m.value ->> 'revision'
      and (status = 'pending' or (status = 'processing' and ${heldUntilSql()} < ${now}))`;
