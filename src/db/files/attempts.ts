import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { runBatch, statement } from "../raw-sql.ts";
import type { Statement } from "../raw-sql.ts";

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

const SAME_BUILT = `g.rag_id = m.value ->> 'ragId' and g.generation = m.value ->> 'generation'
  and g.file_id = m.value ->> 'fileId'`;

/** Of a file on its way into a new generation: its last worker ended without a word. */
export const LEFT_BUILDING = `(state = 'processing' and lease_id is not null)`;

/** The same for messages of generations that are being built. */
export function crashedInBuilding(messages: string, now: number): Statement {
  return statement(
    `select g.rag_id as ragId, g.file_id as fileId
     from json_each(?1) m cross join generation_files g on ${SAME_BUILT}
     where g.lease_id = '${CRASHED}' or (${LEFT_BUILDING} and g.held_until < ?2)`,
    messages,
    now,
  );
}

type TriedFile = Pick<IndexMessage, "ragId" | "fileId"> & {
  generation: number;
  isBuilding: boolean;
};

/** Counts a try of files under this lease, or takes one back (-1) that has not begun. */
export async function countTries(
  db: Database,
  files: TriedFile[],
  leaseId: string,
  by: 1 | -1,
): Promise<void> {
  if (files.length === 0) return;
  const keysOf = (building: boolean) =>
    JSON.stringify(
      files
        .filter(({ isBuilding }) => isBuilding === building)
        .map(({ ragId, fileId, generation }) => ({ ragId, fileId, generation })),
    );
  await runBatch(db, [
    statement(
      `update rag_files as rf set attempts = max(0, rf.attempts + ?3) from json_each(?1) m
       where ${SAME_FILE} and rf.lease_id = ?2`,
      keysOf(false),
      leaseId,
      by,
    ),
    statement(
      `update generation_files as g set attempts = max(0, g.attempts + ?3) from json_each(?1) m
       where ${SAME_BUILT} and g.lease_id = ?2`,
      keysOf(true),
      leaseId,
      by,
    ),
  ]);
}
