import type { FileSourceId } from "../../core/ids.ts";
import type { Env } from "../../env.ts";

const CLOCK_NAME = "clock";

/** The single clock object of a deployment. */
export function clockClient(namespace: Env["CLOCK"]) {
  return async () => {
    await namespace.get(namespace.idFromName(CLOCK_NAME)).wake();
  };
}

/** One object for each drive. */
export function driveDebounceClient(namespace: Env["DRIVE_DEBOUNCE"]) {
  return async (fileSourceId: FileSourceId, startsAtOnce = false) => {
    await namespace.get(namespace.idFromName(fileSourceId)).notify(fileSourceId, startsAtOnce);
  };
}
