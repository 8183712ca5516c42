import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { OpenAiDouble } from "../doubles/openai-compatible/openai-double.ts";
import { serveOpenAi } from "../doubles/openai-compatible/serve.ts";
import { scratchFolder } from "./local-service.ts";
import { expectSuccess, freePort, runCli } from "./run-cli.ts";

const scratch = scratchFolder();
afterAll(scratch.remove);

const DIMENSIONS = 16;
const API_KEY = "sk-of-the-local-server";

/** Letters counted: enough of an embedding to tell texts apart. */
function embed(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0.01);
  for (const letter of text) {
    const at = (letter.codePointAt(0) ?? 0) % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}

test("npm start embeds and answers with the model server of the environment", async () => {
  const models = ["thinker:8b", "letters-embed", "rerank-me"];
  const double = new OpenAiDouble({ apiKey: API_KEY, embed, models });
  const { baseUrl, close } = await serveOpenAi(double);
  const folder = join(scratch.path, "notes");
  const state = join(scratch.path, "state");
  mkdirSync(folder);
  writeFileSync(join(folder, "deep.md"), "# Deep thought\n\nThe answer took a long time.\n");
  const options = ["--once", "--json", "--state", state, "--port", String(await freePort())];
  const done = await runCli("start", [folder, ...options], {
    OPENAI_COMPATIBLE_BASE_URL: baseUrl,
    OPENAI_COMPATIBLE_API_KEY: API_KEY,
  });
  await close();
  expectSuccess(done);
  const { inference, retrieval } = JSON.parse(done.stdout) as {
    inference: { response: unknown };
    retrieval: { chunks: unknown[] };
  };
  expect(inference.response).toEqual([{ type: "text", text: "It is forty-two.", citations: [] }]);
  expect(retrieval.chunks).toHaveLength(1);
  expect(double.of("chat")[0]?.body).toMatchObject({ model: "thinker:8b" });
  expect(double.of("embeddings")[0]?.body).toMatchObject({ model: "letters-embed" });
  // It may hold a key.
  expect(existsSync(join(state, "model.env"))).toBe(false);
});
