import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import type { Env } from "../../../src/env.ts";
import worker from "../../../src/index.ts";
import { eventually } from "../../support/eventually.ts";
import { freshAddress, ORIGIN, signedIn } from "../../support/worker-client.ts";

/** A service with these bindings. Each call's background work is awaited only by `ended`. */
function serviceWith(bindings: Partial<Env>, headers: Record<string, string> = {}) {
  const contexts: ExecutionContext[] = [];
  const send = async (method: string, path: string, body: string | null = null) => {
    const context = createExecutionContext();
    contexts.push(context);
    const request = new Request(ORIGIN + path, {
      method,
      headers: {
        "CF-Connecting-IP": freshAddress(),
        ...(body === null ? {} : { "Content-Length": String(body.length) }),
        ...headers,
      },
      body,
    });
    const response = await worker.fetch(request as never, { ...env, ...bindings }, context);
    const text = await response.text();
    const isPage = response.headers.get("Content-Type")?.startsWith("text/html") === true;
    const answer = isPage ? { text } : (JSON.parse(text) as Record<string, unknown>);
    return { status: response.status, body: answer };
  };
  const waitForBackground = async () => {
    await Promise.all(contexts.splice(0).map((context) => waitOnExecutionContext(context)));
  };
  return { send, waitForBackground };
}

const instead = <Binding extends object>(binding: Binding, methods: object): Binding =>
  new Proxy(binding, {
    get(target, name) {
      const own: unknown = Reflect.get(methods, name);
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

const NO_ROOM = { error: "No room: the storage is full or cannot be written" };
const LONG = "A line of a long file.\n".repeat(70_000);

test("a bucket that never answers is 507 in ten seconds, and health says so meanwhile", async () => {
  const { cookie, create } = await signedIn();
  const headers = { Cookie: cookie, Origin: ORIGIN };
  const { id } = await create("/file-sources", { name: "Full", provider: "file_system" });
  const keys: string[] = [];
  const recordPut = (key: string) => {
    keys.push(key);
    return new Promise(() => undefined);
  };
  const full = serviceWith({ FILES: instead(env.FILES, { put: recordPut }) }, headers);
  const sound = serviceWith({}, headers);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  for (const [nth, text] of ["# Short\n", LONG].entries()) {
    const answer = full.send("PUT", `/panel/api/file-sources/${id}/files/${nth}.md`, text);
    await eventually(() => expect(keys.join()).toContain("/bytes/"));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await answer).toEqual({ status: 507, body: NO_ROOM });
    keys.length = 0;
  }
  await vi.advanceTimersByTimeAsync(10_000);
  await eventually(async () => {
    expect((await full.send("GET", "/health")).body).toMatchObject({ status: "no room" });
  });
  const overview = await sound.send("GET", "/panel/api/overview");
  expect(overview.body).toMatchObject({ noRoomSince: expect.any(String) });
  const page = () => sound.send("GET", "/panel");
  expect((await page()).body).toMatchObject({ text: expect.stringContaining(NO_ROOM.error) });

  await vi.advanceTimersByTimeAsync(20_000);
  await sound.send("GET", "/health");
  await sound.waitForBackground();
  expect((await sound.send("GET", "/health")).body).toMatchObject({ status: "ok" });
  expect((await sound.send("GET", "/panel/api/overview")).body).toMatchObject({
    noRoomSince: null,
  });
  expect((await page()).body).not.toMatchObject({ text: expect.stringContaining(NO_ROOM.error) });
  const retry = await sound.send("PUT", `/panel/api/file-sources/${id}/files/1.md`, LONG);
  expect(retry.status).toBe(201);
});

test.each([
  ["database or disk is full: SQLITE_FULL", 507, NO_ROOM],
  // All that a Worker is told of a disk below a local database.
  ["internal error; reference = 6g170nqjjcmm6fio16bjpl8u", 507, NO_ROOM],
  ["D1_ERROR: no such table: users", 500, { error: "Internal server error" }],
])("a sign-in while the database fails with %s is %d", async (message, status, body) => {
  const batch = () => Promise.reject(new Error(message));
  const session = { prepare: env.DB.prepare.bind(env.DB), batch };
  const DB = instead(env.DB, { batch, withSession: () => session });
  const credentials = JSON.stringify({ email: "admin@localhost", password: "quarry" });
  const service = serviceWith({ DB }, { "Content-Type": "application/json" });
  const answer = await service.send("POST", "/panel/api/session", credentials);
  expect(answer).toEqual({ status, body });
  await service.waitForBackground();
});

test("a database that never answers is 503, which does not say that there is no room", async () => {
  let calls = 0;
  const batch = () => new Promise(() => void calls++);
  const session = { prepare: env.DB.prepare.bind(env.DB), batch };
  const DB = instead(env.DB, { batch, withSession: () => session });
  const credentials = JSON.stringify({ email: "admin@localhost", password: "quarry" });
  const verdict = { allowed: true, limit: 10, remaining: 9, resetMs: 1 };
  const RATE_WINDOW = instead(env.RATE_WINDOW, { get: () => ({ take: async () => verdict }) });
  const service = serviceWith({ DB, RATE_WINDOW }, { "Content-Type": "application/json" });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const answer = service.send("POST", "/panel/api/session", credentials);
  await eventually(() => expect(calls).toBeGreaterThan(0));
  // The audit trail and background work wait for the database, too.
  await vi.advanceTimersByTimeAsync(300_000);
  expect(await answer).toEqual({ status: 503, body: { error: "Storage unavailable" } });
  await service.waitForBackground();
  expect((await serviceWith({}).send("GET", "/health")).body).toMatchObject({ status: "ok" });
});

test("a rate window that cannot be written is no matter of rates", async () => {
  const take = () => Promise.reject(new Error("internal error; reference = 1"));
  const RATE_WINDOW = instead(env.RATE_WINDOW, { get: () => ({ take }) });
  const service = serviceWith({ RATE_WINDOW });
  expect(await service.send("GET", "/api/rags/x")).toEqual({ status: 507, body: NO_ROOM });
  await service.waitForBackground();
});
