import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { allRows, statement } from "../raw-sql.ts";
import { sameFile } from "./file-rows.ts";

/**
 * A file's attempt is counted before its work begins, so that a worker that dies or hangs on it is
 * known. Which of the files that it held has killed a worker is not: they are suspects, are worked
 * on one by one, and each one's attempt is counted when its own work begins.
 */

/** Stands in `lease_id` of a suspect that waits again. */
export const CRASHED = "crashed";

/** Whether the row `x` was left by its worker: one that ends as it should lets go of its lease. */
export const isLeft = (x = "rag_files") =>
  `(${x}.status = 'processing' and ${x}.lease_id is not null)`;

/** Whether the row `x` is a suspect at the time that the parameter `now` names. */
export const isSuspect = (x: string, now: string) =>
  `(${x}.lease_id = '${CRASHED}' or (${isLeft(x)} and ${x}.claimed_until < ${now}))`;

/** Counts an attempt of a suspect under this lease. */
export async function countAttempt(
  db: Database,
  { ragId, generation, fileId }: IndexMessage,
  leaseId: string,
): Promise<void> {
  await allRows(
    db,
    statement(
      `update rag_files set attempts = attempts + 1 from json_each(?1) m
       where ${sameFile()} and rag_files.lease_id = ?2`,
      [{ ragId, generation, fileId }],
      leaseId,
    ),
  );
}
