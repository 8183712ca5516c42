import { attempt } from "../core/log.ts";
import type { Services } from "../services.ts";

let begun = false;

/**
 * Background work at an isolate's first event: sets the clock's alarm and, on a local server that
 * was killed, queues again the messages that were in memory.
 */
export function beginIsolate(compose: () => Services): void {
  if (begun) return;
  const services = composed(compose);
  if (services === null) return;
  begun = true;
  services.inBackground(attempt(services.log, "first event failed", {}, () => begin(services)));
}

/** An error of a wrong configuration is reported by the event itself. */
function composed(compose: () => Services): Services | null {
  try {
    return compose();
  } catch {
    return null;
  }
}

async function begin(services: Services): Promise<void> {
  await services.wakeClock();
  if (services.config.ENVIRONMENT !== "development") return;
  const { recoverAfterRestart } = await import("../ingestion/maintenance/sweep.ts");
  await recoverAfterRestart(services);
}
