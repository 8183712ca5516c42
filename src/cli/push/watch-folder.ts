import { once } from "node:events";
import { realpath } from "node:fs/promises";
import { dirname, sep } from "node:path";

import { watch, type FSWatcher } from "chokidar";

import { isHidden } from "./choose-files.ts";

/** Editors write in several steps: a change is handled after no event for this long. */
const QUIET_MS = 500;
/** Before a push that failed is tried again; doubles with each failure. */
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 10 * 60_000;

/**
 * Calls `push` now and after every burst of changes, one call at a time, until `signal` aborts. It
 * returns whether everything was pushed; if not, it is called again after a growing wait.
 * The watch begins before the first call, so that no change is missed.
 * @throws what the first call throws; later calls must report their failures themselves.
 */
export async function watchFolder(
  folder: string,
  push: (isFirst: boolean) => Promise<boolean>,
  signal: AbortSignal,
  firstRetryMs = FIRST_RETRY_MS,
): Promise<void> {
  const turns = pushInTurn(push, firstRetryMs);
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const watcher = await watcherOf(folder);
  watcher.on("all", () => turns.after(QUIET_MS));
  try {
    await turns.first();
    await ended;
  } finally {
    await watcher.close();
    await turns.end();
  }
}

/** Watches from the folder above, so that a folder that is removed and made again stays watched. */
async function watcherOf(folder: string): Promise<FSWatcher> {
  const root = await realpath(folder).catch(() => folder);
  const above = dirname(root);
  const watcher = watch(above, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => path !== above && !isInside(path, root),
  });
  await once(watcher, "ready");
  return watcher;
}

function isInside(path: string, root: string): boolean {
  if (path !== root && !path.startsWith(`${root}${sep}`)) return false;
  return !isHidden(path.slice(root.length).replaceAll(sep, "/"));
}

/** Runs pushes one after the other; one that is due replaces one that waits. */
function pushInTurn(push: (isFirst: boolean) => Promise<boolean>, firstRetryMs: number) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let retryMs = firstRetryMs;
  const state = { ended: false, changed: false };
  const after = (waitMs: number) => {
    if (state.ended) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      state.changed = false;
      running = running.then(() => push(false)).then(settle);
    }, waitMs);
  };
  const settle = (isDone: boolean) => {
    // A later change has a turn of its own, which comes sooner.
    if (!isDone && !state.changed) after(retryMs);
    retryMs = isDone ? firstRetryMs : Math.min(retryMs * 2, MAX_RETRY_MS);
  };
  return {
    first: async () => {
      const first = push(true);
      running = first.then(settle, () => undefined);
      await first;
    },
    after: (waitMs: number) => {
      state.changed = true;
      after(waitMs);
    },
    end: async () => {
      state.ended = true;
      clearTimeout(timer);
      await running;
    },
  };
}
