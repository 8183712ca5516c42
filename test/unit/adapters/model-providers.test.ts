import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import type { WorkersAi } from "../../../src/adapters/cloudflare/workers-ai-failures.ts";
import { extractiveChat } from "../../../src/adapters/embedded/extractive-chat.ts";
import type { ModelProvider } from "../../../src/adapters/model-provider.ts";
import { MODEL_PROVIDERS, modelRegistry } from "../../../src/adapters/model-registry.ts";
import { stateOf } from "../../../src/adapters/openai/server-state.ts";
import { embedTexts } from "../../../src/catalog/models/embed-texts.ts";
import { parseConfig } from "../../../src/config.ts";

const config = parseConfig({ ENVIRONMENT: "development" });

const parrot: ModelProvider = {
  prefix: "parrot",
  documented: { names: "`parrot/…`", goesTo: "a parrot", needs: "nothing" },
  contextTokens: () => 12,
  open: ({ model }) => ({
    chat: (name) => ({ ...extractiveChat(), modelId: `${name} of ${model}` }),
    embedding: () => expect.fail("not asked"),
    reranker: () => expect.fail("not asked"),
  }),
};

test("a provider is one manifest in the list", () => {
  const models = modelRegistry(config, {}, [parrot]);
  const { name, model, contextTokens } = models.chat("parrot/grey/1");
  expect(name).toBe("parrot/grey/1");
  expect(model).toMatchObject({ modelId: "grey/1 of parrot/grey/1" });
  expect(contextTokens).toBe(12);
  expect(() => models.chat("other/grey")).toThrow("provider/name");
});

test("docs/models.md has a row for each provider", () => {
  const docs = readFileSync("docs/models.md", "utf8");
  const table = docs.slice(docs.indexOf("| name "), docs.indexOf("| provider "));
  const rows = table.split("\n").filter((line) => line.startsWith("|"));
  const cells = rows.slice(2).map((row) => row.split("|").map((cell) => cell.trim()));
  expect(cells.map(([, ...columns]) => columns.slice(0, 3))).toEqual(
    MODEL_PROVIDERS.map(({ documented: { names, goesTo, needs } }) => [names, goesTo, needs]),
  );
});

test("a query and a reranking do not wait for capacity of Workers AI, a document does", async () => {
  const flags: (boolean | undefined)[] = [];
  const ai: WorkersAi = {
    run(_model, _inputs, { rejectIfBusy }) {
      flags.push(rejectIfBusy);
      return Promise.resolve({ data: [[1, 0]], response: [{ id: 0, score: 1 }] });
    },
  };
  const models = modelRegistry(config, { ai });
  const embedder = models.embedder("workers-ai/@cf/baai/bge-m3", 2);
  const { signal } = new AbortController();
  await embedTexts(embedder, ["a document"], { signal });
  await embedTexts(embedder, ["a query"], { signal, isAhead: true });
  const { model } = models.reranker("workers-ai/@cf/baai/bge-reranker-base");
  await model.doRerank({ query: "a", documents: { type: "text", values: ["b"] } });
  expect(flags).toEqual([undefined, true, true]);
});

/** As GitHub Models and Together list them, or a gateway of which one entry is broken. */
test.each([
  [
    [
      { id: "phi-4", name: "phi" },
      { id: "gpt", context_length: 4096 },
    ],
  ],
  [{ data: [{ id: "phi-4" }, { id: null }, null, { id: "gpt", context_length: 4096 }] }],
])("a server's models are read from %j", async (list) => {
  const fetch = () => Promise.resolve(Response.json(list));
  const server = {
    name: "lab",
    baseUrl: "http://lab.test/v1",
    apiKey: undefined,
    setBy: "panel",
  } as const;
  const { problem, models } = await stateOf(server, fetch);
  expect(problem).toBeNull();
  expect(models.map(({ model, contextTokens }) => [model, contextTokens])).toEqual([
    ["lab/phi-4", null],
    ["lab/gpt", 4096],
  ]);
});
