import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { composeServices } from "../../../src/compose.ts";
import type { Env } from "../../../src/env.ts";
import { createApp } from "../../../src/http/app.ts";
import { countedBindings } from "../../support/counted-bindings.ts";
import { ORIGIN } from "../../support/worker-client.ts";

const app = createApp(composeServices);
const VERSION = { id: "version-1", tag: "abc123", timestamp: "2026-11-01T00:00:00.000Z" };

async function health(bindings: Env) {
  const recorder = countedBindings(bindings);
  const context = createExecutionContext();
  const response = await app.fetch(new Request(`${ORIGIN}/health`), recorder.env, context);
  const answer = { status: response.status, body: await response.json() };
  await waitOnExecutionContext(context);
  return { ...answer, headers: response.headers, trips: recorder.trips };
}

test("says which version runs where, without asking any other service", async () => {
  const { status, body, headers, trips } = await health({ ...env, VERSION });
  expect(status).toBe(200);
  const version = { id: "version-1", tag: "abc123" };
  expect(body).toEqual({ status: "ok", environment: "development", version });
  expect(trips).toEqual([]);
  expect(headers.has("RateLimit")).toBe(false);
  expect(headers.get("Cache-Control")).toBe("no-store");
});

test("without a database it still answers: it is the process that is asked", async () => {
  const down = new Proxy(env.DB, {
    get: () => () => {
      throw new Error("D1 is down");
    },
  });
  expect(await health({ ...env, DB: down, VERSION })).toMatchObject({ status: 200 });
});

const failing = () => new Promise(() => {});

/** Time passes between two checks. */
async function ready(bindings: Env) {
  vi.setSystemTime(Date.now() + 60_000);
  const context = createExecutionContext();
  const response = await app.fetch(new Request(`${ORIGIN}/ready`), bindings, context);
  return [response.status, await response.json()];
}

test("readiness says which part does not answer within two seconds", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    expect(await ready(env)).toEqual([200, { status: "ok" }]);
    const broken = new Proxy(env.DB, {
      get: () => () => {
        throw new Error("D1 is down");
      },
    });
    const database = { status: "unavailable", failing: ["database"] };
    expect(await ready({ ...env, DB: broken })).toEqual([503, database]);
    const RAG_INDEX = { getByName: () => ({ facts: failing }) } as unknown as Env["RAG_INDEX"];
    const index = { status: "unavailable", failing: ["index"] };
    expect(await ready({ ...env, RAG_INDEX })).toEqual([503, index]);
    expect(await ready(env)).toEqual([200, { status: "ok" }]);
    // However many ask within a second, nothing is asked again.
    const access = vi.fn<() => void>(() => {
      throw new Error("asked");
    });
    const DB = new Proxy(env.DB, { get: access });
    const context = createExecutionContext();
    const calls = Array.from(
      { length: 50 },
      async () => await app.fetch(new Request(`${ORIGIN}/ready`), { ...env, DB }, context),
    );
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(50).fill(200));
  } finally {
    vi.useRealTimers();
  }
});
