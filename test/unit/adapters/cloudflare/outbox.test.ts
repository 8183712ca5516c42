import { expect, test } from "vitest";

import { cloudflareQueue } from "../../../../src/adapters/cloudflare/job-queue.ts";
import { Outbox } from "../../../../src/adapters/cloudflare/outbox.ts";
import { jsonLog } from "../../../../src/core/log.ts";
import type { UsageMessage } from "../../../../src/core/queue-messages.ts";
import { parseUsage } from "../../../../src/jobs/messages.ts";
import { usageMessage as usage } from "../../../support/usage-message.ts";

/** An isolate's outbox, its clock, and the calls of each message as the consumer reads them. */
function isolate(failures = 0) {
  const batches: string[][] = [];
  const state = { now: 1_000_000, failures, batches };
  const timers: { at: number; over: () => void }[] = [];
  const outbox = new Outbox<UsageMessage>();
  const add = (message: UsageMessage, waitMs = 1_000) =>
    outbox.add(message, {
      waitMs,
      now: () => state.now,
      pause: (ms) => new Promise((over) => timers.push({ at: state.now + ms, over })),
      send: async (calls) => {
        state.failures -= 1;
        if (state.failures >= 0) throw new Error("queue is down");
        const message = { id: "m", body: { calls }, ack() {} } as unknown as Message;
        batches.push(
          parseUsage(
            jsonLog(() => {}),
            [message],
          ).map(({ id }) => id),
        );
      },
    });
  const pass = async (ms: number) => {
    state.now += ms;
    for (const { at, over } of timers) if (at <= state.now) over();
    await new Promise((over) => setImmediate(over));
  };
  return { state, add, pass, batches };
}

test("the first call's usage is sent at once, that of the next second together", async () => {
  const { add, pass, batches } = isolate();
  const calls = Array.from({ length: 6 }, () => usage());
  const [first, ...rest] = calls.map(({ id }) => id);
  const adding = calls.map((call) => add(call));
  await pass(0);
  expect(batches).toEqual([[first]]);
  await pass(999);
  expect(batches).toHaveLength(1);
  await pass(1);
  await Promise.all(adding);
  expect(batches).toEqual([[first], rest]);
  await pass(1_000);
  await add(usage());
  expect(batches).toHaveLength(3);
});

test("a message holds 100 calls and 60 KB at most; a larger one does not wait", async () => {
  const { add, pass, batches } = isolate();
  await add(usage());
  const adding = Array.from({ length: 100 }, () => add(usage()));
  await pass(0);
  expect(batches.map(({ length }) => length)).toEqual([1, 100]);
  const large = { ragIds: Array.from({ length: 1_000 }, (_, at) => `rag-${at} `.padEnd(36)) };
  for (let count = 0; count < 3; count++) adding.push(add(usage(large)));
  await pass(1_000);
  await pass(1_000);
  await Promise.all(adding);
  expect(batches.map(({ length }) => length)).toEqual([1, 100, 1, 1, 1]);
});

test("a call that was stopped while it waited loses nothing once the next one comes", async () => {
  const { state, add, batches } = isolate();
  await add(usage());
  const stopped = usage();
  void add(stopped);
  state.now += 6_001;
  const next = usage();
  await add(next);
  expect(batches.at(-1)).toEqual([stopped.id, next.id]);
});

test("a failed message is sent once more, and then goes with the next calls", async () => {
  const once = isolate(1);
  await once.add(usage());
  expect(once.batches).toHaveLength(1);
  const twice = isolate(2);
  const [unsent, next] = [usage(), usage()];
  await expect(twice.add(unsent)).rejects.toThrow("queue is down");
  const adding = twice.add(next);
  await twice.pass(1_000);
  await adding;
  expect(twice.batches).toEqual([[unsent.id, next.id]]);
});

test("with no wait each call is a message of its own", async () => {
  const bodies: unknown[] = [];
  const queue = { send: async (body: unknown) => void bodies.push(body) };
  const none = { send: async () => {}, sendBatch: async () => {} };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the calls that are made exist
  const queues = { scan: none, index: none, usage: queue } as unknown as Parameters<
    typeof cloudflareQueue
  >[0];
  const sending = cloudflareQueue(queues, { outbox: new Outbox<UsageMessage>(), waitMs: 0 });
  const calls = [usage(), usage()];
  for (const call of calls) await sending.usage(call);
  expect(bodies).toEqual(calls);
});
