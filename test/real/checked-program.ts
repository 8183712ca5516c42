import assert from "node:assert/strict";

import { OpenAiDouble } from "../doubles/openai-compatible/openai-double.ts";
import { serveOpenAi } from "../doubles/openai-compatible/serve.ts";
import { indexNotes } from "./notes.ts";
import type { Tools } from "./tools.ts";

type Program = { command: string; args: string[]; env: Record<string, string> };

/**
 * Runs a program that prints a line for each thing it tried, `ok TITLE` or `failed TITLE: WHY`, as
 * checks of the counterpart.
 */
export async function checkByProgram(tools: Tools, { command, args, env }: Program): Promise<void> {
  const options = { env: { ...process.env, ...env } };
  const { code, stdout, stderr } = await tools.tryRun(command, args, options);
  const lines = stdout.split("\n").filter((line) => /^(?:ok|failed) /.test(line));
  for (const line of lines) {
    await tools.check(line.replace(/^\w+ /, ""), () => assert.match(line, /^ok /));
  }
  assert.equal(code, 0, stderr.slice(-3_000));
  assert.ok(lines.length > 0, stderr.slice(-3_000));
}

/** A service with indexed notes and an inference called `answering`. */
export async function answeringService(tools: Tools) {
  const model = await serveOpenAi(new OpenAiDouble({ models: ["chat"] }));
  tools.onClose(model.close);
  const service = await tools.quarryWithRag([
    `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
    "OPENAI_COMPATIBLE_API_KEY:none",
  ]);
  await indexNotes(service.api);
  const naming = { name: "Answering", identifier: "answering" };
  const body = { ...naming, model: "local/chat", systemPrompt: "Be brief.", rags: ["docs"] };
  await service.api.POST("/inferences", { body });
  return service;
}
