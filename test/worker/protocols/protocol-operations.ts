import type { Call } from "../../contract/client.ts";

/** Names that requests of the protocols are made with. */
export type Names = { rags: string[]; inferences: string[]; agents: string[] };

const text = { type: "string" };
const object = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});
const list = (items: object) => ({ type: "array", items });

const comparison = object({
  type: { enum: ["eq", "ne", "in", "nin", "gt", "lte", "and", "or", "like"] },
  key: { enum: ["path", "folder", "mime_type", "labels", ""] },
  value: { anyOf: [text, { type: "number" }, list(text), {}] },
  filters: list({}),
});
const filters = {
  anyOf: [comparison, object({ type: { enum: ["and", "or"] }, filters: list(comparison) }), {}],
};

const message = object({
  role: { enum: ["system", "user", "assistant", "tool", "developer"] },
  content: { anyOf: [text, list(object({ type: { enum: ["text", "file"] }, text })), {}] },
});
const question = { ...message, properties: { role: { const: "user" }, content: text } };

const chat = (models: string[]) =>
  object(
    {
      model: { enum: models },
      messages: { anyOf: [{ ...list(question), minItems: 1, maxItems: 3 }, list(message)] },
      stream: { type: "boolean" },
      temperature: { type: "number" },
      max_tokens: { type: "integer", minimum: 0, maximum: 4_000 },
      response_format: object({ type: { enum: ["text", "json_object", "json_schema"] } }),
    },
    ["model", "messages"],
  );

const item = object(
  {
    type: { enum: ["message", "function_call", "function_call_output", "reasoning"] },
    role: { enum: ["user", "assistant", "system"] },
    content: { anyOf: [text, list(object({ type: { enum: ["input_text", "x"] }, text }))] },
    call_id: { enum: ["a", "b"] },
    name: text,
    arguments: text,
    output: text,
  },
  ["role", "content"],
);
const response = (models: string[]) =>
  object(
    {
      model: { enum: models },
      input: { anyOf: [text, list(item)] },
      stream: { type: "boolean" },
      tools: list(object({ type: { enum: ["function", "web_search"] }, name: text })),
      tool_choice: { enum: ["auto", "none", "required"] },
      previous_response_id: { enum: [null, "resp_1"] },
    },
    ["model", "input"],
  );

const rpc = ({ rags, inferences, agents }: Names) => {
  const tools = ["search", "fetch", ...inferences.map((identifier) => `ask_${identifier}`)];
  const toolArguments = object(
    {
      query: text,
      rag: { enum: rags },
      id: { enum: rags.map((rag) => `${rag}/guide/leave.md`) },
      prompt: text,
      topK: { type: "integer", maximum: 60 },
      start: { type: "integer", maximum: 100 },
    },
    [],
  );
  const params = object(
    {
      name: { enum: [...tools, ...agents.map((identifier) => `agent_${identifier}`), "rm"] },
      arguments: toolArguments,
      uri: { enum: rags.map((rag) => `quarry://${rag}/guide/leave.md`) },
      cursor: text,
    },
    ["name", "arguments"],
  );
  const method = {
    enum: ["tools/call", "tools/list", "resources/list", "resources/read", "initialize", "ping"],
  };
  return object({ jsonrpc: { enum: ["2.0"] }, id: { type: "integer" }, method, params });
};

const condition = object({
  name: { enum: ["path", "labels", "mime_type"] },
  comparison_operator: { enum: ["is", "contains", "not in", "empty", "≥", "before", "like"] },
  value: { anyOf: [text, { type: "number" }, list(text)] },
});

/** The routes of OpenAI's API, MCP and Dify, for requests that are made up. */
export function protocolOperations(names: Names) {
  const models = [
    ...names.inferences.map((identifier) => `inference/${identifier}`),
    ...names.agents.map((identifier) => `agent/${identifier}`),
    "inference/none",
    "gpt",
  ];
  const search = object(
    {
      query: { anyOf: [text, list(text)] },
      max_num_results: { type: "integer", maximum: 60 },
      filters,
    },
    ["query"],
  );
  const setting = object({
    top_k: { type: "integer", maximum: 120 },
    score_threshold: { type: "number" },
  });
  const retrieval = object({
    knowledge_id: { enum: names.rags },
    query: text,
    retrieval_setting: setting,
    metadata_condition: object({
      logical_operator: { enum: ["and", "or"] },
      conditions: list(condition),
    }),
  });
  return [
    { method: "GET", path: "/v1/models", schema: {} },
    { method: "GET", path: "/v1/models/inference/{identifier}", schema: {} },
    { method: "GET", path: "/v1/vector_stores", schema: {} },
    { method: "GET", path: "/v1/vector_stores/{identifier}", schema: {} },
    { method: "POST", path: "/v1/vector_stores/{identifier}/search", schema: search },
    { method: "POST", path: "/v1/chat/completions", schema: chat(models) },
    { method: "POST", path: "/v1/responses", schema: response(models) },
    {
      method: "POST",
      path: "/v1/embeddings",
      schema: object(
        {
          model: { enum: ["embedded/hash", "gpt"] },
          input: { anyOf: [text, list(text), list({ type: "integer" })] },
          encoding_format: { enum: ["float", "base64", "int8"] },
          dimensions: { type: "integer" },
        },
        ["model", "input"],
      ),
    },
    { method: "POST", path: "/mcp", schema: rpc(names) },
    { method: "POST", path: "/dify/retrieval", schema: retrieval },
  ];
}

const PROTOCOL = /^\/(v1|mcp|dify)(\/|$|\?)/;
export const isProtocolCall = ({ path }: Call) => PROTOCOL.test(path);

/** MCP asks its clients to say that they read both. */
export const asProtocolClient = (call: Call): Call =>
  isProtocolCall(call)
    ? { ...call, headers: { ...call.headers, Accept: "application/json, text/event-stream" } }
    : call;
