import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { CRASHED } from "./attempts.ts";
import type { ClaimedFile } from "./file-work-store.ts";
import { runBatch, statement } from "../raw-sql.ts";

/** The try that the claim counted is given back; that of a suspect was not counted yet. */
const LIVE = `update rag_files set status = 'pending', held_until = ?3,
    attempts = max(0, attempts - case m.value ->> 'hasCrashed' when 1 then 0 else 1 end),
    lease_id = case m.value ->> 'hasCrashed' when 1 then '${CRASHED}' end
  from json_each(?1) m
  where rag_id = m.value ->> 'ragId' and file_id = m.value ->> 'fileId'
    and revision = m.value ->> 'revision' and lease_id = ?2 and status = 'processing'
  returning rag_id as ragId, file_id as fileId, revision`;

const BUILDING = `update generation_files as g set state = 'pending', held_until = ?3,
    attempts = max(0, g.attempts - case m.value ->> 'hasCrashed' when 1 then 0 else 1 end),
    lease_id = case m.value ->> 'hasCrashed' when 1 then '${CRASHED}' end
  from json_each(?1) m
  where g.rag_id = m.value ->> 'ragId' and g.generation = m.value ->> 'generation'
    and g.file_id = m.value ->> 'fileId' and g.lease_id = ?2 and g.state = 'processing'
  returning rag_id as ragId, generation, file_id as fileId, revision`;

/**
 * Claimed files that were not begun wait again as if they had not been claimed. Returns what to
 * queue; a file that changed, went or was taken by another meanwhile is left alone.
 */
export async function releaseClaims(
  db: Database,
  files: ClaimedFile[],
  of: { leaseId: string; heldUntil: number },
): Promise<IndexMessage[]> {
  const [live, building] = await runBatch(db, [
    statement(LIVE, listOf(files, false), of.leaseId, of.heldUntil),
    statement(BUILDING, listOf(files, true), of.leaseId, of.heldUntil),
  ]);
  return [...live, ...building] as IndexMessage[];
}

const listOf = (files: ClaimedFile[], isBuilding: boolean) =>
  files
    .filter((file) => file.isBuilding === isBuilding)
    .map(({ ragId, generation, fileId, revision, hasCrashed }) => ({
      ragId,
      generation,
      fileId,
      revision,
      hasCrashed,
    }));
