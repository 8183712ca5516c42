import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { recordEvent } from "../../../src/access/audit/record-event.ts";
import { composeServices } from "../../../src/compose.ts";
import { jsonLog } from "../../../src/core/log.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { Browser } from "../../support/browser-without-script.ts";
import { eventually } from "../../support/eventually.ts";
import { call, signedIn, withToken } from "../../support/worker-client.ts";

type Event = {
  actor: { kind: string; id: string | null; name: string | null };
  action: string;
  target: string | null;
  fields: string[];
  changes: { field: string; from?: unknown; to?: unknown }[];
  status: number;
  address: string;
  requestId: string;
};

const trail = async (query = "") => {
  const { status, body } = await admin.send("GET", `/audit${query}`);
  expect(status).toBe(200);
  return body as { data: Event[]; total: number; page: number; limit: number };
};
const latest = async () => (await trail("?limit=1")).data[0];
/** Who did what to what, and the answer. */
const latestLine = async () => {
  const { actor, action, target, status } = (await latest()) ?? {};
  return `${actor?.kind} ${actor?.name}: ${action} ${target}, ${status}`;
};

const admin = await signedIn();

test("a change is kept with its actor, address, request and fields, without secrets", async () => {
  const response = await call("POST", "/panel/api/file-sources", {
    headers: {
      Authorization: `Bearer ${await newKey()}`,
      "X-Request-Id": "trail-1",
      "X-Forwarded-For": "192.0.2.11",
    },
    body: JSON.stringify({
      name: "Bucket",
      provider: "object_storage",
      config: {
        endpoint: "https://s3.example.com",
        region: "x",
        bucket: "b",
        credentials: { accessKeyId: "AKIDVALUE", secretAccessKey: "SECRETVALUE" },
      },
    }),
  });
  expect(response.status).toBe(201);
  const changes = [
    { field: "name", to: "Bucket" },
    { field: "provider", to: "object_storage" },
    { field: "config.endpoint", to: "https://s3.example.com" },
    { field: "config.region", to: "x" },
    { field: "config.bucket", to: "b" },
    { field: "config.credentials.accessKeyId" },
    { field: "config.credentials.secretAccessKey" },
  ];
  expect(await latest()).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/Z$/),
    actor: { kind: "key", id: expect.any(String), name: "Trail" },
    action: "file-sources.create",
    target: (response.body as { id: string }).id,
    fields: changes.map(({ field }) => field),
    changes,
    status: 201,
    address: "192.0.2.11",
    requestId: "trail-1",
    count: 1,
  });
  const { results } = await env.DB.prepare("select * from audit_events").all();
  expect(JSON.stringify(results)).not.toMatch(/SECRETVALUE|AKIDVALUE|"quarry"/);
});

test("a changed secret of a source is told without its value, a kept one not at all", async () => {
  const place = { tenantId: "t", clientId: "c", siteId: "s" };
  const config = { ...place, clientSecret: "OLDSECRET" };
  const source = { name: "Sites", provider: "document_site", config };
  expect((await admin.send("POST", "/file-sources", source)).status).toBe(201);
  const patch = async (changed: object) =>
    await admin.send("PATCH", "/file-sources/sites", { config: changed });
  expect((await patch({ ...config, clientSecret: "NEWSECRET" })).status).toBe(200);
  expect(await latest()).toMatchObject({ changes: [{ field: "config.clientSecret" }] });
  expect((await patch({ ...place, siteId: "s2" })).status).toBe(200);
  expect(await latest()).toMatchObject({
    changes: [{ field: "config.siteId", from: "s", to: "s2" }],
  });
  const { results } = await env.DB.prepare("select * from audit_events").all();
  expect(JSON.stringify(results)).not.toMatch(/OLDSECRET|NEWSECRET/);
});

test("a change that was refused as one try too many leaves no entry of success", async () => {
  await admin.send("POST", "/users", {
    email: "slow@example.com",
    password: "a moor in May 1",
    role: "admin",
  });
  const slow = await signedIn({ email: "slow@example.com", password: "a moor in May 1" });
  const body = { currentPassword: "wrong", newPassword: "another moor in May 2" };
  let status = 0;
  for (let tries = 0; tries < 30 && status !== 429; tries++) {
    ({ status } = await slow.send("PATCH", "/session/password", body));
  }
  expect(status).toBe(429);
  const { data } = await trail("?action=session.password.change");
  expect(data.filter((event) => event.status < 400)).toEqual([]);
});

test("files that one caller puts into a source are one event with a count", async () => {
  await admin.send("POST", "/file-sources", { name: "Pushed", provider: "file_system" });
  const key = await newKey();
  const pushFile = async (path: string) =>
    await call("PUT", `/panel/api/file-sources/pushed/files/${path}`, {
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "text/plain" },
      body: `The text of ${path}.`,
    });
  for (const path of ["a.txt", "b.txt", "c.txt"]) expect((await pushFile(path)).status).toBe(201);
  await eventually(async () => {
    const { data } = await trail("?action=file-sources.files.put");
    const own = data.filter(({ target }) => target === "pushed");
    expect(own).toMatchObject([{ status: 201, count: 3 }]);
  });
});

