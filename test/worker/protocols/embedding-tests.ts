import { beforeAll, describe, expect, test } from "vitest";

import type { UsageMessage } from "../../../src/core/queue-messages.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { modelsOf, serviceWith } from "./service-with.ts";
import { openAiErrorOf as errorOf, program, type ProtocolsWorld } from "./world.ts";

type Embeddings = {
  data: { index: number; embedding: number[] | string }[];
  usage: { prompt_tokens: number; total_tokens: number };
};

export function embeddingTests(getWorld: () => ProtocolsWorld): void {
  let token: string;
  const model = "embedded/hash";
  const embed = async (more: object) =>
    await program(token).post("/v1/embeddings", { model, ...more });

  beforeAll(async () => {
    token = await getWorld().token({ rags: ["notes"], inferences: [], agents: [] });
  });

  describe("embeddings", () => {
    test("are made by a model of the token's RAGs, as numbers or in base64", async () => {
      const input = ["thirty days of leave", "boiler", "thirty days of leave"];
      const floats = await embed({ input, dimensions: null, user: "7" });
      expect(floats.headers.get("X-Ignored-Fields")).toBe("user");
      expect(floats).toMatchObject({ status: 200, body: { object: "list", model } });
      const { data, usage } = floats.body as Embeddings;
      expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
      const [first = [], second, third] = data.map(({ embedding }) => embedding as number[]);
      expect(third).toEqual(first);
      expect(second).not.toEqual(first);
      expect(Math.hypot(...first)).toBeCloseTo(1, 5);
      expect(usage.total_tokens).toBeGreaterThan(5);
      const coded = await embed({ input: input[0], encoding_format: "base64" });
      const [entry] = (coded.body as Embeddings).data;
      const bytes = Uint8Array.from(atob(String(entry?.embedding)), (byte) => byte.charCodeAt(0));
      expect([...new Float32Array(bytes.buffer)]).toEqual(first);
      const response = await embed({ input, dimensions: first.length });
      expect((response.body as Embeddings).data).toHaveLength(3);
    });

    test.each<[string, object, string]>([
      ["no input", {}, "input"],
      ["an empty text", { input: ["a", ""] }, "input[1]"],
      ["tokens", { input: [1, 2] }, "input[0]"],
      ["half a character", { input: ["a", "\ud800"] }, "input[1]"],
      ["too many texts", { input: Array.from({ length: 2_049 }, () => "a") }, "input"],
      ["a text that is too long", { input: ["a", "a".repeat(900_000)] }, "input[1]"],
      ["too many tokens", { input: Array.from({ length: 40 }, () => "1 ".repeat(8_000)) }, "input"],
      ["dimensions that no RAG has", { input: "a", dimensions: 3 }, "dimensions"],
      ["another form", { input: "a", encoding_format: "int8" }, "encoding_format"],
    ])("%s: 400", async (_, more, param) => {
      expect(errorOf(await embed(more))).toMatchObject({ status: 400, param });
    });

    test("a batch is bounded by its tokens, not by the body of other calls", async () => {
      const input = Array.from({ length: 100 }, () => "thirty ".repeat(2_000));
      const { status, body } = await embed({ input });
      expect(status).toBe(200);
      expect((body as Embeddings).usage.total_tokens).toBeGreaterThan(100_000);
    });

    test("a model that no RAG of the token uses is 404", async () => {
      const none = program(await getWorld().token({ rags: [], inferences: ["*"], agents: ["*"] }));
      for (const [answer, names] of [
        [await embed({ model: "openai/text-embedding-3-small", input: "a" }), model],
        [await embed({ model: "inference/ask", input: "a" }), model],
        [await none.post("/v1/embeddings", { model, input: "a" }), "none"],
      ] as const) {
        const message: unknown = expect.stringContaining(`the token's RAGs use ${names}`);
        expect(errorOf(answer)).toMatchObject({ status: 404, code: "model_not_found", message });
      }
    });

    test("the call and its tokens count; a model that is down is 502", async () => {
      const usages: UsageMessage[] = [];
      const usage = async (message: UsageMessage) => void usages.push(message);
      const double = new OpenAiDouble();
      const ask = serviceWith(({ queue, models }) => {
        const embedder = () => modelsOf(double).embedder("local/letters", 2);
        return { queue: { ...queue, usage }, models: { ...models, embedder } };
      });
      const body = { model, input: "boiler" };
      expect(await ask(token, { path: "/v1/embeddings", body })).toMatchObject({ status: 200 });
      double.fail("embeddings", { kind: "status", status: 400 });
      const failed = await ask(token, { path: "/v1/embeddings", body });
      expect(failed).toMatchObject({ status: 502, text: expect.stringContaining("400") });
      const use = { kind: "embedding", calls: 1 };
      expect(usages).toMatchObject([
        { kind: "retrieve", tokenId: expect.any(String), uses: [{ ...use, inputTokens: 3 }] },
        { kind: "retrieve", outcome: "error", uses: [{ ...use, inputTokens: 0, failed: true }] },
      ]);
    });
  });
}
