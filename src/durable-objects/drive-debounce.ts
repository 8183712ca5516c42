import { DurableObject } from "cloudflare:workers";

import { composeServices } from "../compose.ts";
import { SECOND_MS } from "../core/clock.ts";
import { reasonOf } from "../core/errors.ts";
import type { FileSourceId } from "../core/ids.ts";
import type { Env } from "../env.ts";
import type { DriveWindow } from "../ports/own-objects.ts";

const WINDOW_MS = 10 * SECOND_MS;
const SOURCE = "fileSourceId";

/**
 * Groups a drive's notifications: the first opens a window of 10 seconds, and one scan is queued
 * when it closes. The window is stored, so it outlives the object's memory.
 */
export class DriveDebounce extends DurableObject<Env> implements DriveWindow {
  async open(fileSourceId: FileSourceId): Promise<void> {
    const { storage } = this.ctx;
    if ((await storage.getAlarm()) !== null) return;
    await storage.put(SOURCE, fileSourceId);
    await storage.setAlarm(Date.now() + WINDOW_MS);
  }

  /** Never throws: an alarm that fails six times is dropped, and the scan with it. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const services = composeServices(this.env, this.ctx);
    try {
      const fileSourceId = await storage.get<FileSourceId>(SOURCE);
      if (fileSourceId === undefined) return;
      const message = { kind: "scan", fileSourceId, confirmRemovals: false, urls: null } as const;
      await services.queue.scan(message);
      // A notification that came while the scan was being queued has opened a window of its own.
      if ((await storage.getAlarm()) === null) await storage.deleteAll();
    } catch (thrown) {
      services.log.error("drive window not closed", { reason: reasonOf(thrown) });
      await storage.setAlarm(Date.now() + WINDOW_MS);
    }
  }
}
