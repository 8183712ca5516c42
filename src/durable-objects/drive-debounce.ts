import { DurableObject } from "cloudflare:workers";

import { composeServices } from "../compose.ts";
import type { FileSourceId } from "../core/ids.ts";
import { attempt } from "../core/log.ts";
import { SECOND_MS } from "../core/time.ts";
import type { DriveDebounce as DriveDebouncePort, Env } from "../env.ts";

const DEBOUNCE_MS = 10 * SECOND_MS;
const SOURCE = "fileSourceId";

/**
 * Groups a source's notifications: one scan is queued 10 seconds after the first of them, or for
 * it at once and for others then. The alarm is stored, so it outlives the object's memory.
 */
export class DriveDebounce extends DurableObject<Env> implements DriveDebouncePort {
  #isFollowed = false;

  async notify(fileSourceId: FileSourceId, startsAtOnce = false): Promise<void> {
    const { storage } = this.ctx;
    const alarm = await storage.getAlarm();
    // A later alarm was set by a clock that was ahead.
    const isFirst = alarm === null || alarm > Date.now() + DEBOUNCE_MS;
    this.#isFollowed = !isFirst;
    await storage.put(SOURCE, fileSourceId);
    if (!isFirst) return;
    await storage.setAlarm(Date.now() + DEBOUNCE_MS);
    // Where the queue fails, or the object dies here, the alarm queues the scan.
    if (!startsAtOnce || !(await this.#queueScan(fileSourceId))) return;
    if (!this.#isFollowed) await storage.delete(SOURCE);
  }

  async #queueScan(fileSourceId: FileSourceId): Promise<boolean> {
    const { log, queue } = composeServices(this.env, this.ctx);
    return await attempt(log, "debounced scan not queued", {}, async () => {
      await queue.scan({ kind: "scan", fileSourceId, confirmRemovals: false, urls: null });
    });
  }

  /** Never throws: an alarm that fails six times is dropped, and the scan with it. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const fileSourceId = await storage.get<FileSourceId>(SOURCE);
    const isDone = fileSourceId === undefined || (await this.#queueScan(fileSourceId));
    if (!isDone) return await storage.setAlarm(Date.now() + DEBOUNCE_MS);
    // A notification that arrived while the scan was being queued has set its own alarm.
    if ((await storage.getAlarm()) === null) await storage.deleteAll();
  }
}
