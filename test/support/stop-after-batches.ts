import { afterAll, vi } from "vitest";

import worker from "../../src/index.ts";

const consume = worker.queue.bind(worker);
const batches = { underWay: 0, taken: true };

/**
 * A Worker that is stopped in the middle of a batch of messages keeps the run from ending. So each
 * file ends when no batch is under way, and what is delivered after that is not begun.
 */
worker.queue = async (batch, env, context) => {
  if (!batches.taken) return batch.retryAll();
  batches.underWay += 1;
  try {
    await consume(batch, env, context);
  } finally {
    batches.underWay -= 1;
  }
};

afterAll(async () => {
  batches.taken = false;
  await vi.waitFor(
    () => {
      if (batches.underWay > 0) throw new Error(`${batches.underWay} batches are under way`);
    },
    { timeout: 40_000, interval: 20 },
  );
});
