import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import type { RagRecord } from "../../../src/db/records.ts";
import type { InferenceServices } from "../../../src/inference/types.ts";
import { SECRET_BODY, type Failure } from "../../doubles/openai-compatible/failures.ts";
import { OpenAiDouble, type Place } from "../../doubles/openai-compatible/openai-double.ts";
import {
  embeddingDouble,
  failing,
  HOLIDAY,
  indexedHandbook,
  searchedBy,
  see as seeWith,
} from "./failing.ts";
import { answerOf, worldWith } from "./support.ts";

let rag: RagRecord;

beforeAll(async () => {
  rag = await indexedHandbook();
});

const see = (services: InferenceServices) => seeWith(services, rag);

const TOLD = { degraded: { occurred: true } };
const tells = (message: RegExp) => ({
  degraded: { occurred: true, message: expect.stringMatching(message) as string },
});

describe("the embedder fails", () => {
  test("also in a RAG of semantic order; no threshold applies where no similarity is", async () => {
    const { world } = failing("embeddings", { kind: "status", status: 503 });
    const rags = [{ ...rag, searchMode: "semantic" as const }];
    const input = { semanticSearch: ["days of holiday"], similarityThreshold: 0.99 };
    const result = await answerOf(world.services, { model: "local/chat", rags }, input);
    expect(result.items[0]).toMatchObject({ text: HOLIDAY, score: 0 });
  });
});

describe("the index itself fails: the answer is given without context", () => {
  test.each([
    ["cut", () => Promise.reject(new Error(SECRET_BODY)), "failed"],
    ["hang", () => new Promise<never>(() => {}), "no answer"],
  ] as const)("%s", async (kind, fails, reason) => {
    const { world } = failing("index", { kind });
    const services = searchedBy(world.services, fails);
    const view = await see(services);
    expect(view).toMatchObject({ status: 200, error: null, bearer: TOLD, items: [] });
    expect(view.administrator).toEqual(tells(new RegExp(`^index: ${reason} after \\d+ ms$`)));
  });
});

describe("the model fails where words are wanted", () => {
  test.each([{ kind: "unknown-tool" }, { kind: "bad-arguments" }] as Failure[])(
    "%j, where no tool was offered, is no answer",
    async (failure) => {
      const { world } = failing("chat", failure);
      const { status, error } = await see(world.services);
      expect(status).toBe(502);
      expect(error).toBe("Model call failed: empty answer");
    },
  );

  test("a refusal in words is an answer", async () => {
    const { world } = failing("chat", { kind: "refusal" });
    expect(await see(world.services)).toMatchObject({ status: 200, bearer: {} });
  });

  test("a model that is not configured names its setting", async () => {
    const { services } = worldWith({ variables: { OPENAI_COMPATIBLE_BASE_URL: "" } });
    const { status, error } = await see(services);
    expect(status).toBe(502);
    expect(error).toMatch(/^Model local\/chat needs the setting OPENAI_COMPATIBLE_BASE_URL/);
  });
});

describe("what passes is waited for", () => {
  test.each<Place>(["chat", "embeddings", "rerank"])("%s: one 429", async (place) => {
    const double = embeddingDouble();
    double.fail(place, { kind: "status", status: 429, retryAfter: "0" }, 1);
    const { services } = worldWith({ double });
    expect(await see(services)).toMatchObject({ status: 200, bearer: {} });
    expect(double.calls(place)).toHaveLength(2);
  });

  test("no wait starts that the budget cannot hold", async () => {
    const { world, double } = failing("chat", { kind: "status", status: 429, retryAfter: "30" });
    expect((await see(world.services)).error).toBe("Model call failed: provider answered 429");
    expect(double.calls("chat")).toHaveLength(1);
  });

  test("what no second try can change is asked once", async () => {
    const { world, double } = failing("chat", { kind: "status", status: 401 });
    await see(world.services);
    expect(double.calls("chat")).toHaveLength(1);
  });
});

test("a tool whose search fails is reported to the model and degrades the answer", async () => {
  const { world, double } = failing();
  double.script = ({ messages }) =>
    messages.some(({ role }) => role === "tool")
      ? { text: "I could not look it up." }
      : { calls: [{ name: "search_handbook", arguments: '{"query":"holiday"}' }] };
  const services = searchedBy(world.services, () => Promise.reject(new Error(SECRET_BODY)));
  const settings = { model: "local/chat", rags: [rag], nativeRag: false };
  const result = await answerOf(services, settings);
  expect(result.response).toEqual([{ type: "text", text: "I could not look it up." }]);
  expect(result.toolCalls).toMatchObject([
    { tool: "search_handbook", ok: false, debug: { output: "the search failed" } },
  ]);
  expect(result.degradations[0]).toMatch(/^index: failed after \d+ ms$/);
  expect(JSON.stringify(double.calls("chat")[1]?.body)).toContain("the search failed");
});

test.each(["local", "local-mini"])("calls wait for each other at %s, if told", async (name) => {
  const double = new OpenAiDouble();
  let [running, most] = [0, 0];
  const fetch: typeof globalThis.fetch = async (...call) => {
    const count = JSON.stringify(call).includes("/chat/completions") ? 1 : 0;
    most = Math.max(most, (running += count));
    const [answer] = await Promise.all([double.fetch(...call), setTimeout(50)]);
    running -= count;
    return answer;
  };
  const { services } = worldWith({ variables: { OPENAI_COMPATIBLE_CALLS_AT_ONCE: "1" } });
  const server = { name: "local-mini", baseUrl: "http://mini.test/v1", apiKey: undefined };
  const keys = async () => ({ servers: [{ ...server, setBy: "panel" as const }] });
  const models = modelRegistry(services.config, { fetch, keys });
  const ask = () => answerOf({ ...services, models }, { model: `${name}/llama` });
  await Promise.all([ask(), ask(), ask()]);
  expect([most, double.calls("chat").length]).toEqual([1, 3]);
});