async function newKey() {
  const { key } = await admin.create("/keys", { name: "Trail", role: "admin" });
  return key;
}

test("refused changes and sign-ins are kept too, reading is not", async () => {
  await admin.send("DELETE", "/rags/nowhere");
  expect(await latestLine()).toBe("user admin@localhost: rags.remove nowhere, 404");
  expect(await latest()).toMatchObject({ fields: [] });
  const signIn = async (email: string, password: string) =>
    await call("POST", "/panel/api/session", { body: JSON.stringify({ email, password }) });
  await signIn("Admin@localhost", "wrong");
  expect(await latestLine()).toBe("none null: session.sign-in admin@localhost, 401");
  expect(await latest()).toMatchObject({ actor: { id: null } });
  // A password that was typed into the wrong field is not kept.
  await signIn("hunter2 of mine", "wrong");
  expect(await latestLine()).toMatch(/ unknown, 401$/);
  await signIn("admin@localhost", "quarry");
  expect(await latestLine()).toMatch(/^user admin@localhost: session\.sign-in .*, 200$/);
  await call("POST", "/panel/api/tokens", { body: "{}" });
  expect(await latestLine()).toMatch(/^none null: tokens\.create .*, 401$/);
  const { total } = await trail();
  await admin.send("GET", "/rags");
  expect((await trail()).total).toBe(total);
});

test("scope changes by a token and wrong webhook secrets are kept", async () => {
  const { id } = await admin.create("/file-sources", { name: "Site", provider: "web" });
  await admin.send("POST", "/rags", { name: "Trail", fileSource: "site", scopeMode: "scoped" });
  const token = await admin.create("/tokens", { name: "Widens", rags: ["trail"] });
  const scope = { type: "path", value: "https://example.com/docs/" };
  expect((await withToken(token.token).post("/rags/trail/scopes", scope)).status).toBe(200);
  expect(await latest()).toMatchObject({
    actor: { kind: "token", id: token.id, name: "Widens" },
    action: "rags.scopes.create",
    target: "trail",
    changes: [
      { field: "type", to: "path" },
      { field: "value", to: scope.value },
    ],
    status: 200,
  });
  await call("POST", `/api/webhooks/web/${id}`, { body: JSON.stringify({ urls: [] }) });
  expect(await latestLine()).toBe(`none null: webhooks.push ${id}, 401`);
});

test("the trail is paged, filtered and exported, for administrators only", async () => {
  const page = await trail("?page=2&limit=2");
  expect([page.page, page.limit, page.data.length]).toEqual([2, 2, 2]);
  const created = await trail("?action=tokens.create");
  expect(created.total).toBe(2);
  const actor = created.data.find((event) => event.actor.id !== null)?.actor.id ?? "";
  const mine = await trail(`?actor=${actor}&limit=100`);
  expect(mine.data.every((event) => event.actor.id === actor)).toBe(true);
  expect((await trail("?from=2100-01-01")).total).toBe(0);
  expect((await trail("?to=2020-01-01")).total).toBe(0);
  expect((await admin.send("GET", "/audit?from=soon")).status).toBe(400);

  const { total } = await trail();
  const exported = await admin.send("GET", "/audit?format=jsonl");
  expect(exported.headers.get("Content-Type")).toBe("application/x-ndjson");
  const lines = String(exported.body).trimEnd().split("\n");
  expect(lines).toHaveLength(total);
  expect(JSON.parse(lines[0] ?? "")).toEqual((await trail("?limit=1")).data[0]);

  const { key } = await admin.create("/keys", { name: "Reads", role: "member" });
  const headers = { Authorization: `Bearer ${key}` };
  expect((await call("GET", "/panel/api/audit", { headers })).status).toBe(403);
});

test("a change and its entry are written together or not at all", async () => {
  const lines: string[] = [];
  const log = jsonLog((level, line) => lines.push(`${level} ${line}`));
  await env.DB.prepare("alter table audit_events rename to hidden").run();
  try {
    expect((await admin.send("POST", "/tokens", { name: "Lost" })).status).toBe(500);
    const actor = { kind: "user", id: "u", name: null } as const;
    const event = { action: "rags.read", target: "t", status: 200 } as const;
    await recordEvent(
      { db: openDatabase(env.DB), log, now: () => 1 },
      { ...event, actor, requestId: "r-1" },
    );
  } finally {
    await env.DB.prepare("alter table hidden rename to audit_events").run();
  }
  expect(lines.join()).toMatch(/^error .*audit event not stored.*r-1/);
  expect(JSON.stringify((await admin.send("GET", "/tokens")).body)).not.toContain("Lost");
});

