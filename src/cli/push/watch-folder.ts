import { once } from "node:events";

import { watch } from "chokidar";

import { isHidden } from "./choose-files.ts";

/** Editors write in several steps: a change is handled after no event for this long. */
const QUIET_MS = 500;

/**
 * Calls `push` now and after every burst of changes, one call at a time, until `signal` aborts.
 * The watch begins before the first call, so that no change is missed.
 * @throws what the first call throws; later calls must report their failures themselves.
 */
export async function watchFolder(
  folder: string,
  push: (isFirst: boolean) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const watcher = watch(folder, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => isHidden(path.slice(folder.length).replaceAll("\\", "/")),
  });
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  try {
    await once(watcher, "ready");
    const first = push(true);
    running = first.catch(() => undefined);
    watcher.on("all", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        running = running.then(() => push(false));
      }, QUIET_MS);
    });
    await first;
    await ended;
  } finally {
    clearTimeout(timer);
    await watcher.close();
    await running;
  }
}
