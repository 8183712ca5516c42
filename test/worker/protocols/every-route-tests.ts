import { describe, expect, test } from "vitest";

import type { UsageMessage } from "../../../src/core/queue-messages.ts";
import { ModelFailure } from "../../../src/ports/models.ts";
import { protocols } from "../../../src/protocols/app.ts";
import { serviceWith } from "./service-with.ts";
import type { ProtocolsWorld } from "./world.ts";

/** A request that names what only some tokens cover, and what only they may see of its answer. */
type Probe = {
  path: string;
  body?: object;
  visible: RegExp;
  refusal: 200 | 403 | 404;
  shared?: true;
};

const messages = [{ role: "user", content: "What is the boiler code?" }];
const chat = (model: string, more: object = {}): Probe => ({
  path: "/v1/chat/completions",
  body: { model, messages, ...more },
  visible: /"finish_reason":"stop"/,
  refusal: 403,
});
const rpc = (method: string, params: object, visible: RegExp): Probe => ({
  path: "/mcp",
  body: { jsonrpc: "2.0", id: 1, method, params },
  visible,
  refusal: 200,
});
const tool = (name: string, input: object, visible: RegExp) =>
  rpc("tools/call", { name, arguments: input }, visible);
const retrieval_setting = { top_k: 5, score_threshold: 0 };
const ANSWER = /"structuredContent":\{"answer"/;
const URI = "quarry://secrets/closed.md";
const query = "boiler code";
const prompt = "What is the boiler code?";

const OAUTH = /^\/(?:oauth\/|\.well-known\/|token$|register$)/;

/** Requests of each route; callers who are to see it cover `secrets`, `hidden` and `spy`. */
const PROBES: Record<string, Probe[]> = {
  "GET /v1/models": [
    { path: "/v1/models", visible: /inference\/hidden.*agent\/spy/, refusal: 200 },
  ],
  "GET /v1/models/:model{.+}": [
    { path: "/v1/models/inference/hidden", visible: /"id":"inference\/hidden"/, refusal: 403 },
    { path: "/v1/models/agent/spy", visible: /"id":"agent\/spy"/, refusal: 403 },
  ],
  "POST /v1/chat/completions": [
    chat("inference/hidden"),
    chat("agent/spy"),
    chat("inference/hidden", { stream: true, includeSources: true }),
    chat("agent/spy", { stream: true }),
  ],
  "POST /v1/embeddings": [
    {
      path: "/v1/embeddings",
      body: { model: "embedded/hash", input: query },
      visible: /"embedding":\[/,
      refusal: 404,
      // Their RAG uses the model, too.
      shared: true,
    },
  ],
  "POST /v1/responses": [
    {
      path: "/v1/responses",
      body: { model: "inference/hidden", input: query },
      visible: /"status":"completed"/,
      refusal: 403,
    },
    {
      path: "/v1/responses",
      body: { model: "agent/spy", input: query, stream: true },
      visible: /"status":"completed"/,
      refusal: 403,
    },
  ],
  "GET /v1/vector_stores": [{ path: "/v1/vector_stores", visible: /"id":"secrets"/, refusal: 200 }],
  "GET /v1/vector_stores/:identifier": [
    { path: "/v1/vector_stores/secrets", visible: /"id":"secrets"/, refusal: 403 },
  ],
  "POST /v1/vector_stores/:identifier/search": [
    { path: "/v1/vector_stores/secrets/search", body: { query }, visible: /k4711/, refusal: 403 },
  ],
  "POST /mcp": [
    rpc("tools/list", {}, /ask_hidden.*agent_spy/),
    tool("search", { query, rag: "secrets" }, /k4711/),
    tool("search", { query, topK: 50 }, /k4711/),
    tool("fetch", { id: "secrets/closed.md" }, /k4711/),
    tool("ask_hidden", { prompt }, ANSWER),
    tool("agent_spy", { prompt }, ANSWER),
    rpc("resources/list", {}, /closed\.md/),
    rpc("resources/read", { uri: URI }, /k4711/),
  ],
  "POST /dify/retrieval": [
    {
      path: "/dify/retrieval",
      body: { knowledge_id: "secrets", query, retrieval_setting },
      visible: /k4711/,
      refusal: 403,
    },
  ],
};

const SOME = { rags: ["notes"], inferences: ["ask"], agents: ["helper"] };
const NOTHING = { rags: [], inferences: [], agents: [] };

export function everyRouteTests(world: () => ProtocolsWorld): void {
  describe("every route", () => {
    test("is probed", () => {
      const routes = protocols().routes.filter(
        ({ method, path }) => method !== "ALL" && !OAUTH.test(path),
      );
      const names = routes.map(({ method, path }) => `${method} ${path}`);
      expect([...new Set(names)].sort()).toEqual(Object.keys(PROBES).sort());
    });

    test("shows a token only what it covers, and nothing once it is revoked", async () => {
      const { panel, token } = world();
      const creation = await panel.send("POST", "/tokens", { name: "Revoked", ...SOME });
      const revoked = creation.body as { id: string; token: string };
      expect((await panel.send("DELETE", `/tokens/${revoked.id}`)).status).toBe(204);
      const [all, some, none] = [await token(), await token(SOME), await token(NOTHING)];
      const ask = serviceWith();
      for (const probe of Object.values(PROBES).flat()) {
        const { visible, refusal } = probe;
        const full = await ask(all, probe);
        expect({ probe, ...full }).toMatchObject({ text: expect.stringMatching(visible) });
        for (const limited of probe.shared === true ? [none] : [some, none]) {
          const { status, text } = await ask(limited, probe);
          expect({ probe, status }).toEqual({ probe, status: refusal });
          expect(text).not.toMatch(visible);
        }
        const { status } = await ask(revoked.token, probe);
        expect({ probe, status }).toEqual({ probe, status: 401 });
      }
    });
  });

  const CALLS: Pick<Probe, "path" | "body">[] = [
    chat("inference/ask"),
    chat("agent/helper", { stream: true }),
    { path: "/v1/responses", body: { model: "inference/ask", input: query } },
    { path: "/v1/vector_stores/notes/search", body: { query } },
    tool("search", { query }, ANSWER),
    tool("ask_ask", { prompt }, ANSWER),
    { path: "/dify/retrieval", body: { knowledge_id: "notes", query, retrieval_setting } },
  ];

  test("calls count as those of our own API do, under their token", async () => {
    const usages: UsageMessage[] = [];
    const usage = async (message: UsageMessage) => void usages.push(message);
    const ask = serviceWith(({ queue }) => ({ queue: { ...queue, usage } }));
    const token = await world().token(SOME);
    for (const call of CALLS) expect(await ask(token, call)).toMatchObject({ status: 200 });
    const kinds = [
      "inference",
      "agent",
      "inference",
      "retrieve",
      "retrieve",
      "inference",
      "retrieve",
    ];
    expect(usages.map(({ kind }) => kind)).toEqual(kinds);
    expect(new Set(usages.map(({ tokenId }) => tokenId)).size).toBe(1);
    for (const { tokenId, ragIds, outcome } of usages) {
      expect({ tokenId, ragIds, outcome }).toEqual({
        tokenId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ragIds: [expect.any(String)],
        outcome: "ok",
      });
    }
  });

  test("an embedding model that is down degrades answers, and they say so", async () => {
    const embedder = () => {
      throw new ModelFailure("503", { status: 503, retryable: false });
    };
    const ask = serviceWith(({ models }) => ({ models: { ...models, embedder } }));
    const token = await world().token(SOME);
    for (const call of CALLS) {
      const { status, text } = await ask(token, call);
      expect({ call, status }).toEqual({ call, status: 200 });
      // Dify has no field for it.
      if (call.path !== "/dify/retrieval") expect(text).toContain('"degraded":{"occurred":true}');
      expect(text).not.toMatch(/\b503\b/);
    }
  });
}
