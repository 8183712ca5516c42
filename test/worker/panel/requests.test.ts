import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeAll, expect, test, vi } from "vitest";

import type { CallRecord } from "../../../src/core/calls/call-record.ts";
import { DAY_MS } from "../../../src/core/time.ts";
import { call, ORIGIN, signedIn, outcomeOf } from "../../support/worker-client.ts";
import { addRag, ASKING, program } from "../protocols/world.ts";

type Entry = Record<string, unknown> & { path: string; status: number };

const SECRET_WORD = "xylophone";
const panel = await signedIn();
let token: { id: string; token: string };

const requests = async (query = "") => {
  const { status, body } = await panel.send("GET", `/requests${query}`);
  expect(status).toBe(200);
  return body as { data: Entry[]; total: number };
};
const lines = async (query = "") =>
  (await requests(`?limit=100${query}`)).data.map(({ path, status }) => `${status} ${path}`);

beforeAll(async () => {
  await addRag(panel, "notes", { "leave.md": `# Leave\n\nThe ${SECRET_WORD} has thirty days.` });
  await panel.send("POST", "/inferences", { name: "Ask", ...ASKING, rags: ["notes"] });
  token = await panel.create("/tokens", { name: "Shop", rags: ["*"], inferences: ["*"] });
});

test("every door's calls are listed at once, without queries, texts and credentials", async () => {
  const shop = program(token.token);
  const search = { semanticSearch: [SECRET_WORD], providerFilter: [{ fieldId: SECRET_WORD }] };
  await shop.post("/api/rags/notes/retrieve", { semanticSearch: [SECRET_WORD] });
  await shop.post("/api/rags/notes/retrieve", { semanticSearch: SECRET_WORD, topK: SECRET_WORD });
  await shop.post("/api/rags/notes/retrieve", search);
  const run = { prompt: `Where is the ${SECRET_WORD}?`, semanticSearch: [SECRET_WORD] };
  await shop.post("/api/inferences/ask", run, { "X-Request-Id": `mine/${token.token}` });
  const headers = { Authorization: `Bearer ${token.token}`, Accept: "text/event-stream" };
  const init = { method: "POST", headers, body: JSON.stringify(run) };
  await (await exports.default.fetch(`${ORIGIN}/api/inferences/ask`, init)).text();
  await shop.get(`/v1/files/a%2F${token.token}?q=${SECRET_WORD}`);
  const messages = [{ role: "user", content: SECRET_WORD }];
  await shop.post("/v1/chat/completions", { model: SECRET_WORD.slice(1), messages });
  await shop.post("/dify/retrieval", { knowledge_id: "none", query: SECRET_WORD });
  const params = { name: "search", arguments: { query: SECRET_WORD, rag: "none" } };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const revision = { "MCP-Protocol-Version": "2025-06-18" };
  await shop.post("/mcp", message, { Accept: "application/json, text/event-stream", ...revision });
  await call("GET", "/api/rags");
  await call("GET", "/health");
  await call("GET", "/api/openapi.json");

  expect(await lines()).toEqual([
    "401 /api/rags",
    "200 /mcp",
    "404 /dify/retrieval",
    "404 /v1/chat/completions",
    "404 /v1/files/a%2Fqry_…",
    "200 /api/inferences/ask",
    "200 /api/inferences/ask",
    "400 /api/rags/notes/retrieve",
    "400 /api/rags/notes/retrieve",
    "200 /api/rags/notes/retrieve",
  ]);
  const { data } = await requests("?limit=100");
  expect(JSON.stringify(data)).not.toContain(SECRET_WORD);
  expect(JSON.stringify(data)).not.toContain(token.token.slice(4));
  const entryFor = (status: number, path: string) =>
    data.find((entry) => entry.status === status && entry.path === path);
  const own = { token: { id: token.id, name: "Shop" } };
  expect(entryFor(401, "/api/rags")).toMatchObject({ token: null, error: "Unauthorized" });
  expect(entryFor(404, "/dify/retrieval")).toMatchObject({ ...own, error: "Not found" });
  expect(entryFor(200, "/mcp")?.["error"]).toMatch(/^Not found: there is no RAG/);
  expect(entryFor(400, "/api/rags/notes/retrieve")?.["error"]).toMatch(/providerFilter/);
  for (const entry of data.filter(({ path }) => path === "/api/inferences/ask")) {
    const { inputTokens, legs } = entry as unknown as CallRecord;
    expect(entry).toMatchObject({ ...own, models: expect.arrayContaining([ASKING.model]) });
    expect(inputTokens).toBeGreaterThan(0);
    expect(Object.keys(legs)).toEqual(expect.arrayContaining(["searchMs", "modelMs", "totalMs"]));
  }
  expect(data[6]?.["requestId"]).toBe("mine/qry_…");
});

