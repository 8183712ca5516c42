import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { ragWorld, World } from "../../support/ingestion-world.ts";

/** A debounce that was told of a source; `sent` is what it sends while its queue is up. */
async function debounced(queue = { isUp: true }) {
  const source = await new World().addSource("cloud_drive");
  const stub = env.DRIVE_DEBOUNCE.get(env.DRIVE_DEBOUNCE.idFromName(source));
  const notify = async () =>
    await (stub as unknown as { notify(id: string): Promise<void> }).notify(source);
  await notify();
  const messages: unknown[] = [];
  const sendBatch = async (batch: { body: unknown }[]) => {
    if (!queue.isUp) throw new Error("queue is down");
    messages.push(...batch.map(({ body }) => body));
  };
  const listen = async () =>
    await runInDurableObject(stub, (object) => {
      Object.defineProperty(object, "env", { value: { ...env, SCAN_QUEUE: { sendBatch } } });
    });
  return { source, stub, notify, messages, listen };
}

const alarmOf = async (stub: DurableObjectStub) =>
  await runInDurableObject(stub, (_object, state) => state.storage.getAlarm());

test("a debounce survives eviction, groups what follows, and ends with one scan", async () => {
  const before = Date.now();
  const { source, stub, notify, messages, listen } = await debounced();
  const alarm = () => alarmOf(stub);
  const first = await alarm();
  expect((first ?? 0) - before).toBeGreaterThanOrEqual(10_000);
  await evictDurableObject(stub);
  for (let at = 0; at < 5; at++) await notify();
  expect(await alarm()).toBe(first);
  await listen();
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(messages).toMatchObject([{ kind: "scan", fileSourceId: source }]);
  expect(await alarm()).toBe(null);
  const remaining = await runInDurableObject(stub, async (_object, state) => state.storage.list());
  expect(remaining.size).toBe(0);
  await notify();
  expect(await alarm()).not.toBe(null);
});

test("where the first notification starts at once, later ones share one scan", async () => {
  const { source, stub, messages, listen } = await debounced();
  await listen();
  await runDurableObjectAlarm(stub);
  const scan = { kind: "scan", fileSourceId: source };
  const notifyAtOnce = async () =>
    await (stub as unknown as { notify(id: string, atOnce: true): Promise<void> }).notify(
      source,
      true,
    );
  await notifyAtOnce();
  expect(messages).toMatchObject([scan, scan]);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(messages).toHaveLength(2);
  for (let at = 0; at < 5; at++) await notifyAtOnce();
  expect(messages).toHaveLength(3);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(messages).toMatchObject([scan, scan, scan, scan]);
});

test("a debounce whose queue fails more often than an alarm retries ends in a scan", async () => {
  const queue = { isUp: false };
  const { source, stub, messages, listen } = await debounced(queue);
  await listen();
  for (let failure = 0; failure < 7; failure++) {
    expect(await runDurableObjectAlarm(stub)).toBe(true);
  }
  expect(messages).toEqual([]);
  queue.isUp = true;
  await runDurableObjectAlarm(stub);
  expect(messages).toMatchObject([{ kind: "scan", fileSourceId: source }]);
  expect(await runDurableObjectAlarm(stub)).toBe(false);
});

test("the clock keeps ticking, whatever a tick throws", async () => {
  const stub = env.CLOCK.get(env.CLOCK.idFromName("tried"));
  const clock = stub as unknown as { wake(): Promise<void> };
  await clock.wake();
  const first = await alarmOf(stub);
  await clock.wake();
  expect(await alarmOf(stub)).toBe(first);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await alarmOf(stub)).not.toBe(null);
});

test("an alarm that a clock an hour ahead has set is replaced", async () => {
  const stub = env.CLOCK.get(env.CLOCK.idFromName("ahead"));
  await runInDurableObject(stub, async (_, { storage }) => {
    await storage.setAlarm(Date.now() + 60 * 60_000);
  });
  await (stub as unknown as { wake(): Promise<void> }).wake();
  expect(await alarmOf(stub)).toBeLessThanOrEqual(Date.now() + 60_000);

  const { source, stub: drive, notify, messages, listen } = await debounced();
  await runInDurableObject(drive, async (_, { storage }) => {
    await storage.setAlarm(Date.now() + 60 * 60_000);
  });
  await notify();
  await listen();
  expect(await alarmOf(drive)).toBeLessThanOrEqual(Date.now() + 10_000);
  expect(await runDurableObjectAlarm(drive)).toBe(true);
  expect(messages).toMatchObject([{ kind: "scan", fileSourceId: source }]);
});

test("an index whose maintenance fails seven times is called again", async () => {
  const { rag, world, source } = await ragWorld();
  await world.putAndIndex(source, { "a.md": "A note." });
  const stub = env.RAG_INDEX.getByName(`${rag}:1:0`);
  await runInDurableObject(stub, async (_, { storage }) => {
    storage.sql.exec("delete from schema_steps");
    await storage.setAlarm(Date.now());
  });
  await evictDurableObject(stub);
  for (let failure = 0; failure < 7; failure++) {
    expect(await runDurableObjectAlarm(stub)).toBe(true);
  }
  expect(await alarmOf(stub)).toBeGreaterThan(Date.now());
});