test("an entry says what changed, old and new, and nothing else", async () => {
  await admin.send("POST", "/file-sources", { name: "Diff", provider: "file_system" });
  await admin.send("POST", "/rags", { name: "Diff", fileSource: "diff" });
  const changesOf = async (query: string) => (await trail(`?limit=1${query}`)).data[0]?.changes;
  const model = "embedded/extractive";
  const body = { name: "Diff", systemPrompt: "Old.", model, rags: ["diff"] };
  await admin.send("POST", "/inferences", body);
  const browser = new Browser();
  await browser.signIn();
  const form = { name: "Diff", model, rags: "diff", nativeRag: "on", conversation: "rewrite" };
  const prompt = { ...form, planning: "off", systemPrompt: "A rule. ".repeat(30) };
  expect((await browser.post("/panel/inferences/diff/settings", prompt)).status).toBe(303);
  expect(await changesOf("&action=inferences.change")).toEqual([{ field: "systemPrompt" }]);
  await admin.send("PATCH", "/inferences/diff", { ...body, temperature: 0.5, name: "Different" });
  expect(await changesOf("&action=inferences.change")).toEqual([
    { field: "name", from: "Diff", to: "Different" },
    { field: "systemPrompt" },
    { field: "temperature", to: 0.5 },
  ]);
  await admin.send("PATCH", "/rags/diff", { chunkSize: 400, searchMode: "semantic" });
  expect(await changesOf("&action=rags.change")).toEqual([
    { field: "searchMode", from: "hybrid", to: "semantic" },
  ]);
  const [from, to] = ["a/", "b/"].map((value) => [{ type: "path", value }]);
  for (const scopes of [from, to])
    await admin.send("PATCH", "/rags/diff", { scopeMode: "scoped", scopes });
  expect(await changesOf("&action=rags.change")).toEqual([{ field: "scopes", from, to }]);
  // The conflict takes back what the transaction said.
  const refusal = await admin.send("POST", "/rags", { name: "Diff", fileSource: "diff" });
  expect(refusal.status).toBe(409);
  expect(await latest()).toMatchObject({
    action: "rags.create",
    status: 409,
    changes: [],
    count: 1,
  });
  await admin.send("DELETE", "/inferences/diff");
  expect(await changesOf("")).toEqual([{ field: "name", from: "Different" }]);
  await browser.open("/panel/settings/log?action=rags.change");
  expect(browser.text).toContain("searchMode: hybrid → semantic");
});

test("after 90 days an event is forgotten", async () => {
  const old = Date.now() - 91 * 86_400_000;
  await env.DB.prepare("update audit_events set at = ? where action = 'rags.remove'")
    .bind(old)
    .run();
  await sweep(composeServices(env, createExecutionContext()));
  expect((await trail("?action=rags.remove")).total).toBe(0);
  expect((await trail()).total).toBeGreaterThan(0);
});

test("the log names things and people, and keeps to one of each in its address", async () => {
  const source = { name: "Peat", identifier: "peat", provider: "file_system" };
  await admin.send("POST", "/file-sources", source);
  await admin.send("PATCH", "/file-sources/peat", { name: "Peat cuttings" });
  await admin.send("POST", "/rags", { name: "Peat too", identifier: "peat", fileSource: "peat" });
  const prompted = { systemPrompt: "Answer.", model: "embedded/extractive", rags: ["peat"] };
  await admin.send("POST", "/inferences", { name: "Ask peat", ...prompted });
  await admin.send("POST", "/agents", { name: "Peat agent", ...prompted });
  await admin.send("POST", "/question-sets", { name: "Peat set", rag: "peat" });
  const browser = new Browser();
  await browser.signIn();
  await browser.open("/panel/settings/log");
  expect(browser.text).toMatch(
    /Peat set .*Peat agent .*Ask peat .*rags.create Peat too .*change Peat cuttings .*create Peat cuttings /,
  );
  // The creation is stored with the id, the change with the identifier.
  const [, created = ""] =
    /href="([^"]*kind=file-sources&amp;target=[0-9a-f]{8}-[^"]*)"/.exec(browser.html) ?? [];
  await browser.open(created.replaceAll("&amp;", "&"));
  expect(browser.text).toMatch(/Only Peat cuttings .*file-sources.change .*file-sources.create /);
  expect(browser.text).not.toContain("rags.create");
  const [, actor = ""] = /href="[^"]*actor=([^"&]*)"/.exec(browser.html) ?? [];
  await browser.open(`${created.replaceAll("&amp;", "&")}&actor=${actor}&to=2020-01-01`);
  expect(browser.html).toContain(`<option value="${actor}" selected="">admin@localhost<`);
  expect(browser.text).toContain("No matches.");
});
