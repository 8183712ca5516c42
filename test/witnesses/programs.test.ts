import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { PanelApi } from "../../src/cli/api/clients.ts";
import { waitForIndex } from "../../src/cli/demo/wait-for-index.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import type { RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { sayWithFunctions } from "../doubles/openai-compatible/chat-answer.ts";
import { OpenAiDouble } from "../doubles/openai-compatible/openai-double.ts";
import { serveOpenAi } from "../doubles/openai-compatible/serve.ts";
import { makeRag, scratchFolder, startService } from "../end-to-end/local-service.ts";
import * as CLIENTS from "./clients.ts";
import * as FUNCTION_CLIENTS from "./function-clients.ts";

const scratch = scratchFolder();
let service: RunningWorker;
let closeModels: () => Promise<void>;
let token = "";
let api: PanelApi;

beforeAll(async () => {
  const double = new OpenAiDouble();
  double.script = sayWithFunctions;
  const { baseUrl, close } = await serveOpenAi(double);
  closeModels = close;
  const vars = ["ALLOW_PRIVATE_URLS:true", `OPENAI_COMPATIBLE_BASE_URL:${baseUrl}`];
  service = await startService(join(scratch.path, "state"), undefined, vars);
  const rag = await makeRag(service.url);
  ({ api, token } = rag);
  const pushed = await fetch(`${service.url}/panel/api/file-sources/docs/files/guides/otters.md`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${rag.key}`, "Content-Type": "text/markdown" },
    body: "# Otters\n\nOtters build holts under alder roots.\n",
  });
  expect(pushed.ok).toBe(true);
  const asking = { systemPrompt: "Answer from the documents.", rags: ["docs"] };
  const model = "embedded/extractive";
  const body = { name: "Ask", identifier: "ask", model, ...asking };
  for (const kind of ["/inferences", "/agents"] as const) await api.POST(kind, { body });
  await waitForIndex(api, "docs", openTerminal(true));
});
afterAll(async () => {
  await service.stop();
  await closeModels();
  scratch.remove();
});

const served = () => ({ url: service.url, token });

test.each(Object.entries(CLIENTS))("a program works: %s", async (_, client) => {
  await client(served());
});

test("a model that calls functions answers from here on", async () => {
  const body = { model: "local/chat" };
  const params = { path: { id: "ask" } };
  for (const path of ["/inferences/{id}", "/agents/{id}"] as const) {
    expect((await api.PATCH(path, { params, body })).response.status).toBe(200);
  }
});

test.each(Object.entries(FUNCTION_CLIENTS))(
  "a program with a function of its own works: %s",
  async (_, client) => {
    await client(served());
  },
);
