/** Runs `work` over all items, at most `limit` at a time, results in the items' order. */
export async function mapParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // All workers share one iterator.
  const waiting = items.entries();
  const worker = async () => {
    for (const [at, item] of waiting) results[at] = await work(item, at);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** At most `limit` at a time; yields all at once if quick, else what is ready after `waitMs`. */
export async function* runInWaves<Item, Result>(
  items: readonly Item[],
  { limit, waitMs }: { limit: number; waitMs: number },
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result[]> {
  let ready: Result[] = [];
  const all = mapParallel(items, limit, async (item) => {
    const result = await work(item);
    // Not before: `ready` is another list by then.
    ready.push(result);
  });
  // Thrown to whoever takes the next wave; nobody does after a failure elsewhere.
  all.catch(() => undefined);
  for (;;) {
    const patience = new AbortController();
    const waiting = scheduler.wait(waitMs, { signal: patience.signal }).catch(() => undefined);
    const isDone = await Promise.race([all.then(() => true), waiting.then(() => false)]).finally(
      () => patience.abort(),
    );
    const wave = ready;
    ready = [];
    if (wave.length > 0) yield wave;
    if (isDone) return;
  }
}
