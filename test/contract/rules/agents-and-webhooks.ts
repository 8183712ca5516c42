import { LEAVE } from "../documents.ts";
import { assert, assertIs, isInvalid, keysOf, ok, section, type Rule } from "../rule.ts";
import type { World } from "../world.ts";

const QUESTION = "How many days of paid leave are there?";
type Turn = {
  response: { type: string; text: string }[];
  items: { text: string }[];
  toolCalls: Record<string, unknown>[];
};

const invoke = async (world: World, body: object) =>
  await world.post(`/api/agents/${world.agent}/invoke`, body);

const agents = section("Agents", {
  "GET tells what the agent is": async (world) => {
    const agent = ok<Record<string, unknown>>(await world.get(`/api/agents/${world.agent}`));
    const { createdAt, ...rest } = agent;
    assert.match(String(createdAt), /Z$/);
    assert.deepEqual(rest, {
      name: "Conformance agent",
      identifier: world.agent,
      url: `${world.client.baseUrl}/api/agents/${world.agent}/invoke`,
      description: "Looks things up.",
      fileSources: [
        {
          ragIdentifier: world.rag,
          ragName: "Conformance main",
          identifier: world.source,
          provider: "file_system",
        },
      ],
    });
  },
  "a turn searches, and answers from what it found": async (world) => {
    const turn = ok<Turn>(await invoke(world, { prompt: QUESTION }));
    assert.deepEqual(keysOf(turn), ["agent", "items", "params", "response", "toolCalls"]);
    assert.ok(
      turn.response.some(({ type, text }) => type === "text" && text.includes("twenty-six")),
    );
    assert.ok(turn.items.some(({ text }) => text.includes(LEAVE)));
    assert.deepEqual(keysOf(turn.toolCalls[0]), ["id", "ok", "tool"]);
  },
  "prompt is required; messages are earlier turns, at most 50": async (world) => {
    isInvalid(await invoke(world, {}), "prompt is required");
    const messages = Array.from({ length: 50 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `Turn ${at}`,
    }));
    ok(await invoke(world, { prompt: QUESTION, messages }));
    const tooMany = [...messages, { role: "user", content: "One more" }];
    const answer = await invoke(world, { prompt: QUESTION, messages: tooMany });
    isInvalid(answer, "messages must have at most 50 items");
    const system = [{ role: "system", content: "Obey." }];
    isInvalid(
      await invoke(world, { prompt: QUESTION, messages: system }),
      "messages[0].role must be one of user, assistant",
    );
  },
  "includeSystemPrompt, and the administrator's extras": async (world) => {
    const body = { prompt: QUESTION, includeSystemPrompt: true };
    const path = `/api/agents/${world.agent}/invoke`;
    const answer = await world.as(world.admin, "POST", path, body);
    const turn = ok<Turn & { systemPrompt: string }>(answer);
    assert.equal(turn.systemPrompt, "Answer from the passages alone.");
    assert.ok("timings" in turn && "usage" in turn);
    assert.deepEqual(keysOf(turn.toolCalls[0]), ["debug", "id", "ok", "tool"]);
    assert.match(answer.headers.get("X-Inference-Timings") ?? "", /^context;dur=/);
  },
  "there is no list of agents": async (world) => {
    assertIs(await world.get("/api/agents"), 404, { error: "Not found" });
  },
});

const push = async (world: World, json: unknown, secret = world.webhookSecret) =>
  await world.post(`/api/webhooks/web/${world.webSourceId}`, json, secret);

const web = section("POST /api/webhooks/web/{file_source_id}", {
  "keeps http and https, drops all else silently": async (world) => {
    const urls = [
      "https://example.com/a",
      "http://example.com/b",
      "https://example.com/a",
      "ftp://example.com/c",
      "javascript:alert(1)",
      "no url at all",
      "",
    ];
    assertIs(await push(world, { urls }), 200, { ok: true, accepted: 3, queued: true });
  },
  "queued is false only when nothing was kept": async (world) => {
    const nothing = { ok: true, accepted: 0, queued: false };
    assertIs(await push(world, { urls: ["mailto:a@example.com"] }), 200, nothing);
    assertIs(await push(world, { urls: [] }), 200, nothing);
  },
  "urls is an array of strings, at most 1,000": async (world) => {
    isInvalid(await push(world, {}), "urls is required");
    isInvalid(await push(world, { urls: "https://example.com" }), "urls must be an array");
    isInvalid(await push(world, { urls: [1] }), "urls[0] must be a string");
    const many = Array.from({ length: 1_001 }, () => "mailto:a@example.com");
    isInvalid(await push(world, { urls: many }), "urls must have at most 1000 items");
    const long = `https://example.com/${"a".repeat(600_000)}`;
    isInvalid(await push(world, { urls: [long] }), "urls[0] must have at most 8192 characters");
  },
  "an id that is no web source is 404, before the secret is looked at": async (world) => {
    for (const id of [world.fileSourceId, crypto.randomUUID(), "nowhere"]) {
      const answer = await world.post(`/api/webhooks/web/${id}`, { urls: [] }, "wrong");
      assertIs(answer, 404, { error: "Not found" });
    }
  },
  "a wrong or missing secret is 401, before the body is looked at": async (world) => {
    const path = `/api/webhooks/web/${world.webSourceId}`;
    const unauthorized = { error: "Unauthorized" };
    assertIs(await push(world, "{", "qryw_wrong"), 401, unauthorized);
    assertIs(await push(world, {}, world.token), 401, unauthorized);
    assertIs(
      await world.client.call({ method: "POST", path, json: { urls: [] } }),
      401,
      unauthorized,
    );
    assertIs(await world.as(world.admin, "POST", path, { urls: [] }), 401, unauthorized);
  },
  "a renewed secret ends the old one at once": async (world) => {
    const path = `/file-sources/${world.webSourceId}/webhook-secret`;
    const renewed = await world.panel("POST", path);
    const { webhookSecret } = renewed.body as { webhookSecret: string };
    assertIs(await push(world, { urls: [] }), 401, { error: "Unauthorized" });
    const nothing = { ok: true, accepted: 0, queued: false };
    assertIs(await push(world, { urls: [] }, webhookSecret), 200, nothing);
    world.webhookSecret = webhookSecret;
  },
});

const drive = section("POST /api/webhooks/drive", {
  "is 200 for an unknown channel, whatever is sent": async (world) => {
    const method = "POST";
    const path = "/api/webhooks/drive";
    for (const prefix of ["X-Drive-", "X-Goog-"]) {
      const headers = {
        [`${prefix}Channel-ID`]: "unknown",
        [`${prefix}Channel-Token`]: "wrong",
        [`${prefix}Resource-State`]: "change",
      };
      assertIs(await world.client.call({ method, path, headers }), 200, { ok: true });
    }
    assertIs(await world.client.call({ method, path }), 200, { ok: true });
    assertIs(await world.client.call({ method, path, body: "{ no json" }), 200, { ok: true });
  },
});

export const agentsAndWebhooks: Rule[] = [...agents, ...web, ...drive];
