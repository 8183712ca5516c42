import { beforeAll, expect, test } from "vitest";

import { smokeTest } from "../../../../src/cli/deploy/smoke-test.ts";
import { openTerminal } from "../../../../src/cli/terminal.ts";
import { listen } from "../../../doubles/listen.ts";

let server: Awaited<ReturnType<typeof listen>>;
let answer: { status: number; body: unknown };

beforeAll(async () => {
  server = await listen((_request, response) => {
    response.statusCode = answer.status;
    response.end(JSON.stringify(answer.body));
  });
  return () => server.stop();
});

const smoke = (versionId: string | null) =>
  smokeTest(openTerminal(true), { url: server.address, versionId, admin: undefined, waitMs: 0 });
const health = (id: string) => ({
  status: 200,
  body: { status: "ok", environment: "production", version: { id, tag: "" } },
});

test("the deployed version must be the one that answers", async () => {
  answer = health("new");
  await expect(smoke("new")).resolves.toBeUndefined();
  answer = health("old");
  await expect(smoke("new")).rejects.toThrow("version old still answers");
});

test("a Worker that refuses its configuration is told with its own words", async () => {
  const error = "Configuration is wrong. ENCRYPTION_KEY: must be set in production";
  answer = { status: 500, body: { error } };
  await expect(smoke(null)).rejects.toThrow("ENCRYPTION_KEY: must be set in production");
});

test("another service at the address is not taken for Quarry", async () => {
  answer = { status: 200, body: { hello: "world" } };
  await expect(smoke(null)).rejects.toThrow("another program answers there");
});
