import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { sha256Hex } from "../../../src/core/hash.ts";
import { receiveNotifications } from "../../../src/ingestion/webhooks/receive-notifications.ts";
import { World, statement } from "../../support/ingestion-world.ts";

async function driveWithChannel(world: World, channel: string) {
  const source = await world.addSource("cloud_drive");
  await statement(
    `insert into source_watches (id, file_source_id, target, token_hash, base_url, live, started_at,
       expires_at)
     values (?2, ?1, 'changes', ?3, 'https://quarry.example.com', 1, 0, ?4)`,
    source,
    channel,
    await sha256Hex("right"),
    world.now + 60_000,
  ).run();
  return source;
}

test("only a known, living channel with its token and a change brings a scan", async () => {
  const opened: string[] = [];
  const world = new World({
    debounceDriveScan: async (id) => void opened.push(id),
  });
  const source = await driveWithChannel(world, "known");
  const tell = (watchId: string, token: string, event: "changed" | "opened") =>
    receiveNotifications(world.services, [{ watchId, token, resourceId: null, event }]);
  await tell("unknown", "right", "changed");
  await tell("known", "wrong", "changed");
  await tell("known", "right", "opened");
  expect(opened).toEqual([]);
  await tell("known", "right", "changed");
  expect(opened).toEqual([source]);
  world.now += 61_000;
  await tell("known", "right", "changed");
  expect(opened).toEqual([source]);
});

test("a debounce survives eviction, groups what follows, and ends with one scan", async () => {
  const world = new World();
  const source = await world.addSource("cloud_drive");
  const stub = env.DRIVE_DEBOUNCE.get(env.DRIVE_DEBOUNCE.idFromName(source));
  const debounce = stub as unknown as { notify(id: string): Promise<void> };
  const before = Date.now();
  await debounce.notify(source);
  const alarm = () => runInDurableObject(stub, (_object, state) => state.storage.getAlarm());
  const first = await alarm();
  expect((first ?? 0) - before).toBeGreaterThanOrEqual(10_000);
  await evictDurableObject(stub);
  for (let at = 0; at < 5; at++) await debounce.notify(source);
  expect(await alarm()).toBe(first);
  const sent: unknown[] = [];
  const send = async (message: unknown) => void sent.push(message);
  await runInDurableObject(stub, (object) => {
    Object.defineProperty(object, "env", { value: { ...env, SCAN_QUEUE: { send } } });
  });
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(sent).toMatchObject([{ kind: "scan", fileSourceId: source }]);
  expect(await alarm()).toBe(null);
  const left = await runInDurableObject(stub, async (_object, state) => state.storage.list());
  expect(left.size).toBe(0);
  await debounce.notify(source);
  expect(await alarm()).not.toBe(null);
});

test("a debounce whose queue fails more often than an alarm retries ends in a scan", async () => {
  const world = new World();
  const source = await world.addSource("cloud_drive");
  const stub = env.DRIVE_DEBOUNCE.get(env.DRIVE_DEBOUNCE.idFromName(source));
  await (stub as unknown as { notify(id: string): Promise<void> }).notify(source);
  const sent: unknown[] = [];
  let failing = true;
  const send = async (message: unknown) => {
    if (failing) throw new Error("queue is down");
    sent.push(message);
  };
  await runInDurableObject(stub, (object) => {
    Object.defineProperty(object, "env", { value: { ...env, SCAN_QUEUE: { send } } });
  });
  for (let failure = 0; failure < 7; failure++) {
    expect(await runDurableObjectAlarm(stub)).toBe(true);
  }
  expect(sent).toEqual([]);
  failing = false;
  await runDurableObjectAlarm(stub);
  expect(sent).toMatchObject([{ kind: "scan", fileSourceId: source }]);
  expect(await runDurableObjectAlarm(stub)).toBe(false);
});

test("the clock keeps ticking, whatever a tick throws", async () => {
  const stub = env.CLOCK.get(env.CLOCK.idFromName("tried"));
  const clock = stub as unknown as { wake(): Promise<void> };
  const alarm = () => runInDurableObject(stub, (_object, state) => state.storage.getAlarm());
  await clock.wake();
  const first = await alarm();
  await clock.wake();
  expect(await alarm()).toBe(first);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await alarm()).not.toBe(null);
});
