import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { composeServices } from "../../../src/compose.ts";
import type { Env } from "../../../src/env.ts";
import { createApp } from "../../../src/http/app.ts";
import { countedBindings } from "../../support/counted-bindings.ts";
import { ORIGIN } from "../../support/worker-client.ts";

const app = createApp(composeServices);
const VERSION = { id: "version-1", tag: "abc123", timestamp: "2026-11-01T00:00:00.000Z" };

async function health(bindings: Env) {
  const counted = countedBindings(bindings);
  const context = createExecutionContext();
  const response = await app.fetch(new Request(`${ORIGIN}/health`), counted.env, context);
  const answer = { status: response.status, body: await response.json() };
  await waitOnExecutionContext(context);
  return { ...answer, headers: response.headers, trips: counted.trips };
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
