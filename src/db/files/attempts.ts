import type { IndexMessage } from "../../ports/job-queue.ts";
import { execute, raw, sql, type Database, type Sql } from "../sql.ts";

/**
 * An attempt is counted before its work begins, so that a dying or hanging worker is detected.
 * Which of its files killed it is unknown: all are suspects, are processed one by one, and each
 * one's attempt is counted when its own work begins.
 */

/** Value of `lease_id` for a suspect that is pending again. */
export const CRASHED = raw("'crashed'");

/** Whether the worker of row `x` died: one that ends normally releases its lease. */
export const isLeft = (x = "rag_files"): Sql =>
  raw(`(${x}.status = 'processing' and ${x}.lease_id is not null)`);

/** Whether row `x` is a suspect. */
export const isSuspect = (x: string, now: number): Sql =>
  sql`(${raw(x)}.lease_id = ${CRASHED} or (${isLeft(x)} and ${raw(x)}.leased_until < ${now}))`;

/** Until when nobody else takes row `x`, which is in work: its worker's lease, or its message's claim. */
export const heldUntil = (x = "rag_files"): Sql =>
  sql`case when ${isLeft(x)} then ${raw(x)}.leased_until else ${raw(x)}.claimed_until end`;

/** Counts an attempt of a suspect under this lease. */
export const countAttempt = (db: Database, file: IndexMessage, leaseId: string) =>
  execute(db)`update rag_files set attempts = attempts + 1
    where rag_id = ${file.ragId} and generation = ${file.generation} and file_id = ${file.fileId}
      and lease_id = ${leaseId}`;
