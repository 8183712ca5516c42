import { DurableObject } from "cloudflare:workers";

import { composeServices } from "../compose.ts";
import { MINUTE_MS } from "../core/time.ts";
import { attempt } from "../core/log.ts";
import type { Clock as ClockPort, Env } from "../env.ts";
import { beginIsolate } from "../jobs/begin-isolate.ts";

/**
 * The service's one clock, a periodic alarm: each minute it queues due scans and runs the sweep.
 * Durations are in core/time.ts.
 */
export class Clock extends DurableObject<Env> implements ClockPort {
  /** Sets the alarm unless it is set. */
  async wake(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) !== null) return;
    await this.ctx.storage.setAlarm(Date.now() + MINUTE_MS);
  }

  /** The next alarm is set before the work: an alarm that fails six times is dropped. */
  override async alarm(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + MINUTE_MS);
    const services = composeServices(this.env, this.ctx);
    beginIsolate(() => services);
    await attempt(services.log, "clock beat failed", {}, async () => {
      const { tick } = await import("../ingestion/maintenance/sweep.ts");
      await tick(services);
    });
  }
}
