import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { execute } from "../raw-sql.ts";
import { sameFile } from "./file-rows.ts";

/**
 * An attempt is counted before its work begins, so that a dying or hanging worker is detected.
 * Which of its files killed it is unknown: all are suspects, are processed one by one, and each
 * one's attempt is counted when its own work begins.
 */

/** Value of `lease_id` for a suspect that is pending again. */
export const CRASHED = "crashed";

/** Whether the worker of row `x` died: one that ends normally releases its lease. */
export const isLeft = (x = "rag_files") =>
  `(${x}.status = 'processing' and ${x}.lease_id is not null)`;

/** Whether row `x` is a suspect at the time given by the parameter `now`. */
export const isSuspect = (x: string, now: string) =>
  `(${x}.lease_id = '${CRASHED}' or (${isLeft(x)} and ${x}.leased_until < ${now}))`;

/** Until when nobody else takes row `x`, which is in work: its worker's lease, or its message's claim. */
export const heldUntil = (x = "rag_files") =>
  `case when ${isLeft(x)} then ${x}.leased_until else ${x}.claimed_until end`;

/** Counts an attempt of a suspect under this lease. */
export async function countAttempt(
  db: Database,
  { ragId, generation, fileId }: IndexMessage,
  leaseId: string,
): Promise<void> {
  await execute(
    db,
    `update rag_files set attempts = attempts + 1 from json_each(?1) m
     where ${sameFile()} and rag_files.lease_id = ?2`,
    [{ ragId, generation, fileId }],
    leaseId,
  );
}
