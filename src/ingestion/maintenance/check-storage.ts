import { attempt } from "../../core/log.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { TRIED_AGAIN_AFTER_MS } from "../../core/work/storage-state.ts";
import type { Services } from "../../services.ts";
import { TRIAL_KEY } from "../../sources/file-objects.ts";

/** With less room than this, an upload or an index soon fails. */
const TRIAL_BYTES = 1 << 20;

/**
 * Writes a trial object after a failure that a full storage explains. Once there is room again, a
 * local service resumes what failed meanwhile, as after a restart.
 */
export async function checkStorage(services: Services): Promise<void> {
  const { config, files, log, now, storage } = services;
  if (!storage.beginTrial(now())) return;
  const wasFull = storage.noRoomSince !== null;
  const hasRoom = await attempt(
    log,
    "no room: the storage is full or cannot be written",
    {},
    async () => {
      await files.put(TRIAL_KEY, new Uint8Array(TRIAL_BYTES));
      await files.delete(TRIAL_KEY);
    },
  );
  storage.endTrial(hasRoom, now());
  if (!hasRoom || !wasFull) return;
  log.info("there is room again");
  if (config.ENVIRONMENT !== "development") return;
  const { recoverAfterRestart } = await import("./sweep.ts");
  await services.wakeClock();
  await recoverAfterRestart(services);
}

/** An alarm runs 15 minutes at most. */
const WAITS_AT_MOST_MS = 10 * MINUTE_MS;

/** Resolves when a trial has succeeded or none is due, or after ten minutes. */
export async function waitForRoom(services: Services): Promise<void> {
  const { now, storage } = services;
  const until = now() + WAITS_AT_MOST_MS;
  await checkStorage(services);
  while (storage.noRoomSince !== null && now() < until) {
    await scheduler.wait(TRIED_AGAIN_AFTER_MS);
    await checkStorage(services);
  }
}
