import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { waitForIndex } from "../../src/cli/demo/run-demo.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import type { RunningWorker } from "../../src/cli/worker/start-worker.ts";
import * as CLIENTS from "./function-clients.ts";
import { sayWithFunctions } from "../doubles/openai-compatible/chat-answer.ts";
import { OpenAiDouble } from "../doubles/openai-compatible/openai-double.ts";
import { serveOpenAi } from "../doubles/openai-compatible/serve.ts";
import { makeRag, scratchFolder, startService } from "./local-service.ts";

const scratch = scratchFolder();
let service: RunningWorker;
let closeModels: () => Promise<void>;
let token = "";

beforeAll(async () => {
  const double = new OpenAiDouble();
  double.script = sayWithFunctions;
  const { baseUrl, close } = await serveOpenAi(double);
  closeModels = close;
  const vars = ["ALLOW_PRIVATE_URLS:true", `OPENAI_COMPATIBLE_BASE_URL:${baseUrl}`];
  service = await startService(join(scratch.path, "state"), undefined, vars);
  const { api, key, token: made } = await makeRag(service.url);
  token = made;
  const pushed = await fetch(`${service.url}/panel/api/file-sources/docs/files/guides/otters.md`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "text/markdown" },
    body: "# Otters\n\nOtters build holts under alder roots.\n",
  });
  expect(pushed.ok).toBe(true);
  const asking = { systemPrompt: "Answer from the documents.", rags: ["docs"] };
  const body = { name: "Ask", identifier: "ask", model: "local/chat", ...asking };
  for (const kind of ["/inferences", "/agents"] as const) await api.POST(kind, { body });
  await waitForIndex(api, "docs", openTerminal(true));
});
afterAll(async () => {
  await service.stop();
  await closeModels();
  scratch.remove();
});

test.each(Object.entries(CLIENTS))(
  "a program with a function of its own works: %s",
  async (_, client) => {
    await client({ url: service.url, token });
  },
);
