import { reasonOf } from "../../core/errors.ts";
import { shardOf } from "../../core/hash.ts";
import type { FileId } from "../../core/ids.ts";
import { SECOND_MS } from "../../core/time.ts";
import { Deadline } from "../../core/work/deadline.ts";
import { markFilesDeleted, settleRemovals, type Removal } from "../../db/files/removal-store.ts";
import type { Services } from "../../services.ts";
import { REMOVAL_CLAIM_MS, timesFrom } from "../timeouts.ts";
import { tryPurgeTombstones } from "../vector-sync/upsert-vectors.ts";
import { scheduleVectorSync, type PlacedIndex } from "../vector-sync/upsert-vectors.ts";

/** An index that does not answer holds up no other; the sweep comes back when the claim ends. */
const REMOVE_WITHIN_MS = REMOVAL_CLAIM_MS - 10 * SECOND_MS;

/**
 * Removes marked files from every index that may hold them, then records the removal. Files for
 * which this fails stay marked, and the sweep repeats it; those of the other indexes are done.
 * Returns what each index that failed threw: it stops nobody who removes further files.
 */
export async function removeFromIndexes(
  services: Pick<Services, "db" | "log" | "now" | "ragIndexes" | "vectorIndex">,
  removals: Removal[],
): Promise<unknown[]> {
  if (removals.length === 0) return [];
  const indexes = byIndex(removals);
  const addresses = indexes.map(({ address }) => address);
  await scheduleVectorSync(services, addresses);
  const deadline = new Deadline(services.now, REMOVE_WITHIN_MS);
  const results = await Promise.allSettled(
    indexes.map(async ({ address, removals }) => {
      const files = removals.map(({ fileId, revision }) => ({ fileId, revision }));
      const index = services.ragIndexes(address);
      return await deadline.run("index", async () => await index.remove(files));
    }),
  );
  const failed = new Set<Removal>();
  const reasons: unknown[] = [];
  for (const [at, { address, removals: own }] of indexes.entries()) {
    const result = results[at];
    if (result?.status !== "rejected") continue;
    const reason = reasonOf(result.reason);
    services.log.error("files not removed from an index", { ...address, reason });
    reasons.push(result.reason);
    for (const removal of own) failed.add(removal);
  }
  const removed = removals.filter((removal) => !failed.has(removal));
  if (removed.length > 0) await settleRemovals(services.db, removed);
  const reached = addresses.filter((_, at) => results[at]?.status === "fulfilled");
  await tryPurgeTombstones(services, reached);
  return reasons;
}

/** Each index that may hold some of the files, with these. */
function byIndex(removals: Removal[]): { address: PlacedIndex; removals: Removal[] }[] {
  const places = removals.flatMap((removal) =>
    removal.generations.map(([generation, shards, vectorsIn]) => {
      const { ragId, fileId } = removal;
      return { removal, address: { ragId, generation, shard: shardOf(fileId, shards), vectorsIn } };
    }),
  );
  const indexes = Map.groupBy(places, ({ address }) => JSON.stringify(address));
  return [...indexes.values()].flatMap((some) =>
    some
      .slice(0, 1)
      .map(({ address }) => ({ address, removals: some.map(({ removal }) => removal) })),
  );
}

/**
 * Removes files deleted at their source from every search before it returns; from an index that
 * fails the sweep removes them. Files added or restored after `before` (ms) stay. Returns how many
 * were removed.
 */
export async function removeDeletedFiles(
  services: Pick<Services, "db" | "log" | "now" | "ragIndexes" | "vectorIndex">,
  ids: FileId[],
  before: number,
): Promise<number> {
  if (ids.length === 0) return 0;
  const times = timesFrom(services.now());
  const { count, removals } = await markFilesDeleted(services.db, ids, before, times);
  await removeFromIndexes(services, removals);
  return count;
}
