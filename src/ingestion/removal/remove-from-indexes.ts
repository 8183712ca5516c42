import { reasonOf } from "../../core/errors.ts";
import type { FileId, RagId } from "../../core/ids.ts";
import { markFilesDeleted, settleRemovals, type Removal } from "../../db/files/removal-store.ts";
import type { IndexAddress } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import { tryPurgeTombstones } from "../vector-sync/upsert-vectors.ts";
import { scheduleVectorSync, type PlacedIndex } from "../vector-sync/upsert-vectors.ts";
import { shardOf } from "../../core/hash.ts";
import { SECOND_MS } from "../../core/time.ts";
import { Deadline } from "../../core/work/deadline.ts";
import { REMOVAL_CLAIM_MS } from "../timeouts.ts";

/** An index that does not answer holds up no other; the sweep comes back when the claim ends. */
const REMOVE_WITHIN_MS = REMOVAL_CLAIM_MS - 10 * SECOND_MS;

type Addressed = { address: PlacedIndex; removals: Removal[] };

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

function byIndex(removals: Removal[]): Addressed[] {
  const indexes = new Map<string, Addressed>();
  for (const removal of removals) {
    for (const [generation, shards, vectorsIn] of removal.generations) {
      const shard = shardOf(removal.fileId, shards);
      add(indexes, removal, { ragId: removal.ragId, generation, shard, vectorsIn });
    }
  }
  return [...indexes.values()];
}

function add(indexes: Map<string, Addressed>, removal: Removal, address: PlacedIndex): void {
  const key = addressKey(address);
  const entry = indexes.get(key) ?? { address, removals: [] };
  entry.removals.push(removal);
  indexes.set(key, entry);
}

const addressKey = ({ ragId, generation, shard }: IndexAddress & { ragId: RagId }) =>
  `${ragId}/${generation}/${shard}`;

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
  const now = services.now();
  const times = { now, removedUntil: now + REMOVAL_CLAIM_MS };
  const { count, removals } = await markFilesDeleted(services.db, ids, before, times);
  await removeFromIndexes(services, removals);
  return count;
}
