import { DurableObject } from "cloudflare:workers";

import { composeServices, storage } from "../compose.ts";
import { attempt } from "../core/log.ts";
import { MINUTE_MS, SECOND_MS } from "../core/time.ts";
import type { Clock as ClockPort, Env } from "../env.ts";
import { waitForRoom } from "../ingestion/maintenance/check-storage.ts";
import { beginIsolate } from "../jobs/begin-isolate.ts";

/** A failed alarm is called again two seconds later, then four, and so on. */
const LATE_MS = SECOND_MS;

/**
 * The service's one clock, a periodic alarm: each minute it queues due scans and runs the sweep.
 * Durations are in core/time.ts.
 */
export class Clock extends DurableObject<Env> implements ClockPort {
  /**
   * Sets the alarm unless it is due within a minute. The clock may have been ahead when it was set,
   * or tries may have failed so often that the platform puts off the next.
   */
  async wake(): Promise<void> {
    const alarm = await this.ctx.storage.getAlarm();
    const now = Date.now();
    if (alarm !== null && Math.abs(alarm - now) <= MINUTE_MS) return;
    await this.ctx.storage.setAlarm(now + MINUTE_MS);
  }

  /**
   * The next alarm is set before the work: an alarm that fails six times is dropped. While there is
   * no room, nothing is written here: the platform would stop the object, and call it more and more
   * rarely. It does not say so; but a try that comes late may follow one that failed.
   */
  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    const services = composeServices(this.env, this.ctx);
    beginIsolate(storage, () => services);
    if (Date.now() - (info?.scheduledTime ?? Infinity) > LATE_MS) storage.suspect();
    await waitForRoom(services);
    await this.ctx.storage.setAlarm(Date.now() + MINUTE_MS);
    await attempt(services.log, "clock beat failed", {}, async () => {
      const { runScheduledWork } = await import("../ingestion/maintenance/sweep.ts");
      await runScheduledWork(services);
    });
  }
}
