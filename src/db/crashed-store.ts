import type { IndexMessage } from "../ports/job-queue.ts";
import type { Database } from "./client.ts";
import { runOne, statement } from "./raw-sql.ts";
import type { Statement } from "./raw-sql.ts";

/** Stands in `lease_id` of a file that waits again because its worker ended without a word. */
export const CRASHED = "crashed";

export const keyOfFile = ({ ragId, fileId }: Pick<IndexMessage, "ragId" | "fileId">) =>
  `${ragId} ${fileId}`;

const SAME_FILE = `rf.rag_id = m.value ->> 'ragId' and rf.file_id = m.value ->> 'fileId'`;

/** A lease is let go of where a worker ends as it should, also to wait for vectors to show. */
export const LEFT = `(status = 'processing' and lease_id is not null)`;

/** The files of these messages, as a JSON list, whose last worker ended without a word. */
export function crashedAmong(messages: string, now: number): Statement {
  return statement(
    `select rf.rag_id as ragId, rf.file_id as fileId
     from json_each(?1) m cross join rag_files rf on ${SAME_FILE}
     where rf.lease_id = '${CRASHED}' or (${LEFT} and rf.held_until < ?2)`,
    messages,
    now,
  );
}

/** Counts a try of files under this lease, or takes one back (-1) that has not begun. */
export async function countTries(
  db: Database,
  files: Pick<IndexMessage, "ragId" | "fileId">[],
  leaseId: string,
  by: 1 | -1,
): Promise<void> {
  if (files.length === 0) return;
  const keys = files.map(({ ragId, fileId }) => ({ ragId, fileId }));
  await runOne(
    db,
    statement(
      `update rag_files as rf set attempts = max(0, rf.attempts + ?3) from json_each(?1) m
       where ${SAME_FILE} and rf.lease_id = ?2`,
      keys,
      leaseId,
      by,
    ),
  );
}
