import { once } from "node:events";
import { stat } from "node:fs/promises";

import { watch } from "chokidar";
import type { FSWatcher } from "chokidar";

import { isHidden } from "./choose-files.ts";

/** Editors write in several steps: a change is handled after no event for this long. */
const QUIET_MS = 500;
/** Before a push that failed is tried again; doubles with each failure. */
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 10 * 60_000;
/** How often to check whether the folder itself was replaced, as builds do. */
const FOLDER_CHECK_MS = 1_000;

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
  const watching = await watchWhole(folder, () => turns.after(QUIET_MS));
  try {
    await turns.first();
    await ended;
  } finally {
    await watching.end();
    await turns.end();
  }
}

/**
 * Keeps watching a folder that is removed and made again, which its watcher does not notice. The
 * timer keeps the process alive while there is no folder.
 */
async function watchWhole(folder: string, changed: () => void) {
  let known = await identityOf(folder);
  let watcher = await watcherOf(folder);
  watcher.on("all", changed);
  let checking: Promise<void> = Promise.resolve();
  const check = async () => {
    const now = await identityOf(folder);
    if (now === known) return;
    known = now;
    await watcher.close();
    watcher = await watcherOf(folder);
    watcher.on("all", changed);
    changed();
  };
  const timer = setInterval(() => {
    // What cannot be watched now is tried again at the next look.
    checking = checking.then(check).catch(() => void (known = null));
  }, FOLDER_CHECK_MS);
  return {
    end: async () => {
      clearInterval(timer);
      await checking;
      await watcher.close();
    },
  };
}

async function watcherOf(folder: string): Promise<FSWatcher> {
  const watcher = watch(folder, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => isHidden(path.slice(folder.length).replaceAll("\\", "/")),
  });
  await once(watcher, "ready");
  return watcher;
}

/** Differs between a folder and the one that is made in its place; null: there is none. */
async function identityOf(folder: string): Promise<string | null> {
  const found = await stat(folder, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.dev} ${found.ino} ${found.birthtimeNs}`;
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
