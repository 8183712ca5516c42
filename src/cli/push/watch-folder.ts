import { watch } from "chokidar";

import { isHidden } from "./choose-files.ts";

/** Editors write in several steps: a change counts when it has been quiet for this long. */
const QUIET_MS = 500;

/**
 * Calls `push` after every burst of changes, one call at a time, until `signal` ends it. A
 * failed push is told by `push` itself and is tried with the next change.
 */
export async function watchFolder(
  folder: string,
  push: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const watcher = watch(folder, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => isHidden(path.slice(folder.length).replaceAll("\\", "/")),
  });
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  watcher.on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(push);
    }, QUIET_MS);
  });
  await new Promise<void>((ended) => {
    signal.addEventListener("abort", () => ended(), { once: true });
  });
  clearTimeout(timer);
  await watcher.close();
  await running;
}
