import worker from "../../src/index.ts";

const consume = worker.queue.bind(worker);

/** Batches of messages that queues hand to the Worker of the tests, and whether it takes them. */
export const batches = { underWay: new Set<MessageBatch>(), taken: true };

worker.queue = async (batch, env, context) => {
  if (!batches.taken) return batch.retryAll();
  batches.underWay.add(batch);
  try {
    await consume(batch, env, context);
  } finally {
    batches.underWay.delete(batch);
  }
};
