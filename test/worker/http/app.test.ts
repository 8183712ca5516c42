import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { composeServices } from "../../../src/compose.ts";
import { jsonLog } from "../../../src/core/log.ts";
import type { Env } from "../../../src/env.ts";
import { createApp } from "../../../src/http/app.ts";

type Line = Record<string, unknown>;

/** One request against these bindings; what was answered and what was logged. */
async function ask(bindings: Env, path: string, headers: Record<string, string> = {}) {
  const lines: Line[] = [];
  const log = jsonLog((_, line) => lines.push(JSON.parse(line) as Line));
  const app = createApp((...args) => ({ ...composeServices(...args), log }));
  app.get("/broken", () => {
    throw new Error("the outer words", { cause: new Error("the inner words") });
  });
  const context = createExecutionContext();
  const request = new Request(`http://localhost${path}`, { headers });
  const response = await app.fetch(request, bindings, context);
  const answer = { status: response.status, body: await response.json() };
  await waitOnExecutionContext(context);
  return { ...answer, headers: response.headers, lines };
}

test("a defect is logged under the request's id, and the caller sees nothing of it", async () => {
  const { status, body, headers, lines } = await ask(env, "/broken", { "X-Request-Id": "abc" });
  expect({ status, body }).toEqual({ status: 500, body: { error: "Internal server error" } });
  expect(headers.get("X-Request-Id")).toBe("abc");
  const defect = lines.find(({ event }) => event === "defect");
  expect(defect).toMatchObject({ level: "error", requestId: "abc", message: "the inner words" });
  expect(defect?.["stack"]).toContain("app.test");
});

test("every request is one line of JSON, without query and credentials", async () => {
  const secret = "qry_not-a-token-but-a-secret";
  const path = `/api/rags/a%2F${secret}?file=private.md`;
  const { lines } = await ask(env, path, { Authorization: `Bearer ${secret}` });
  const [line, ...rest] = lines.filter(({ event }) => event === "request");
  expect(rest).toEqual([]);
  expect(line).toEqual({
    level: "info",
    event: "request",
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    method: "GET",
    path: "/api/rags/a%2Fqry_…",
    status: 401,
    durationMs: expect.any(Number),
  });
  expect(JSON.stringify(lines)).not.toMatch(/private|secret/);
});

test("a wrong configuration stops the Worker with an answer that names each variable", async () => {
  const wrong = { ...env, RATE_LIMIT_API: "many", VECTOR_INDEX: "somewhere" };
  for (const path of ["/api/rags", "/health"]) {
    const { status, body } = await ask(wrong, path);
    expect(status).toBe(500);
    const { error } = body as { error: string };
    expect(error).toMatch(/^Configuration is wrong\. /);
    expect(error).toContain("RATE_LIMIT_API");
    expect(error).toContain("VECTOR_INDEX");
    expect(error).not.toMatch(/many|somewhere/);
  }
});

test("a configuration that needs a binding which is not there says so", async () => {
  const { status, body } = await ask({ ...env, VECTOR_INDEX: "vectorize" } as Env, "/api/rags");
  expect({ status, body }).toEqual({
    status: 500,
    body: {
      error: "Configuration is wrong. VECTOR_INDEX: vectorize needs the binding VECTORIZE",
    },
  });
});

test("answers may neither be framed, nor kept, nor taken for something else", async () => {
  const { headers } = await ask(env, "/api/rags");
  expect(Object.fromEntries(headers)).toMatchObject({
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": expect.stringContaining("camera=(), "),
  });
});
