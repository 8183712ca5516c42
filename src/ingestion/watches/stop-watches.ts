import { reasonOf } from "../../core/errors.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { attempt } from "../../core/log.ts";
import { SECOND_MS } from "../../core/time.ts";
import { deleteWatch, findWatchedSource, watchesOf } from "../../db/scans/watch-store.ts";
import type { StoredWatch, WatchedSource } from "../../db/scans/watch-store.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { SourceWatcher } from "../../ports/source-watcher.ts";
import type { Services } from "../../services.ts";

const STOP_TIMEOUT_MS = 20 * SECOND_MS;
/** Failures that another attempt may not meet. */
const PASSING = new Set(["throttled", "down"]);

type WatchServices = Pick<Services, "db" | "log" | "now">;

/**
 * Stops the watches that another took the place of, or whose target is no longer watched, and
 * forgets expired ones. A failure that may pass leaves a watch to the next turn.
 */
export async function stopWatches(
  services: WatchServices,
  ending: { source: WatchedSource; watcher: SourceWatcher; targets: string[]; signal: AbortSignal },
): Promise<void> {
  const now = services.now();
  for (const watch of await watchesOf(services.db, ending.source.id)) {
    const isOver = watch.endsAt !== null && watch.endsAt <= now;
    if (watch.expiresAt <= now) await deleteWatch(services.db, watch.id);
    else if (isOver || !ending.targets.includes(watch.target)) await stop(services, ending, watch);
  }
}

/** A watch whose start lost its answer cannot be stopped until a notification names it. */
export const canBeStopped = ({ live, resourceId }: StoredWatch) => live || resourceId !== null;

async function stop(
  services: WatchServices,
  { watcher, signal }: { watcher: SourceWatcher; signal: AbortSignal },
  watch: StoredWatch,
): Promise<void> {
  if (!canBeStopped(watch)) return;
  try {
    await watcher.stop(watch, signal);
  } catch (thrown) {
    const mayPass = !(thrown instanceof SourceFailure) || PASSING.has(thrown.kind);
    const { sourceId: fileSourceId } = watch;
    services.log.warn("watch not stopped", { fileSourceId, reason: reasonOf(thrown) });
    if (mayPass) return;
  }
  await deleteWatch(services.db, watch.id);
}

/** Stops every watch of a source that was removed. What cannot be stopped expires. */
export async function stopAllWatches(services: Services, sourceId: FileSourceId): Promise<void> {
  const source = await findWatchedSource(services.db, sourceId);
  if (source === null) return;
  const signal = AbortSignal.timeout(STOP_TIMEOUT_MS);
  const stopAll = async () => {
    const watcher = (await services.sourceReaders(source))?.watcher;
    if (watcher !== undefined)
      await stopWatches(services, { source, watcher, targets: [], signal });
  };
  await attempt(services.log, "watches not stopped", { sourceId }, stopAll, "warn");
  for (const { id } of await watchesOf(services.db, sourceId)) await deleteWatch(services.db, id);
}
