import { env } from "cloudflare:workers";
import { beforeAll, expect, test, vi } from "vitest";

import { eventually } from "../../support/eventually.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { call, ORIGIN, signedIn, withToken } from "../../support/worker-client.ts";

let panel: Awaited<ReturnType<typeof signedIn>>;

beforeAll(async () => {
  panel = await signedIn();
  await panel.folderWithRag("Notes");
});

async function newToken(more: object = {}) {
  return await panel.create("/tokens", { name: "Reader", rags: ["notes"], ...more });
}

const lastUse = async (id: string) =>
  await env.DB.prepare("select last_used_at from tokens where id = ?")
    .bind(id)
    .first<number>("last_used_at");

test("a token ends at its time, and at its revocation at once", async () => {
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const { token } = await newToken({ expiresAt });
  expect((await withToken(token).get("/rags/notes")).status).toBe(200);
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(expiresAt) });
  expect(await withToken(token).get("/rags/notes")).toMatchObject({
    status: 401,
    body: { error: "Unauthorized" },
  });
  vi.useRealTimers();

  const revoked = await newToken();
  expect((await withToken(revoked.token).get("/rags")).status).toBe(200);
  await panel.send("DELETE", `/tokens/${revoked.id}`);
  expect((await withToken(revoked.token).get("/rags")).status).toBe(401);
});

test("a search with a token that was just used ends with it", async () => {
  const start = new Date("2026-03-01T12:00:00.000Z").getTime();
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  const search = { semanticSearch: ["heather"] };
  const statusOf = async (token: string) =>
    (await withToken(token).post("/rags/notes/retrieve", search)).status;

  const passing = await newToken({ expiresAt: new Date(start + 60_000).toISOString() });
  vi.setSystemTime(start + 59_999);
  expect(await statusOf(passing.token)).toBe(200);
  vi.setSystemTime(start + 60_000);
  expect(await statusOf(passing.token)).toBe(401);

  const revoked = await newToken();
  expect(await statusOf(revoked.token)).toBe(200);
  await panel.send("DELETE", `/tokens/${revoked.id}`);
  expect(await statusOf(revoked.token)).toBe(401);

  // As another isolate of the service revokes it.
  const elsewhere = await newToken();
  expect(await statusOf(elsewhere.token)).toBe(200);
  await env.DB.prepare("delete from tokens where id = ?").bind(elsewhere.id).run();
  vi.setSystemTime(Date.now() + 3_000);
  expect(await statusOf(elsewhere.token)).toBe(401);
});

test("its last use is noted, at most once a minute", async () => {
  const { id, token } = await newToken();
  const start = new Date("2026-03-01T12:00:00.000Z").getTime();
  const useAt = async (ms: number) => {
    vi.useFakeTimers({ toFake: ["Date"], now: start + ms });
    expect((await withToken(token).get("/rags/notes")).status).toBe(200);
    vi.useRealTimers();
  };
  const expectLastUse = async (ms: number) =>
    await eventually(async () => expect(await lastUse(id)).toBe(start + ms));
  await useAt(0);
  await expectLastUse(0);
  await useAt(59_999);
  await useAt(60_000);
  await expectLastUse(60_000);
});

test("* covers what is made later; a name covers nothing that takes its place", async () => {
  const all = await newToken({ rags: ["*"] });
  const narrowToken = await newToken();
  await panel.send("POST", "/rags", { name: "Later", fileSource: "notes" });
  expect((await withToken(all.token).get("/rags/later")).status).toBe(200);
  expect((await withToken(narrowToken.token).get("/rags/later")).status).toBe(403);

  await panel.send("POST", "/rags", { name: "Passing", fileSource: "notes" });
  const passing = await newToken({ rags: ["passing"] });
  expect((await withToken(passing.token).get("/rags/passing")).status).toBe(200);
  const search = { semanticSearch: ["heather"] };
  const retrieve = async () =>
    (await withToken(passing.token).post("/rags/passing/retrieve", search)).status;
  expect(await retrieve()).toBe(200);
  await panel.send("DELETE", "/rags/passing");
  expect((await withToken(passing.token).get("/rags/passing")).status).toBe(404);
  expect(await retrieve()).toBe(404);
  await panel.send("POST", "/rags", { name: "Passing", fileSource: "notes" });
  expect((await withToken(passing.token).get("/rags/passing")).status).toBe(403);
  expect(await retrieve()).toBe(403);
  expect((await withToken(passing.token).get("/rags")).body).toEqual([]);
});

