import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { execute, readRows } from "../sql.ts";
import { CRASHED } from "./attempts.ts";
import type { ClaimedFile } from "./claim-files.ts";
import { MESSAGE, sameFile } from "./file-rows.ts";

/** Renews a live worker's claim on the files of these messages. */
export const renewClaims = (
  db: Database,
  lease: { id: string; until: number },
  messages: IndexMessage[],
) =>
  execute(db)`update rag_files set leased_until = ${lease.until} from json_each(${messages}) m
    where ${sameFile()} and rag_files.lease_id = ${lease.id} and rag_files.status = 'processing'`;

/**
 * Releases claimed files that were not started: they are pending as before the claim. Returns what
 * to queue; a file that was changed, deleted or claimed by another meanwhile is left alone.
 */
export async function releaseClaims(
  db: Database,
  files: ClaimedFile[],
  { leaseId, claimedUntil }: { leaseId: string; claimedUntil: number },
): Promise<IndexMessage[]> {
  const list = files.map(({ ragId, generation, fileId, revision, isSuspect }) => {
    return { ragId, generation, fileId, revision, isSuspect };
  });
  // The claim counted an attempt, unless of a suspect.
  return await readRows(db, MESSAGE)`update rag_files set status = 'pending',
      claimed_until = ${claimedUntil},
      attempts = max(0, attempts - (1 - (m.value ->> 'isSuspect'))),
      lease_id = case when m.value ->> 'isSuspect' then ${CRASHED} end
    from json_each(${list}) m
    where ${sameFile()} and rag_files.revision = m.value ->> 'revision'
      and rag_files.lease_id = ${leaseId} and rag_files.status = 'processing'
    returning ${MESSAGE}`;
}
