import { attempt } from "../core/log.ts";
import type { StorageState } from "../core/work/storage-state.ts";
import { checkStorage } from "../ingestion/maintenance/check-storage.ts";
import type { Services } from "../services.ts";

let hasBegun = false;

/**
 * Background work at an isolate's first event: sets the clock's alarm and, on a local server that
 * was killed, queues again the messages that were in memory. While the storage is full, each event
 * looks whether there is room again.
 */
export function beginIsolate(storage: StorageState, compose: () => Services): void {
  if (hasBegun && storage.dueAt === null) return;
  const services = composeOrNull(compose);
  if (services === null) return;
  const [event, work] = hasBegun
    ? (["storage not checked", checkStorage] as const)
    : (["first event failed", begin] as const);
  hasBegun = true;
  services.runInBackground(attempt(services.log, event, {}, () => work(services)));
}

/** An error of a wrong configuration is reported by the event itself. */
function composeOrNull(compose: () => Services): Services | null {
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