test("of an inference a token opens what is linked, and nothing beside it leaks", async () => {
  await panel.folderWithRag("Secrets");
  await panel.put("/file-sources/notes/files/open.md", "# Open\n\nThe heather flowers.");
  await panel.put("/file-sources/secrets/files/closed.md", "# Closed\n\nThe heather is secret.");
  const asking = { systemPrompt: "Answer.", model: "embedded/extractive" };
  await panel.send("POST", "/inferences", { name: "Ask", ...asking, rags: ["notes"] });
  await panel.send("POST", "/inferences", { name: "Hidden", ...asking, rags: ["secrets"] });
  await panel.send("POST", "/agents", { name: "Agent", ...asking, rags: ["notes"] });
  const { token } = await newToken({ rags: [], inferences: ["ask"], agents: ["agent"] });
  const api = withToken(token);
  await queuesSettled();

  const search = { semanticSearch: ["secret heather"], topK: 100, includeSources: true };
  const answers = [
    await api.get("/rags"),
    await api.get("/inferences"),
    await api.get("/inferences/ask/files?page=1&limit=100"),
    await api.post("/inferences/ask/retrieve", search),
    await api.post("/inferences/ask", { prompt: "What is secret?", ...search }),
    await api.post("/agents/agent/invoke", { prompt: "Which heather is secret?" }),
    await api.get("/agents/agent"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200]);
  const texts = answers.map(({ body }) => JSON.stringify(body)).join("\n");
  expect(texts).toContain("open.md");
  expect(texts).not.toMatch(/closed\.md|is secret\.|Secrets|Hidden/);
  expect((await api.get("/rags/notes")).status).toBe(403);
  expect((await api.get("/inferences/hidden/files?page=1")).status).toBe(403);
});

test("scopes are changed by whoever reads for nobody, and tell readers nothing", async () => {
  const closedSource = { name: "Closed", provider: "file_system", permissions: "on" };
  await panel.send("POST", "/file-sources", closedSource);
  await panel.put("/file-sources/closed/files/ann.md", "A note.");
  await panel.send("POST", "/rags", { name: "Zoned", fileSource: "closed", scopeMode: "scoped" });
  const manager = async (reader: string | null) => {
    const { token } = await panel.create("/tokens", { name: "Manages", rags: ["zoned"], reader });
    return { Authorization: `Bearer ${token}` };
  };
  const ann = "ann@example.com";
  const as = { "Quarry-Reader": ann };
  const [none, each, forAnn] = [await manager(null), await manager("named"), await manager(ann)];
  const administrator = { Cookie: panel.cookie, Origin: ORIGIN };
  const change = async (method: string, headers: Record<string, string>, value: string) => {
    const init = { headers, body: JSON.stringify({ type: "path", value }) };
    const answer = await call(method, "/api/rags/zoned/scopes", init);
    return [answer.status, answer.headers.get("X-Scope-Files")];
  };
  const readRag = async (headers: Record<string, string>) =>
    (await call("GET", "/api/rags/zoned", { headers })).body;
  const all = [{ type: "path", value: "ann.md" }];
  expect(await change("POST", administrator, "ann.md")).toEqual([200, "1"]);
  // The answer is equal whether or not there is such a scope.
  for (const headers of [forAnn, { ...each, ...as }, { ...administrator, ...as }]) {
    for (const method of ["POST", "DELETE"])
      for (const value of ["ann.md", "absent.md"])
        expect(await change(method, headers, value)).toEqual([403, null]);
    expect(await readRag(headers)).toMatchObject({ fileSourceScopes: [] });
  }
  for (const headers of [none, each]) {
    expect(await readRag(headers)).toMatchObject({ fileSourceScopes: all });
    expect(await change("POST", headers, "ann.md")).toEqual([409, null]);
    expect(await change("POST", headers, "absent.md")).toEqual([200, null]);
    expect(await change("DELETE", headers, "absent.md")).toEqual([200, null]);
  }
});
