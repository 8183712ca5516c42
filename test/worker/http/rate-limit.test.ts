import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";

import { eventually } from "../../support/eventually.ts";

async function ask(path: string, ip: string, method = "GET") {
  const request = new Request(`http://localhost${path}`, {
    method,
    headers: { "X-Forwarded-For": ip },
  });
  const response = await exports.default.fetch(request);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

function windowOf(surface: string, client: string) {
  const namespace = env.RATE_WINDOW;
  return namespace.get(namespace.idFromName(`${surface} ${client}`));
}

const storedCount = async (stub: ReturnType<typeof windowOf>) =>
  await runInDurableObject(stub, async (_, { storage }) => {
    const times = await storage.get<number[]>("times");
    return times?.length ?? 0;
  });

const start = new Date("2100-03-01T12:00:00.000Z");
const after = (ms: number) => vi.setSystemTime(new Date(start.getTime() + ms));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
});

test("of 200 requests at once from one address exactly 60 pass", async () => {
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => await ask("/api/rags", "192.0.2.1")),
  );
  const passes = answers.filter(({ status }) => status === 401);
  const refusals = answers.filter(({ status }) => status === 429);
  expect([passes.length, refusals.length]).toEqual([60, 140]);
  expect(refusals[0]?.body).toEqual({ error: "Too many requests" });
  expect(refusals[0]?.headers.get("Retry-After")).toBe("60");
  expect((await ask("/api/rags", "192.0.2.2")).status).toBe(401);
});

test("three prefixes share a budget, webhooks and embed have own ones, docs are free", async () => {
  const ip = "192.0.2.10";
  for (const path of ["/api/rags", "/api/inferences", "/api/agents/x"]) {
    for (let count = 0; count < 20; count++) expect((await ask(path, ip)).status).toBe(401);
  }
  expect((await ask("/api/inferences", ip)).status).toBe(429);
  const webhook = await ask("/api/webhooks/drive", ip, "POST");
  expect(webhook.headers.get("RateLimit-Policy")).toBe('"webhooks";q=20;w=60');
  const embed = await ask("/embed/anything", ip);
  expect([embed.status, embed.headers.get("RateLimit")]).toEqual([404, '"embed";r=29;t=60']);
  const free = await ask("/api/openapi.json", ip);
  expect([free.status, free.headers.get("RateLimit")]).toEqual([200, null]);
  expect((await ask("/api/ragsy", ip)).headers.get("RateLimit")).toBeNull();
});

test("the window slides: a refused request costs nothing, room returns one by one", async () => {
  const ip = "192.0.2.20";
  for (let count = 0; count < 30; count++) await ask("/embed/x", ip);
  after(20_000);
  const refusal = await ask("/embed/x", ip);
  expect([refusal.status, refusal.headers.get("Retry-After")]).toEqual([429, "40"]);
  expect(refusal.headers.get("RateLimit")).toBe('"embed";r=0;t=40');
  after(59_999);
  expect((await ask("/embed/x", ip)).status).toBe(429);
  after(60_000);
  expect((await ask("/embed/x", ip)).status).toBe(404);
});

test("the count survives an eviction, and leaves nothing behind after its window", async () => {
  const ip = "192.0.2.30";
  for (let count = 0; count < 25; count++) await ask("/embed/x", ip);
  const stub = windowOf("embed", ip);
  // A burst is written within a second, by a timer that no eviction cuts short.
  await eventually(async () => expect(await storedCount(stub)).toBe(25));
  await evictDurableObject(stub);
  expect((await ask("/embed/x", ip)).headers.get("RateLimit")).toBe('"embed";r=4;t=60');
  const state = await runInDurableObject(stub, async (_, { storage }) => {
    const entries = await storage.list();
    return { keys: [...entries.keys()], alarm: await storage.getAlarm() };
  });
  expect(state.keys).toEqual(["times"]);
  expect(state.alarm).toBe(start.getTime() + 60_000);

  // Waiting moved the clock by as much as it took.
  after(Date.now() - start.getTime() + 61_000);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  const remaining = await runInDurableObject(stub, async (_, { storage }) => {
    return { size: (await storage.list()).size, alarm: await storage.getAlarm() };
  });
  expect(remaining).toEqual({ size: 0, alarm: null });
});

test("a slow client's request is written before the next one, not a second later", async () => {
  const ip = "192.0.2.31";
  for (let count = 1; count <= 6; count++) {
    after(count * 500);
    await ask("/embed/x", ip);
    expect(await storedCount(windowOf("embed", ip))).toBe(count);
  }
});

test("a clock that was an hour ahead shuts nobody out for longer than a window", async () => {
  const ip = "192.0.2.32";
  after(60 * 60_000);
  for (let count = 0; count < 30; count++) await ask("/embed/x", ip);
  after(0);
  expect((await ask("/embed/x", ip)).headers.get("Retry-After")).toBe("60");
  await evictDurableObject(windowOf("embed", ip));
  after(59_000);
  expect((await ask("/embed/x", ip)).headers.get("Retry-After")).toBe("1");
  after(60_000);
  expect((await ask("/embed/x", ip)).status).toBe(404);
});

test("addresses of one IPv6 /64 are one client", async () => {
  for (let count = 0; count < 15; count++) await ask("/embed/x", `2001:db8:1:2::${count + 1}`);
  const same = await ask("/embed/x", "2001:0db8:0001:0002:ffff::1");
  expect(same.headers.get("RateLimit")).toBe('"embed";r=14;t=60');
  const neighbour = await ask("/embed/x", "2001:db8:1:3::1");
  expect(neighbour.headers.get("RateLimit")).toBe('"embed";r=29;t=60');
});

test("a failing store lets nobody through", async () => {
  const ip = "192.0.2.40";
  const stub = windowOf("embed", ip);
  await runInDurableObject(stub, async (_, { storage }) => {
    await storage.put("times", "what nobody can read");
  });
  await evictDurableObject(stub);
  const { status, body } = await ask("/embed/x", ip);
  expect({ status, body }).toEqual({ status: 503, body: { error: "Rate limiting unavailable" } });
});
