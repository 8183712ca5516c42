import { setTimeout as pause } from "node:timers/promises";

import { CONFIGURATION_IS_WRONG } from "../../config.ts";
import { isObject } from "../../core/is-object.ts";

const POLL_EVERY_MS = 150;

/**
 * Waits until a Worker answers. Returns null then; what the Worker says when its variables are
 * wrong, for which no waiting helps; an empty text when it has ended or gives no answer in time.
 */
export async function problemOfStart(
  probe: string,
  ended: Promise<void>,
  withinMs: number,
): Promise<string | null> {
  const state = { gone: false };
  void ended.then(() => (state.gone = true));
  const giveUpAt = Date.now() + withinMs;
  while (!state.gone && Date.now() < giveUpAt) {
    const response = await fetch(probe).catch(() => null);
    if (response?.ok === true) {
      await response.body?.cancel();
      return null;
    }
    const said: unknown = await response?.json().catch(() => null);
    const error = isObject(said) ? said["error"] : null;
    if (typeof error === "string" && error.startsWith(CONFIGURATION_IS_WRONG)) return error;
    await Promise.race([pause(POLL_EVERY_MS), ended]);
  }
  return "";
}
