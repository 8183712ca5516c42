import { DurableObject } from "cloudflare:workers";

import { sendEvents } from "../catalog/event-endpoints/send-events.ts";
import { composeServices } from "../compose.ts";
import { attempt } from "../core/log.ts";
import { MINUTE_MS } from "../core/time.ts";
import type { Env, EventSender as EventSenderPort } from "../env.ts";
import { waitForRoom } from "../ingestion/maintenance/check-storage.ts";

const ENDPOINT = "endpointId";

/** Sends the events of one endpoint, so that none waits for another. */
export class EventSender extends DurableObject<Env> implements EventSenderPort {
  /** An alarm that is further away was set by a clock that was ahead. */
  async wake(endpointId: string): Promise<void> {
    const { storage } = this.ctx;
    await storage.put(ENDPOINT, endpointId);
    const alarm = await storage.getAlarm();
    if (alarm === null || alarm > Date.now() + MINUTE_MS) await storage.setAlarm(Date.now());
  }

  /** The sweep wakes an object that died more often than the platform repeats an alarm. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const endpointId = await storage.get<string>(ENDPOINT);
    const services = composeServices(this.env, this.ctx);
    await waitForRoom(services);
    let wait: number | null = MINUTE_MS;
    await attempt(services.log, "events not sent", { endpointId }, async () => {
      wait = await sendEvents(services, endpointId ?? "");
    });
    // Whoever enables the endpoint wakes it.
    await (wait === null ? storage.deleteAll() : storage.setAlarm(Date.now() + wait));
  }
}
