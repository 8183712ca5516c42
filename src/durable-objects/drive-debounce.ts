import { DurableObject } from "cloudflare:workers";

import { composeServices } from "../compose.ts";
import { SECOND_MS } from "../core/time.ts";
import { attempt } from "../core/log.ts";
import type { FileSourceId } from "../core/ids.ts";
import type { Env } from "../env.ts";
import type { DriveDebounce as DriveDebouncePort } from "../ports/own-objects.ts";

const DEBOUNCE_MS = 10 * SECOND_MS;
const SOURCE = "fileSourceId";

/**
 * Groups a drive's notifications: one scan is queued 10 seconds after the first of them. The alarm
 * is stored, so it outlives the object's memory.
 */
export class DriveDebounce extends DurableObject<Env> implements DriveDebouncePort {
  async notify(fileSourceId: FileSourceId): Promise<void> {
    const { storage } = this.ctx;
    if ((await storage.getAlarm()) !== null) return;
    await storage.put(SOURCE, fileSourceId);
    await storage.setAlarm(Date.now() + DEBOUNCE_MS);
  }

  /** Never throws: an alarm that fails six times is dropped, and the scan with it. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const services = composeServices(this.env, this.ctx);
    const isDone = await attempt(services.log, "debounced scan not queued", {}, async () => {
      const fileSourceId = await storage.get<FileSourceId>(SOURCE);
      if (fileSourceId === undefined) return;
      const message = { kind: "scan", fileSourceId, confirmRemovals: false, urls: null } as const;
      await services.queue.scan(message);
      // A notification that arrived while the scan was being queued has set its own alarm.
      if ((await storage.getAlarm()) === null) await storage.deleteAll();
    });
    if (!isDone) await storage.setAlarm(Date.now() + DEBOUNCE_MS);
  }
}
