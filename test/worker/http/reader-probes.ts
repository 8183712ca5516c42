/**
 * A request. `seen`: what only a reader of Ann's file is told, or null where no file is told of;
 * `names`: names of files that whoever reads everything is told, each reader only its own.
 */
export type Probe = {
  path: string;
  body?: object;
  visible: RegExp | null;
  names?: RegExp;
  inBody?: true;
};

const query = "boiler code";
const prompt = "What is the boiler code?";
export const semanticSearch = [query];
const messages = [{ role: "user", content: prompt }];
export const rpc = (method: string, params: object, visible: RegExp | null): Probe => {
  return { path: "/mcp", body: { jsonrpc: "2.0", id: 1, method, params }, visible, inBody: true };
};
export const tool = (name: string, input: object, visible = /ann\.md/) =>
  rpc("tools/call", { name, arguments: input }, visible);
const COMPLETED = {
  ref: { type: "ref/resource", uri: "quarry://{rag}/{+path}" },
  argument: { name: "path", value: "a" },
};
const selected = { useAllFiles: false, selectedFiles: ["ann.md"] };

export const PROBES: Record<string, Probe[]> = {
  "GET /api/rags": [{ path: "/api/rags", visible: null }],
  "GET /api/rags/:identifier": [
    { path: "/api/rags/vault", visible: null },
    { path: "/api/rags/vault-part", visible: null, names: /ann\.md.*pay\.md/s },
  ],
  "POST /api/rags/:identifier/retrieve": [
    {
      path: "/api/rags/vault/retrieve",
      body: { semanticSearch, topK: 50, includeDuplicates: true, includeSources: true },
      visible: /ann\.md/,
    },
    { path: "/api/rags/vault/retrieve", body: { semanticSearch, ...selected }, visible: /k4711/ },
  ],
  "GET /api/rags/:identifier/files": [
    { path: "/api/rags/vault/files", visible: /ann\.md/ },
    { path: "/api/rags/vault/files?page=1&limit=100", visible: /ann\.md/ },
  ],
  "POST /api/rags/:identifier/scopes": [],
  "DELETE /api/rags/:identifier/scopes": [],
  "GET /api/inferences": [{ path: "/api/inferences", visible: null }],
  "POST /api/inferences/:identifier": [
    {
      path: "/api/inferences/ask",
      body: { prompt, semanticSearch, includeSources: true },
      visible: /ann\.md/,
    },
  ],
  "POST /api/inferences/:identifier/retrieve": [
    {
      path: "/api/inferences/ask/retrieve",
      body: { semanticSearch, includeSources: true },
      visible: /ann\.md/,
    },
  ],
  "GET /api/inferences/:identifier/files": [
    { path: "/api/inferences/ask/files?page=1", visible: /ann\.md/ },
  ],
  "GET /api/inferences/:identifier/file-sources/:file_source_identifier": [
    { path: "/api/inferences/ask/file-sources/vault?file=ann.md", visible: /"status":"indexed"/ },
  ],
  "GET /api/agents/:identifier": [{ path: "/api/agents/spy", visible: null }],
  "POST /api/agents/:identifier/invoke": [
    { path: "/api/agents/spy/invoke", body: { prompt, includeSources: true }, visible: /ann\.md/ },
  ],
  "GET /v1/models": [{ path: "/v1/models", visible: null }],
  "GET /v1/models/:model{.+}": [{ path: "/v1/models/inference/ask", visible: null }],
  "POST /v1/chat/completions": [
    {
      path: "/v1/chat/completions",
      body: { model: "inference/ask", messages, includeSources: true },
      visible: /ann\.md/,
    },
    {
      path: "/v1/chat/completions",
      body: { model: "agent/spy", messages, stream: true, includeSources: true },
      visible: /ann\.md/,
    },
  ],
  "POST /v1/responses": [
    {
      path: "/v1/responses",
      body: { model: "inference/ask", input: prompt, includeSources: true },
      visible: /ann\.md/,
    },
  ],
  "POST /v1/embeddings": [],
  "GET /v1/vector_stores": [{ path: "/v1/vector_stores", visible: null }],
  "GET /v1/vector_stores/:identifier": [{ path: "/v1/vector_stores/vault", visible: null }],
  "POST /v1/vector_stores/:identifier/search": [
    { path: "/v1/vector_stores/vault/search", body: { query }, visible: /ann\.md/ },
  ],
  "POST /mcp": [
    rpc("tools/list", {}, null),
    tool("search", { query, topK: 50 }),
    tool("search", { query, rag: "vault" }),
    tool("fetch", { id: "vault/ann.md" }, /k4711/),
    tool("ask_ask", { prompt }),
    tool("agent_spy", { prompt }),
    rpc("resources/list", {}, /ann\.md/),
    rpc("resources/templates/list", {}, null),
    rpc("prompts/list", {}, null),
    rpc("prompts/get", { name: "ask_ask", arguments: { prompt } }, null),
    rpc("completion/complete", COMPLETED, null),
    rpc("resources/read", { uri: "quarry://vault/ann.md" }, /k4711/),
  ],
  "POST /dify/retrieval": [
    {
      path: "/dify/retrieval",
      body: {
        knowledge_id: "vault",
        query,
        retrieval_setting: { top_k: 5, score_threshold: 0 },
      },
      visible: /ann\.md/,
    },
  ],
};
