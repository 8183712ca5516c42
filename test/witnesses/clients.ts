import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { Client as PresentClient } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as PresentTransport } from "@modelcontextprotocol/client";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { promisify } from "node:util";
import OpenAI, {
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
} from "openai";
import { expect } from "vitest";
import { z } from "zod";

/** A service with a RAG `docs` that says what otters build, an inference and an agent called `ask`. */
export type Served = { url: string; token: string };

type EarlierConnected = Parameters<EarlierClient["connect"]>[0];

const QUESTION = "What do otters build?";
const ANSWER = /holts/;
const SCHEMA = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
  additionalProperties: false,
};
async function every<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const messages = [{ role: "user" as const, content: QUESTION }];

/** https://github.com/openai/openai-node */
export async function openAiClient({ url, token }: Served): Promise<void> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token });
  const models = await every(await client.models.list());
  expect(models.map(({ id }) => id)).toEqual(["inference/ask", "agent/ask"]);
  expect((await client.models.retrieve("agent/ask")).id).toBe("agent/ask");

  for (const model of ["inference/ask", "agent/ask"]) {
    const { choices, usage, _request_id } = await client.chat.completions.create({
      model,
      messages,
    });
    expect(choices[0]?.message.content).toMatch(ANSWER);
    expect(usage?.total_tokens).toBeGreaterThan(0);
    expect(_request_id).toMatch(/-/);
    const stream = client.chat.completions.stream({ model, messages });
    let text = "";
    for await (const { choices: parts } of stream) text += parts[0]?.delta.content ?? "";
    expect(text).toMatch(ANSWER);
    expect((await stream.finalChatCompletion()).choices[0]?.finish_reason).toBe("stop");
  }

  const { choices } = await client.chat.completions.parse({
    model: "inference/ask",
    messages,
    response_format: {
      type: "json_schema",
      json_schema: { name: "answer", strict: true, schema: SCHEMA },
    },
  });
  expect(choices[0]?.message.parsed).toEqual({ answer: expect.any(String) });

  const stores = await every(await client.vectorStores.list());
  expect(stores.map(({ id, status }) => ({ id, status }))).toEqual([
    { id: "docs", status: "completed" },
  ]);
  const page = await client.vectorStores.search("docs", {
    query: "otters",
    filters: { type: "eq", key: "folder", value: "guides" },
  });
  const results = await every(page);
  expect(results[0]).toMatchObject({ filename: "guides/otters.md" });
}

/** The classes that the client throws, and that it tries again where that may help. */
export async function openAiErrors({ url, token }: Served): Promise<void> {
  const failing = async (apiKey: string, body: object) => {
    const tries: number[] = [];
    const counting: typeof fetch = async (...call) => {
      const response = await fetch(...call);
      tries.push(response.status);
      return response;
    };
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, fetch: counting, maxRetries: 1 });
    const request = { model: "inference/ask", messages, ...body };
    const thrown: unknown = await client.chat.completions.create(request).catch((error) => error);
    return { thrown, tries };
  };
  const unknown = await failing("qry_nothing", {});
  expect(unknown.thrown).toBeInstanceOf(AuthenticationError);
  expect(unknown.tries).toEqual([401]);
  const missing = await failing(token, { model: "gpt-5" });
  expect(missing.thrown).toBeInstanceOf(NotFoundError);
  expect(missing.thrown).toMatchObject({ code: "model_not_found", param: "model" });
  const wrong = await failing(token, { n: 2 });
  expect(wrong.thrown).toBeInstanceOf(BadRequestError);
  expect(wrong.thrown).toMatchObject({ param: "n", type: "invalid_request_error" });
  const NEVER = { type: "string", pattern: "^never$" };
  const pattern = { type: "object", required: ["a"], properties: { a: NEVER } };
  const json_schema = { name: "never", schema: pattern };
  const broken = await failing(token, { response_format: { type: "json_schema", json_schema } });
  expect(broken.thrown).toBeInstanceOf(InternalServerError);
  expect(broken.tries).toEqual([502, 502]);
}

/** https://js.langchain.com/docs/integrations/chat/openai */
export async function langChain({ url, token }: Served): Promise<void> {
  const configuration = { baseURL: `${url}/v1` };
  const chat = new ChatOpenAI({ model: "inference/ask", apiKey: token, configuration });
  expect((await chat.invoke(QUESTION)).text).toMatch(ANSWER);
  let text = "";
  for await (const part of await chat.stream(QUESTION)) text += part.text;
  expect(text).toMatch(ANSWER);
  const structured = chat.withStructuredOutput(z.object({ answer: z.string() }), {
    method: "jsonSchema",
  });
  expect(await structured.invoke(QUESTION)).toEqual({ answer: expect.any(String) });
}

