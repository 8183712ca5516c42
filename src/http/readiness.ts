import { asId, type RagId } from "../core/ids.ts";
import { SECOND_MS } from "../core/time.ts";
import { awaitOrNull } from "../core/work/deadline.ts";
import { pingDatabase } from "../db/maintenance/overview-store.ts";
import type { Services } from "../services.ts";

const ANSWER_WITHIN_MS = 2 * SECOND_MS;
/** Anyone may ask: an isolate checks once in this time. */
const VERDICT_MS = SECOND_MS;
/** An index object that holds nothing, and writes nothing when it answers. */
const EMPTY_INDEX = { ragId: asId<RagId>("ready"), generation: 0, shard: 0 };

/** The verdict of this isolate; until its first check has ended, nothing is ready. */
const verdict = { checkedAt: -Infinity, failing: ["database", "index"] };

/** Which of database and index objects did not answer in time, at most a second or a check ago. */
export async function failingParts({ db, now, ragIndexes }: Services): Promise<string[]> {
  if (now() - verdict.checkedAt < VERDICT_MS) return verdict.failing;
  verdict.checkedAt = now();
  const failures = await Promise.all([
    failureOf("database", pingDatabase(db)),
    failureOf("index", ragIndexes(EMPTY_INDEX).facts()),
  ]);
  return (verdict.failing = failures.flat());
}

const failureOf = async (part: string, check: Promise<unknown>): Promise<string[]> => {
  const answered = check.then(
    () => [],
    () => [part],
  );
  return (await awaitOrNull(answered, ANSWER_WITHIN_MS)) ?? [part];
};
