import { watch } from "chokidar";
import { once } from "node:events";
import { realpath } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";

import { isHidden } from "../../core/folders.ts";
import { IGNORE_FILES } from "./ignore-files.ts";
import { READERS_FILE } from "./local-readers.ts";

/** Editors write in several steps: a change is handled after no event for this long. */
const QUIET_MS = 500;
/** Before a push that failed is tried again; doubles with each failure. */
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 10 * 60_000;
/** Where the system reports changes no more, such as with more files than it can watch. */
const COMPARE_EVERY_MS = 60_000;
/** Network drives, and drives of Windows in WSL or Docker, report no change and no error. */
const COMPARE_SELDOM_MS = 10 * 60_000;
/** A comparison reads all files: it is to take a small share of the time. */
const REST_FACTOR = 10;
/** The first push takes long for another reason. */
const MAX_REST_MS = 60 * 60_000;

type Options = {
  firstRetryMs?: number;
  compareEveryMs?: number;
  compareSeldomMs?: number;
  open?: typeof watch;
};

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
  options: Options = {},
): Promise<void> {
  const { firstRetryMs = FIRST_RETRY_MS, open = watch } = options;
  const { compareEveryMs = COMPARE_EVERY_MS, compareSeldomMs = COMPARE_SELDOM_MS } = options;
  const ended = new AbortController();
  const isOver = AbortSignal.any([signal, ended.signal]);
  let retryMs = firstRetryMs;
  let running: Promise<void> = Promise.resolve();
  let isDue = false;
  let isWaiting = false;
  let isBlind = false;
  /** A push that is due replaces one that waits. */
  const after = timeoutOf(isOver, () => {
    // A push that waits for another one to end sees all that happens until then.
    if (!isWaiting) running = running.then(async () => await pushNow(false));
    isWaiting = true;
  });
  const compareAfter = timeoutOf(isOver, () => after(0));
  const pushNow = async (isFirst: boolean) => {
    isWaiting = isDue = false;
    const startedAt = performance.now();
    const isDone = await push(isFirst);
    const restMs = Math.min((performance.now() - startedAt) * REST_FACTOR, MAX_REST_MS);
    compareAfter(isBlind ? compareEveryMs : Math.max(compareSeldomMs, restMs));
    // A later change has a push of its own, which comes sooner.
    if (!isDone && !isDue) after(retryMs);
    retryMs = isDone ? firstRetryMs : Math.min(retryMs * 2, MAX_RETRY_MS);
  };
  const watcher = await watcherOf(open, folder, ({ message }) => {
    if (isBlind || signal.aborted) return;
    isBlind = true;
    console.error(`Changes are noticed within a minute, not at once: ${message}`);
    compareAfter(compareEveryMs);
  });
  watcher.on("all", () => {
    isDue = true;
    after(QUIET_MS);
  });
  try {
    const first = pushNow(true);
    running = first.catch(() => undefined);
    await first;
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    ended.abort();
    await watcher.close();
    await running;
  }
}

/** Starts a timeout in place of the one before, and none once `signal` aborts. */
function timeoutOf(signal: AbortSignal, run: () => void): (waitMs: number) => void {
  let timeout: NodeJS.Timeout | undefined;
  signal.addEventListener("abort", () => clearTimeout(timeout));
  return (waitMs) => {
    clearTimeout(timeout);
    if (!signal.aborted) timeout = setTimeout(run, waitMs);
  };
}

/** Watches from the folder above, so that a folder that is removed and made again stays watched. */
async function watcherOf(open: typeof watch, folder: string, onError: (error: Error) => void) {
  const root = await realpath(folder).catch(() => folder);
  const above = dirname(root);
  const watcher = open(above, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => path !== above && !isInside(path, root),
  });
  // Without this listener, a folder that cannot be watched would end the process.
  watcher.on("error", (thrown) => onError(thrown instanceof Error ? thrown : new Error()));
  await once(watcher, "ready").catch(() => undefined);
  return watcher;
}

function isInside(path: string, root: string): boolean {
  if (path !== root && !path.startsWith(`${root}${sep}`)) return false;
  // A change of what is ignored, or of who may read it, is a change of the folder.
  const isOfFolder = [...IGNORE_FILES, READERS_FILE].includes(basename(path));
  const changed = isOfFolder ? dirname(path) : path;
  return !isHidden(changed.slice(root.length).replaceAll(sep, "/"));
}
