import { inParallel } from "./parallel.ts";

/**
 * Runs `work` over all items, at most `limit` at a time, and hands on the results in waves: all at
 * once where they come quickly; else what is ready after `waitMs`, so that no item is held by a
 * slower one.
 */
export async function* inWaves<Item, Result>(
  items: readonly Item[],
  { limit, waitMs }: { limit: number; waitMs: number },
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result[]> {
  let ready: Result[] = [];
  const all = inParallel(items, limit, async (item) => {
    ready.push(await work(item));
  });
  // Thrown to whoever takes the next wave; nobody does after a failure elsewhere.
  all.catch(() => undefined);
  for (;;) {
    const patience = new AbortController();
    const waited = scheduler.wait(waitMs, { signal: patience.signal }).catch(() => undefined);
    const isDone = await Promise.race([all.then(() => true), waited.then(() => false)]).finally(
      () => patience.abort(),
    );
    const wave = ready;
    ready = [];
    if (wave.length > 0) yield wave;
    if (isDone) return;
  }
}
