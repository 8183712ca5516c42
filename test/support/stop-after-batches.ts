import { afterAll } from "vitest";

import { eventually } from "./eventually.ts";
import { batches } from "./queue-batches.ts";

/**
 * A Worker that is stopped in the middle of a batch of messages keeps the run from ending, and the
 * next file begins with empty stores. So each file ends when no batch is under way, and what is
 * delivered after that is not begun before the next file.
 */
batches.taken = true;
batches.underWay.clear();

afterAll(async () => {
  batches.taken = false;
  await eventually(() => {
    const queues = [...batches.underWay].map(({ queue }) => queue);
    if (queues.length > 0) throw new Error(`batches of ${queues.join(", ")} are under way`);
  });
});