test("filters narrow the list; a token's is its own; only administrators see it", async () => {
  expect(await lines("&status=401")).toEqual(["401 /api/rags"]);
  expect(await lines("&status=4xx&path=dify")).toEqual(["404 /dify/retrieval"]);
  expect(await lines("&degraded=true")).toEqual([]);
  expect((await requests("?degraded=false&limit=1")).total).toBe(10);
  expect(await lines(`&token=${token.id}&path=rags`)).toHaveLength(3);
  expect(await lines("&token=none")).toEqual([]);
  expect(outcomeOf(await panel.send("GET", "/requests?status=4x"))).toMatch(
    /^400 .*status must be/,
  );
  const { key } = await panel.create("/keys", { name: "Member", role: "member" });
  expect(outcomeOf(await program(key ?? "").get("/panel/api/requests"))).toBe("403 Forbidden");
  const member = { email: "bob@example.com", password: "a long password of bob" };
  await panel.create("/users", { ...member, role: "member" });
  const { cookie } = await signedIn(member);
  const { data } = await requests("?limit=1");
  const pages = [
    "/panel/settings/requests",
    `/panel/settings/requests/${String(data[0]?.["id"])}`,
    `/panel/tokens/${token.id}`,
  ];
  for (const page of pages) {
    const answers = [panel.cookie, cookie].map((Cookie) =>
      call("GET", page, { headers: { Cookie } }),
    );
    const [ours, theirs] = await Promise.all(answers);
    expect([page, ours?.status, theirs?.status]).toEqual([page, 200, 403]);
    expect(ours?.body).toContain("/api/rags");
  }
});

const records = env.REQUEST_RECORDS.getByName("test");
const record = (time: number, more: Partial<CallRecord> = {}): CallRecord => ({
  id: `call-${time}`,
  time,
  surface: "api",
  method: "GET",
  path: "/api/rags",
  status: 200,
  durationMs: 10,
  requestId: "r",
  token: null,
  reader: null,
  degraded: [],
  error: null,
  models: [],
  inputTokens: 0,
  outputTokens: 0,
  cost: null,
  legs: {},
  ...more,
});
/** The size of each stored ring. */
const rings = async () =>
  await runInDurableObject(records, (_, { storage }) =>
    Object.fromEntries(
      Array.from(storage.kv.list<CallRecord[]>({ prefix: "ring " }), ([ring, calls]) => [
        ring.slice("ring ".length),
        calls.length,
      ]),
    ),
  );
const CALLS = 'quarry_calls_total{surface="api",status="200"}';

test("rings hold 1,000 calls of all and 100 of each token, and survive an eviction", async () => {
  const now = Date.now();
  const calls = Array.from({ length: 6_000 }, (_, at) => {
    const id = at < 20 ? "quiet" : `busy-${at % 2}`;
    return record(now - 10_000 + at, { token: { id, name: id } });
  });
  for (let from = 0; from < calls.length; from += 60) {
    await records.add(calls.slice(from, from + 60));
  }
  // A streamed call tells its end later, and stays one.
  const [last = record(now)] = calls.slice(-1);
  await records.add([{ ...last, outputTokens: 7, degraded: ["late"], isFirst: false }]);
  const counters = { [CALLS]: 6_000, quarry_degraded_total: 1 };
  expect(await records.counters()).toMatchObject(counters);
  await evictDurableObject(records);
  expect(await records.counters()).toMatchObject(counters);
  const entries = await records.list(null);
  expect([entries.length, entries[0]?.outputTokens, entries[0]?.time]).toEqual([
    1_000,
    7,
    now - 4_001,
  ]);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(1_000);
  expect(await records.list("busy-0")).toHaveLength(100);
  expect(await records.list("quiet")).toHaveLength(20);
  expect(await rings()).toEqual({ "": 1_000, "busy-0": 100, "busy-1": 100, quiet: 20 });
});

test("strangers push no call of a program out of the list", async () => {
  const own = env.REQUEST_RECORDS.getByName("strangers");
  const now = Date.now();
  await own.add([record(now, { token: { id: "shop", name: "Shop" } })]);
  const foreign = { path: "/oauth/x", status: 404 };
  await own.add(Array.from({ length: 1_200 }, (_, at) => record(now + 1 + at, foreign)));
  const entries = await own.list(null);
  expect([entries.length, entries.at(-1)?.token?.id]).toEqual([501, "shop"]);
});

test("after seven days calls are neither listed nor stored", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7 * DAY_MS + 60_000 });
  try {
    await records.add([record(Date.now(), { token: { id: "quiet", name: "" } })]);
    expect(await records.list(null)).toHaveLength(1);
    expect(await records.list("quiet")).toHaveLength(1);
    await runDurableObjectAlarm(records);
    expect(await rings()).toEqual({ "": 1, quiet: 1 });
  } finally {
    vi.useRealTimers();
  }
});

test("of calls with the longest texts there are as many as a stored value takes", async () => {
  const long = "→".repeat(200);
  const text = { path: long, requestId: long, reader: long, error: long };
  const texts = { degraded: Array.from({ length: 4 }, () => long), models: [long, long, long] };
  const now = Date.now();
  const all = { ...text, ...texts };
  const own = env.REQUEST_RECORDS.getByName("long");
  await own.add(Array.from({ length: 1_000 }, (_, at) => record(now + at, all)));
  expect(await own.counters()).toMatchObject({ [CALLS]: 1_000 });
  const entries = await own.list(null);
  expect(entries.length).toBeGreaterThanOrEqual(300);
  expect(entries[0]?.id).toBe(`call-${now + 999}`);
});
