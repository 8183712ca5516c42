import { expect, test } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { embedTexts } from "../../../src/catalog/models/embed-texts.ts";
import { parseConfig } from "../../../src/config.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";

const config = parseConfig({
  ENVIRONMENT: "development",
  OPENAI_COMPATIBLE_BASE_URL: "http://models.test/v1",
  OPENAI_COMPATIBLE_API_KEY: "key",
});

test("a server that refuses the form of vectors is not asked for one again", async () => {
  const double = new OpenAiDouble({ embed: () => [3, 4] });
  const texts = ["text 0", "text 1"];
  const { signal } = new AbortController();
  const bodies: Record<string, unknown>[] = [];
  const fetch: typeof globalThis.fetch = async (...call) => {
    const body = JSON.parse(call[1]?.body as string) as Record<string, unknown>;
    bodies.push(body);
    if (!("encoding_format" in body)) return await double.fetch(...call);
    const message =
      "litellm.UnsupportedParamsError: vertex_ai does not support parameters: {'encoding_format': 'float'}";
    return Response.json({ error: { message, type: null, param: null } }, { status: 400 });
  };
  const embedder = modelRegistry(config, { fetch }).embedder("local/gemini-embedding-001", 2);
  await embedTexts(embedder, texts, { signal });
  await embedTexts(embedder, texts, { signal });
  const plain = { model: "gemini-embedding-001", input: texts };
  expect(bodies).toEqual([{ ...plain, encoding_format: "float" }, plain, plain]);
});

test("NVIDIA's models are told which texts are queries", async () => {
  const double = new OpenAiDouble({ embed: () => [3, 4] });
  const { signal } = new AbortController();
  const types: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (...call) => {
    const { input_type: type } = JSON.parse(call[1]?.body as string) as { input_type?: unknown };
    types.push(type);
    const error =
      "Your request cannot be validated, it is incorrect. detail='input_type' parameter is required for asymmetric models";
    return type === undefined
      ? Response.json({ error }, { status: 400 })
      : await double.fetch(...call);
  };
  const embedder = modelRegistry(config, { fetch }).embedder("local/nvidia/nv-embedqa-e5-v5", 2);
  await embedTexts(embedder, ["a passage"], { signal });
  await embedTexts(embedder, ["a query"], { signal, isQuery: true });
  expect(types).toEqual([undefined, "passage", "query"]);
});

test.each([
  {
    message: "property 'messages.1.assistant.reasoning_content' is unsupported",
    param: "validation_error",
    code: "wrong_api_format",
  },
  {
    detail: [
      {
        type: "extra_forbidden",
        loc: ["body", "messages", 1, "assistant", "reasoning_content"],
        msg: "Extra inputs are not permitted",
      },
    ],
  },
])("a server that refuses earlier thoughts is not sent them: %j", async (refusal) => {
  const fetch: typeof globalThis.fetch = async (_url, init) =>
    JSON.stringify(init?.body).includes("reasoning_content")
      ? Response.json(refusal, { status: 400 })
      : Response.json({ choices: [{ message: { content: "26 days" }, finish_reason: "stop" }] });
  const { model } = modelRegistry(config, { fetch }).chat(`local/refuses-${refusal.code}`);
  const { content } = await model.doGenerate({
    prompt: [{ role: "assistant", content: [{ type: "reasoning", text: "Leave is paid." }] }],
  });
  expect(content).toEqual([{ type: "text", text: "26 days" }]);
});

test.each([
  [
    "reasoning_content",
    "The `reasoning_content` in the thinking mode must be passed back to the API.",
  ],
  ["thought_signature", "Function call is missing a thought_signature in functionCall parts."],
  ['"content":""', "Invalid 'content': 'content' field must be a string or an array of objects."],
])("calls without the %s of their model are sent with a stand-in", async (field, message) => {
  const bodies: string[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const body = init?.body as string;
    bodies.push(body);
    if (!body.includes(field))
      return Response.json({ error: { message, param: null } }, { status: 400 });
    return Response.json({ choices: [{ message: { content: "26 days" }, finish_reason: "stop" }] });
  };
  const { model } = modelRegistry(config, { fetch }).chat(`local/thinks-${message.length}`);
  const call = { toolCallId: "a", toolName: "search" };
  const output = { type: "text" as const, value: "26" };
  const answers = await model.doGenerate({
    prompt: [
      { role: "user", content: [{ type: "text", text: "Leave?" }] },
      { role: "assistant", content: [{ type: "tool-call", ...call, input: {} }] },
      { role: "tool", content: [{ type: "tool-result", ...call, output }] },
    ],
  });
  expect(answers.content).toEqual([{ type: "text", text: "26 days" }]);
  expect(bodies).toHaveLength(2);
});

/** As https://github.com/diegosouzapw/OmniRoute/issues/7809 reports them. */
const FIELDS = new Set(["model", "query", "documents", "top_k", "return_documents", "truncation"]);

test("Voyage reranks by its own names of fields", async () => {
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const body = JSON.parse(init?.body as string) as Record<string, unknown>;
    const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
    const detail = `Some arguments are wrong. In particular, Argument '${unknown}' is not supported by our API`;
    if (unknown !== undefined) return Response.json({ detail }, { status: 400 });
    return Response.json({ data: [{ index: 0, relevance_score: body["top_k"] }] });
  };
  const { model } = modelRegistry(config, { fetch }).reranker("local/rerank-2.5");
  const documents = { type: "text" as const, values: ["a", "b"] };
  const { ranking } = await model.doRerank({ query: "q", documents, topN: 1 });
  expect(ranking).toEqual([{ index: 0, relevanceScore: 1 }]);
});
