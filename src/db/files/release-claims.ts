import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { execute, readRows } from "../raw-sql.ts";
import { CRASHED } from "./attempts.ts";
import type { ClaimedFile } from "./claim-files.ts";
import { MESSAGE, MESSAGE_COLUMNS, sameFile } from "./file-rows.ts";

/** Renews a live worker's claim on the files of these messages. */
export async function renewClaims(
  db: Database,
  lease: { id: string; until: number },
  messages: IndexMessage[],
): Promise<void> {
  await execute(
    db,
    `update rag_files set leased_until = ?3 from json_each(?1) m
     where ${sameFile()} and rag_files.lease_id = ?2 and rag_files.status = 'processing'`,
    JSON.stringify(messages),
    lease.id,
    lease.until,
  );
}

/** Takes back the attempt that the claim counted; a suspect's was not counted yet. */
const RELEASE = `update rag_files set status = 'pending', claimed_until = ?3,
    attempts = max(0, attempts - (1 - (m.value ->> 'isSuspect'))),
    lease_id = case when m.value ->> 'isSuspect' then '${CRASHED}' end
  from json_each(?1) m
  where ${sameFile()} and rag_files.revision = m.value ->> 'revision'
    and rag_files.lease_id = ?2 and rag_files.status = 'processing'
  returning ${MESSAGE_COLUMNS}`;

/**
 * Releases claimed files that were not started: they are pending as before the claim. Returns what
 * to queue; a file that was changed, deleted or claimed by another meanwhile is left alone.
 */
export async function releaseClaims(
  db: Database,
  files: ClaimedFile[],
  of: { leaseId: string; claimedUntil: number },
): Promise<IndexMessage[]> {
  const list = files.map(({ ragId, generation, fileId, revision, isSuspect }) => ({
    ragId,
    generation,
    fileId,
    revision,
    isSuspect,
  }));
  return await readRows(db, MESSAGE, RELEASE, list, of.leaseId, of.claimedUntil);
}