/** https://github.com/langchain-ai/langchainjs/tree/main/libs/langchain-mcp-adapters */
export async function langChainMcp({ url, token }: Served): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const quarry = { transport: "http", url: `${url}/mcp`, headers } as const;
  const client = new MultiServerMCPClient({ mcpServers: { quarry } });
  try {
    const tools = await client.getTools();
    expect(tools.map(({ name }) => name)).toEqual(["search", "fetch", "ask_ask", "agent_ask"]);
    const search = tools.find(({ name }) => name === "search");
    expect(JSON.stringify(await search?.invoke({ query: QUESTION }))).toContain("otters.md");
  } finally {
    await client.close();
  }
}

/** The official SDK as it is, and the one that most programs still have. */
export async function mcpClients({ url, token }: Served): Promise<void> {
  const address = new URL(`${url}/mcp`);
  const options = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
  const facts = { name: "witness", version: "1" };
  const present = new PresentClient(facts, { versionNegotiation: { mode: "auto" } });
  await present.connect(new PresentTransport(address, options));
  expect(present.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  const earlier = new EarlierClient(facts);
  // Its own types disagree about a property that is absent.
  await earlier.connect(new EarlierTransport(address, options) as unknown as EarlierConnected);
  for (const client of [present, earlier]) {
    const search = { name: "search", arguments: { query: QUESTION } };
    const { structuredContent } = await client.callTool(search);
    const { results } = structuredContent as { results: { id: string }[] };
    expect(results[0]?.id).toBe("docs/guides/otters.md");
    const fetching = { name: "fetch", arguments: { id: results[0]?.id } };
    expect(JSON.stringify(await client.callTool(fetching))).toContain("alder");
    const call = { name: "ask_ask", arguments: { prompt: QUESTION } };
    expect(JSON.stringify(await client.callTool(call))).toMatch(ANSWER);
    const { resources } = await client.listResources();
    const uri = resources.find(({ name }) => name.endsWith("otters.md"))?.uri ?? "";
    expect(JSON.stringify(await client.readResource({ uri }))).toContain("alder");
    await client.close();
  }
}

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** https://modelcontextprotocol.io/docs/tools/inspector: its command line calls one method a run. */
export async function mcpInspector({ url, token }: Served): Promise<void> {
  const server = [
    `${url}/mcp`,
    "--transport",
    "http",
    "--header",
    `Authorization: Bearer ${token}`,
  ];
  const inspect = async (method: string, ...more: string[]): Promise<unknown> => {
    const inspector = require.resolve("@modelcontextprotocol/inspector-cli");
    const args = [inspector, "--cli", ...server, "--method", method, ...more];
    // It looks for its package.json from the working directory.
    const { stdout } = await run(process.execPath, args, { cwd: dirname(inspector) });
    return JSON.parse(stdout);
  };
  const uri = "quarry://docs/guides/otters.md";
  const [toolList, searchResult, files, file] = await Promise.all([
    inspect("tools/list"),
    inspect("tools/call", "--tool-name", "search", "--tool-arg", `query=${QUESTION}`, "topK=1"),
    inspect("resources/list"),
    inspect("resources/read", "--uri", uri),
  ]);
  const { tools } = toolList as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(["search", "fetch", "ask_ask", "agent_ask"]);
  const results = [{ id: "docs/guides/otters.md", url: uri }];
  expect(searchResult).toMatchObject({ structuredContent: { results } });
  expect(files).toMatchObject({
    resources: expect.arrayContaining([expect.objectContaining({ uri })]),
  });
  const text: unknown = expect.stringContaining("alder");
  expect(file).toMatchObject({ contents: [{ uri, mimeType: "text/markdown", text }] });
}

/**
 * The request that Dify's documentation shows, and the one with which it tries an address that is
 * added: without a body, where it takes 403, 404 and 502 for an address that does not work
 * (`check_endpoint_and_api_key`, api/services/external_knowledge_service.py of langgenius/dify).
 */
export async function difyRequests({ url, token }: Served): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const attempt = await fetch(`${url}/dify/retrieval`, { method: "POST", headers });
  expect(attempt.status).toBe(400);
  const response = await fetch(`${url}/dify/retrieval`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({
      knowledge_id: "docs",
      query: QUESTION,
      retrieval_setting: { top_k: 2, score_threshold: 0.0 },
      metadata_condition: null,
    }),
  });
  expect(response.status).toBe(200);
  const { records } = (await response.json()) as { records: { title: string }[] };
  expect(records[0]).toMatchObject({ title: expect.stringContaining("otters.md") });
}
