import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { CHROMIUM_ARGUMENTS, findChromium } from "../browser/support/chromium.ts";
import { signedInVisitor } from "../browser/support/visitor.ts";
import { countsOf, makeRag, scratchFolder, startService } from "../end-to-end/local-service.ts";
import { eventually } from "../support/eventually.ts";
import { conformance } from "./mcp-conformance.ts";
import { aiSdkAnswer, mcpRemote, sdkClient, type Person } from "./oauth-clients.ts";
import { openidTests, startProvider, type World } from "./openid-tests.ts";

const executablePath = findChromium();
const PASSED = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "completion-complete",
];
const OTTERS = "# Otters\n\nOtters live at the brook below the alder trees.";

const scratch = scratchFolder();
let service: RunningWorker;
let browser: Browser;
let world: World;
let person: Person;
let bearer = "";

beforeAll(async () => {
  if (executablePath === null) return;
  [service, browser] = await Promise.all([
    startService(scratch.path, undefined, ["ALLOW_PRIVATE_URLS:true"]),
    chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS }),
  ]);
  const { api, token } = await makeRag(service.url);
  const params = { path: { id: "docs", path: "otters.md" } };
  await api.PUT("/file-sources/{id}/files/{path}", {
    params,
    body: OTTERS,
    bodySerializer: (text) => text,
  });
  const credentials = { email: "admin@localhost", password: "quarry" };
  const [{ context }, provider] = await Promise.all([
    signedInVisitor(browser, service.url, credentials),
    startProvider(service),
    eventually(async () => expect((await countsOf(api)).processedFiles).toBe(1)),
  ]);
  world = { service, state: scratch.path, browser, admin: context, provider };
  person = { context, rag: "docs" };
  bearer = token;
});

afterAll(async () => {
  await world?.provider.stop();
  await browser?.close();
  await service?.stop();
  scratch.remove();
});

/** At once: each mostly waits for a process of its own. */
function programTests(): void {
  test.concurrent("the official SDK's client connects by the address, and refreshes", async () => {
    const { client, session } = await sdkClient(service.url, person);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["search", "fetch"]);
    const result = await client.callTool({
      name: "search",
      arguments: { query: "Where do otters live?" },
    });
    expect(JSON.stringify(result)).toContain("alder");
    const before = session.tokens;
    if (before !== undefined) session.tokens = { ...before, access_token: "a:b:c" };
    expect((await client.listTools()).tools).toHaveLength(2);
    expect(session.tokens?.refresh_token).not.toBe(before?.refresh_token);
    await client.close();
    const log = readFileSync(join(scratch.path, "worker.log"), "utf8");
    for (const secret of [session.tokens?.access_token, before?.refresh_token, session.verifier]) {
      expect(secret).toBeTruthy();
      expect(log).not.toContain(secret?.split(":").at(-1));
    }
  });

  test.concurrent("mcp-remote connects a program that knows local servers only", async () => {
    const folder = join(scratch.path, "mcp-remote");
    expect(await mcpRemote(service.url, person, folder)).toEqual(["search", "fetch"]);
  });

  test.concurrent("the protocol's conformance suite finds what its list says", async () => {
    const output = await conformance(service.url, bearer, scratch.path);
    for (const scenario of PASSED) {
      expect(output).toContain(`✓ ${scenario}: 1 passed, 0 failed`);
    }
    expect(output).toContain("✓ dns-rebinding-protection: 2 passed, 0 failed");
  });
  test.concurrent("the AI SDK's client connects by the address, and its tools answer", async () => {
    expect(await aiSdkAnswer(service.url, person, "Where do otters live?")).toContain("alder");
  });
}

describe.skipIf(executablePath === null)("people and programs sign in", () => {
  programTests();
  openidTests(() => world);
});
