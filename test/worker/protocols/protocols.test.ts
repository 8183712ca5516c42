import { beforeAll, expect, test } from "vitest";

import { call } from "../../support/worker-client.ts";
import { conversationTests } from "./conversation-tests.ts";
import { dateTests } from "./date-tests.ts";
import { difyTests } from "./dify-tests.ts";
import { embeddingTests } from "./embedding-tests.ts";
import { everyRouteTests } from "./every-route-tests.ts";
import { functionTests } from "./function-tests.ts";
import { longListTests } from "./long-list-tests.ts";
import { mcpMessageTests } from "./mcp-message-tests.ts";
import { mcpTests } from "./mcp-tests.ts";
import { openAiTests } from "./openai-tests.ts";
import { vectorStoreTests } from "./vector-store-tests.ts";
import { setUpProtocols, type ProtocolsWorld } from "./world.ts";

/** One world for the tests of all protocols: making it takes longer than most of them. */
let world: ProtocolsWorld;

beforeAll(async () => {
  world = await setUpProtocols();
});

openAiTests(() => world);
functionTests(() => world);
conversationTests(() => world);
embeddingTests(() => world);
vectorStoreTests(() => world);
mcpTests(() => world);
mcpMessageTests(() => world);
longListTests(() => world);
difyTests(() => world);
dateTests(() => world);
everyRouteTests(() => world);

test("the protocols and our own API share one rate budget", async () => {
  const from = { "X-Forwarded-For": "192.0.2.7" };
  const paths = ["/api/rags", "/v1/models", "/mcp", "/dify/retrieval"];
  const addresses = Array.from({ length: 60 }, (_, at) => paths[at % paths.length] ?? "");
  for (const path of addresses) await call("GET", path, { headers: from });
  const refusals = await Promise.all(paths.map((path) => call("GET", path, { headers: from })));
  expect(refusals.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
  expect(refusals.map(({ body }) => body)).toMatchObject([
    { error: "Too many requests" },
    { error: { type: "requests", code: "rate_limit_exceeded" } },
    { jsonrpc: "2.0", error: { message: "Too many requests" } },
    { error_code: 429, error_msg: "Too many requests" },
  ]);
  for (const { headers } of refusals) expect(headers.get("Retry-After")).toMatch(/^\d+$/);
});

test("a slash at the end of an address makes no difference", async () => {
  const paths = ["/mcp", "/v1/models", "/v1/chat/completions", "/dify/retrieval", "/oauth/token"];
  const publicPaths = [
    ".well-known/oauth-protected-resource/mcp",
    ".well-known/oauth-authorization-server",
  ];
  const pages = ["/authorize", "/panel", "/api/rags", "/api/openapi.json"];
  for (const path of [
    ...paths,
    "/oauth/register",
    ...publicPaths.map((at) => `/${at}`),
    ...pages,
  ]) {
    const answers = await Promise.all(
      ["GET", "POST"].flatMap((method) =>
        [path, `${path}/`].map(async (at) => {
          const { status, body } = await call(method, at, method === "GET" ? {} : { body: "{}" });
          return { status, body };
        }),
      ),
    );
    expect({ path, answer: answers[1] }).toEqual({ path, answer: answers[0] });
    expect({ path, answer: answers[3] }).toEqual({ path, answer: answers[2] });
    expect(answers.map(({ status }) => status)).not.toEqual([404, 404, 404, 404]);
  }
});
