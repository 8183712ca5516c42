import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";

import { composeServices } from "../../../src/compose.ts";
import { queueUnclaimedFiles, sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { Browser } from "../../support/browser-without-script.ts";
import { eventually } from "../../support/eventually.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { rowsOf } from "../../support/statements.ts";
import { freshAddress, ORIGIN, signedIn, outcomeOf } from "../../support/worker-client.ts";

type Limit = {
  id: string;
  amount: number;
  used: number;
  reserved: number;
  refusedCost: number;
  resetsAt: string;
  unpriced: string[];
};

let panel: Awaited<ReturnType<typeof signedIn>>;
let token: { id: string; token: string };

beforeAll(async () => {
  panel = await signedIn();
  await panel.folderWithRag("Notes");
  await panel.put("/file-sources/notes/files/leave.md", "# Leave\n\nThirty days a year.");
  await queuesSettled();
  const asking = { systemPrompt: "Answer.", model: "embedded/extractive", rags: ["notes"] };
  await panel.create("/inferences", { name: "Ask", ...asking });
  await panel.create("/agents", { name: "Helper", ...asking });
  const covers = { rags: ["*"], inferences: ["*"], agents: ["*"] };
  token = await panel.create("/tokens", { name: "Program", ...covers });
});

beforeEach(async () => {
  // After midnight nothing is spent of a day's limit.
  vi.useFakeTimers({ toFake: ["Date"] });
  for (const { id } of await limits()) await panel.send("DELETE", `/limits/${id}`);
});

const limits = async () => ((await panel.send("GET", "/limits")).body as { data: Limit[] }).data;
const SERVICE = { subject: { kind: "service" }, period: "day" };
const createLimit = async (limit: object) =>
  await panel.create<Limit>("/limits", { ...SERVICE, ...limit });

/** Not held against the published specification, which no limit changes. */
async function post(path: string, body: unknown, more: Record<string, string> = {}) {
  const headers = {
    "X-Forwarded-For": freshAddress(),
    Authorization: `Bearer ${token.token}`,
    ...more,
  };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await exports.default.fetch(new Request(`${ORIGIN}${path}`, init));
  const text = await response.text();
  return { status: response.status, text, headers: response.headers };
}

const question = { prompt: "How much leave?", semanticSearch: ["leave"] };
const chat = { model: "ask", messages: [{ role: "user", content: "How much leave?" }] };
const search = { semanticSearch: ["leave"] };

const mcp = async (name: string, args: object) =>
  await post(
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
    { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18" },
  );

test("a limit is made, shown with what is spent, changed and removed", async () => {
  const { id, ...fields } = await createLimit({
    subject: { kind: "inference", id: "ask" },
    amount: 2,
    unit: "calls",
  });
  const subject = { kind: "inference", identifier: "ask", name: "Ask" };
  const terms = { amount: 2, unit: "calls", period: "day", used: 0, reserved: 0, unpriced: [] };
  expect(fields).toMatchObject({ subject, ...terms });
  expect((await post("/api/inferences/ask", question)).status).toBe(200);
  await eventually(async () => expect((await limits())[0]?.used).toBe(1));
  const patched = await panel.send("PATCH", `/limits/${id}`, { amount: 1 });
  expect(patched.body).toMatchObject({ amount: 1, used: 1 });
  expect((await post("/api/inferences/ask", question)).status).toBe(402);
  expect((await post("/api/agents/helper/invoke", question)).status).toBe(200);
  expect(outcomeOf(await panel.send("DELETE", `/limits/${id}`))).toBe("204 ");
  expect((await post("/api/inferences/ask", question)).status).toBe(200);
});

test("a limit into which no single call fits says what a call could cost", async () => {
  const browser = new Browser();
  await browser.signIn();
  const pageText = async () => {
    await browser.open("/panel/settings/limits");
    return browser.text;
  };
  await createLimit({ subject: { kind: "inference", id: "ask" }, amount: 9, unit: "modelTokens" });
  expect((await limits())[0]).toMatchObject({ used: 0, refusedCost: 0 });
  expect((await post("/api/inferences/ask", question)).status).toBe(402);
  const { id, refusedCost = 0 } = (await limits())[0] ?? {};
  expect(refusedCost).toBeGreaterThan(9);
  const says = /A call of up to \S+ tokens did not fit/;
  expect(await pageText()).toMatch(says);
  await panel.send("PATCH", `/limits/${id}`, { amount: refusedCost });
  expect(await pageText()).not.toMatch(says);
});

const CALLS = { ...SERVICE, amount: 1, unit: "calls" };
test.each([
  [{ ...CALLS, subject: { kind: "service", id: "x" } }, "subject.id must be left out"],
  [{ ...CALLS, subject: { kind: "token" } }, "subject.id is required"],
  [{ ...CALLS, subject: { kind: "agent", id: "ask" } }, "subject.id: there is no agent ask"],
  [{ ...CALLS, subject: { kind: "person", id: "Ann" } }, "subject.id: there is no person Ann"],
  [{ ...CALLS, amount: -1 }, "amount must be at least 0"],
  [{ ...CALLS, amount: 1e300 }, "amount must be"],
  [{ ...CALLS, period: "week" }, "period must be one of day, month"],
])("refused: %o", async (limit, problem) => {
  const refusal = await panel.send("POST", "/limits", limit);
  expect(outcomeOf(refusal)).toContain(`400 Invalid request: ${problem}`);
});

test("there is one limit of a subject, unit and period: it gets the amount", async () => {
  const { id } = await createLimit({ amount: 1, unit: "usd" });
  expect(await createLimit({ amount: 2.5, unit: "usd" })).toMatchObject({ id, amount: 2.5 });
  await createLimit({ amount: 1, unit: "usd", period: "month" });
  expect((await limits()).map(({ amount }) => amount)).toEqual([2.5, 1]);
});

test("models without a price in dollars are named, those of others' money as well", async () => {
  const use = "update inferences set model = ? where identifier = 'ask' returning 1";
  const price = { model: "openai/x", kind: "chat", inputPrice: 1, outputPrice: 1 };
  const unpriced = async (kind: string, id?: string) => {
    const { unpriced: models } = await createLimit({
      subject: { kind, id },
      amount: 1,
      unit: "usd",
    });
    return models;
  };
  await rowsOf(use, "openai/x");
  await rowsOf("update file_sources set image_model = ? returning 1", "openai/sees");
  await panel.send("PUT", "/models", [{ ...price, currency: "EUR" }]);
  expect(await unpriced("service")).toEqual(["openai/sees", "openai/x"]);
  const priced = { ...price, currency: "USD" };
  await panel.send("PUT", "/models", [priced, { ...priced, model: "openai/sees" }]);
  expect(await unpriced("inference", "ask")).toEqual([]);
  await rowsOf(use, "embedded/extractive");
  await rowsOf("update file_sources set image_model = null returning 1");
});

test("each door says in its own form that the limit of a token is reached", async () => {
  const subject = { kind: "token", id: token.id };
  const { resetsAt } = await createLimit({ subject, amount: 0, unit: "calls" });
  const untilReset = (Date.parse(resetsAt) - Date.now()) / 1_000;
  for (const more of [{}, { Accept: "text/event-stream" }]) {
    for (const path of ["/api/inferences/ask", "/api/agents/helper/invoke"]) {
      const { status, text, headers } = await post(path, question, more);
      expect([status, JSON.parse(text)]).toEqual([402, { error: "Spending limit reached" }]);
      expect(Math.abs(Number(headers.get("Retry-After")) - untilReset)).toBeLessThan(60);
    }
  }
  for (const [path, body] of [
    ["/v1/chat/completions", chat],
    ["/v1/chat/completions", { ...chat, stream: true }],
    ["/v1/responses", { model: "ask", input: "How much leave?" }],
  ] as const) {
    const { status, text, headers } = await post(path, body);
    const error = { type: "insufficient_quota", code: "insufficient_quota", param: null };
    expect([status, JSON.parse(text)]).toMatchObject([429, { error }]);
    expect(headers.get("X-Should-Retry")).toBe("false");
    expect(headers.has("Retry-After")).toBe(true);
  }
  const tool = await mcp("ask_ask", { prompt: "How much leave?" });
  expect(JSON.parse(tool.text)).toMatchObject({
    result: { isError: true, content: [{ text: "Spending limit reached" }] },
  });
  // A retrieval is no call, and somebody else is not bound.
  const { status, text } = await post("/api/rags/notes/retrieve", search);
  expect([status, text.includes("degraded")]).toEqual([200, false]);
  const own = { Authorization: "", Cookie: panel.cookie, Origin: ORIGIN };
  expect((await post("/api/inferences/ask", question, own)).status).toBe(200);
});

test("a person's limit binds the person's session and token, whomever a call names", async () => {
  const subject = { kind: "person", id: "Admin@Localhost" };
  await createLimit({ subject, amount: 0, unit: "calls" });
  const own = { Authorization: "", Cookie: panel.cookie, Origin: ORIGIN };
  expect((await post("/api/inferences/ask", question, own)).status).toBe(402);
  expect((await post("/api/inferences/ask", question)).status).toBe(200);
  const settings = { name: "One", inferences: ["*"], rags: ["*"], reader: "admin@localhost" };
  const newToken = await panel.create<{ token: string }>("/tokens", settings);
  const Authorization = `Bearer ${newToken.token}`;
  const groupHeaders = { Authorization, "Quarry-Groups": "staff" };
  expect((await post("/api/inferences/ask", question, { Authorization })).status).toBe(402);
  expect((await post("/api/inferences/ask", question, groupHeaders)).status).toBe(403);
  const texts = { model: "embedded/hash", input: "leave" };
  await createLimit({ subject, amount: 0, unit: "modelTokens" });
  expect((await post("/v1/embeddings", texts, groupHeaders)).status).toBe(429);
});

test("retrieval fails at no door: what would cost is left out", async () => {
  await createLimit({ amount: 0, unit: "modelTokens" });
  const dify = { knowledge_id: "notes", query: "leave", retrieval_setting: { top_k: 3 } };
  for (const [path, body] of [
    ["/api/rags/notes/retrieve", search],
    ["/api/inferences/ask/retrieve", search],
    ["/v1/vector_stores/notes/search", { query: "leave" }],
    ["/dify/retrieval", dify],
  ] as const) {
    const { status, text } = await post(path, body);
    expect([path, status]).toEqual([path, 200]);
    expect(text).toContain("Thirty days");
    if (path.startsWith("/api/")) {
      expect(JSON.parse(text)).toMatchObject({ degraded: { occurred: true } });
    }
  }
  const tool = await mcp("search", { query: "leave" });
  expect(tool.text).toContain("Thirty days");
  const texts = { model: "embedded/hash", input: "leave" };
  expect((await post("/v1/embeddings", texts)).status).toBe(429);
});

test("files wait for a limit of the service, and go on once it is raised", async () => {
  vi.useRealTimers();
  const { id } = await createLimit({ amount: 0, unit: "modelTokens" });
  await panel.put("/file-sources/notes/files/moor.md", "# Moor\n\nHeather flowers in August.");
  const file = async () =>
    (
      await rowsOf<{ status: string; reason: string; attempts: number; due: number }>(
        `select x.status, x.error_message reason, x.attempts, x.claimed_until due
         from rag_files x where x.path = 'moor.md'`,
      )
    )[0];
  await eventually(async () => {
    const { status, reason = "", attempts } = (await file()) ?? {};
    expect({ status, attempts }).toEqual({ status: "pending", attempts: 0 });
    expect(reason).toContain("Spending limit reached: waits until");
  });
  const { waiting } = (await panel.send("GET", "/rags/notes")).body as { waiting: object[] };
  const reason = expect.stringMatching(/^Spending limit reached: .*T00:00:00.000Z or until it is/);
  expect(waiting).toEqual([{ reason, files: 1 }]);
  const services = () => composeServices(env, createExecutionContext());
  await queueUnclaimedFiles(services());
  expect((await file())?.reason).toContain("Spending limit reached");
  await panel.send("PATCH", `/limits/${id}`, { amount: 10_000 });
  await eventually(async () => expect((await file())?.due).toBeLessThan(Date.now() + 5_000));
  // A worker that was refused before the change says so after it.
  const untilTomorrow = Date.now() + 86_400_000;
  await rowsOf(
    "update rag_files set claimed_until = ? where path = 'moor.md' returning 1",
    untilTomorrow,
  );
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5_000 });
  await sweep(services());
  vi.useRealTimers();
  await queuesSettled();
  expect((await file())?.status).toBe("indexed");
  expect((await limits())[0]?.used).toBeGreaterThan(0);
});

test("where the ledger cannot be reached, a limited call is refused", async () => {
  await createLimit({ amount: 100, unit: "calls" });
  const namespace = { getByName: () => ({ reserve: () => Promise.reject(new Error("gone")) }) };
  const SPENDING_LEDGER = namespace as unknown as typeof env.SPENDING_LEDGER;
  const context = createExecutionContext();
  const { spending } = composeServices({ ...env, SPENDING_LEDGER }, context);
  const call = {
    kind: "chat" as const,
    model: "local/chat",
    maxTokens: () => ({ input: 1, output: 1 }),
  };
  const message = "Spending limits unavailable";
  await expect(spending.reserve(call, true)).rejects.toMatchObject({
    message,
    kind: "limits-unavailable",
  });
});
