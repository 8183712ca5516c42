import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";

import { eventually } from "../../support/eventually.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn, withToken, outcomeOf } from "../../support/worker-client.ts";

type Rag = { id: string; identifier: string; totalFiles: number; processedFiles: number };

const admin = await signedIn();
await admin.send("POST", "/file-sources", { name: "Docs", provider: "file_system" });
await admin.put("/file-sources/docs/files/hr/leave.md", "# Leave\n\nThirty days of leave a year.");
await admin.put("/file-sources/docs/files/it/vpn.md", "# VPN\n\nThe tunnel needs a certificate.");
const { token } = await admin.create("/tokens", { name: "all", rags: ["*"] });
const api = withToken(token);
afterAll(queuesSettled);

const make = (body: object) => admin.create<Rag>("/rags", { fileSource: "docs", ...body });

async function indexed(identifier: string, files: number): Promise<void> {
  await eventually(async () => {
    const { body } = await admin.send("GET", `/rags/${identifier}`);
    expect(body).toMatchObject({ totalFiles: files, processedFiles: files });
  });
}

async function searchRag(identifier: string, query: string): Promise<string[]> {
  const body = { semanticSearch: [query], includeSources: true };
  const answer = await api.post(`/rags/${identifier}/retrieve`, body);
  const { chunks } = answer.body as { chunks: { source: { filePath: string } }[] };
  return [...new Set(chunks.map(({ source }) => source.filePath))].sort();
}

test("a RAG is made with its defaults and indexes what its source lists already", async () => {
  const rag = await make({ name: "Everything" });
  expect(rag).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: "Everything",
    identifier: "everything",
    status: "active",
    totalFiles: 2,
    processedFiles: 0,
    numberVectors: 0,
    fileSource: {
      id: expect.any(String),
      name: "Docs",
      identifier: "docs",
      provider: "file_system",
    },
    fileSourceScopeMode: "global",
    fileSourceScopes: [],
    scopeMode: "global",
    scopes: [],
    unknownExternalIds: [],
    chunkSize: 400,
    chunkOverlap: 60,
    reranker: null,
    searchMode: "hybrid",
    recencyHalfLifeDays: null,
    leaveOutUnrelated: false,
    openToMembers: false,
  });
  const generation = await env.DB.prepare("select * from rag_generations where rag_id = ?")
    .bind(rag.id)
    .first();
  expect(generation).toMatchObject({
    generation: 1,
    state: "live",
    embedding_model: "embedded/hash",
    dimensions: 1_024,
    chunk_size: 400,
    shards: 1,
  });
  await indexed("everything", 2);
  expect(await searchRag("everything", "leave tunnel")).toEqual(["hr/leave.md", "it/vpn.md"]);
});

test("scopes without a mode make a RAG scoped, and hold from the start", async () => {
  const scopes = [
    { type: "path", value: "hr/" },
    { type: "path", value: "hr/" },
  ];
  const rag = await make({ name: "HR only", scopes });
  expect(rag).toMatchObject({ scopeMode: "scoped", scopes: [{ type: "path", value: "hr/" }] });
  await indexed("hr-only", 1);
  expect(await searchRag("hr-only", "leave tunnel")).toEqual(["hr/leave.md"]);
});

test("a scope of an id that no file or folder of the source has says so", async () => {
  await env.DB.prepare(
    `insert into files (id, file_source_id, path, external_id, name, size, mime_type, version,
       metadata, created_at)
     select 'known-file', id, 'known.md', '1file', 'known.md', 1, 'text/markdown', 'v',
       '{"ancestors":[null,"1root","1folder"]}', 0 from file_sources where identifier = 'docs'`,
  ).run();
  const scopes = ["1file", "1folder", "1nobody"].map((value) => ({ type: "externalId", value }));
  const rag = await make({ name: "By id", scopes });
  expect(rag).toMatchObject({ unknownExternalIds: ["1nobody"] });
  const { body } = await admin.send("GET", "/rags/by-id?check=scopes");
  expect(body).toMatchObject({ unknownExternalIds: ["1nobody"] });
  // The check reads all files of the source, so that it is made on request alone.
  const plain = await admin.send("GET", "/rags/by-id");
  expect(plain.body).not.toHaveProperty("unknownExternalIds");
  await admin.send("DELETE", "/rags/by-id");
  await env.DB.prepare("delete from files where id = 'known-file'").run();
});

test("a narrower scope hides files from the very next search, a wider one brings them", async () => {
  await make({ name: "Narrowing" });
  await indexed("narrowing", 2);
  const scopes = [{ type: "path", value: "it/vpn.md" }];
  const narrowed = await admin.send("PATCH", "/rags/narrowing", { scopeMode: "scoped", scopes });
  expect(narrowed).toMatchObject({ status: 200, body: { scopeMode: "scoped", scopes } });
  expect(await searchRag("narrowing", "leave tunnel")).toEqual(["it/vpn.md"]);
  await indexed("narrowing", 1);

  const widened = await admin.send("PATCH", "/rags/narrowing", { scopeMode: "global" });
  expect(widened.body).toMatchObject({ scopeMode: "global", scopes: [] });
  await indexed("narrowing", 2);
  expect(await searchRag("narrowing", "leave tunnel")).toEqual(["hr/leave.md", "it/vpn.md"]);
});

test("a scope that the public API adds is indexed", async () => {
  await make({ name: "Scoped", scopeMode: "scoped" });
  await api.post("/rags/scoped/scopes", { type: "path", value: "hr/" });
  await indexed("scoped", 1);
  expect(await searchRag("scoped", "leave")).toEqual(["hr/leave.md"]);
});

test("other chunking queues every file for indexing again", async () => {
  await make({ name: "Rechunked" });
  await indexed("rechunked", 2);
  const patched = await admin.send("PATCH", "/rags/rechunked", { chunkSize: 80 });
  expect(patched.body).toMatchObject({ chunkSize: 80, chunkOverlap: 40 });
  await queuesSettled();
  await indexed("rechunked", 2);
  expect(await searchRag("rechunked", "tunnel certificate")).toContain("it/vpn.md");
});

test.each([
  [{ name: "x" }, "fileSource is required"],
  [{ name: "x", fileSource: "nowhere" }, "fileSource: there is no nowhere"],
  [
    { fileSource: "docs", chunkSize: 5, scopeMode: "some", searchMode: 1, reranker: "lexical" },
    "name is required; scopeMode must be one of global, scoped; chunkSize must be at least 16; reranker must be named provider/name, such as local/llama3.2; searchMode must be one of hybrid, semantic",
  ],
  [
    { name: "x", fileSource: "docs", chunkSize: 100, chunkOverlap: 51 },
    "chunkOverlap must be at most half of chunkSize",
  ],
  [
    { name: "x", fileSource: "docs", scopes: [{ type: "path", value: "a/../b" }, { type: "url" }] },
    "scopes[1].type must be one of path, externalId; scopes[1].value is required",
  ],
  [
    {
      name: "x",
      fileSource: "docs",
      scopes: [
        { type: "path", value: "ok/" },
        { type: "path", value: "a/../b" },
      ],
    },
    "scopes[1].value must not have a . or .. segment",
  ],
  [
    {
      name: "x",
      fileSource: "docs",
      scopeMode: "global",
      scopes: [{ type: "path", value: "ok/" }],
    },
    "scopes must be empty when scopeMode is global",
  ],
])("%j is refused", async (body, problems) => {
  expect(outcomeOf(await admin.send("POST", "/rags", body))).toBe(
    `400 Invalid request: ${problems}`,
  );
});

test("a reranker that cannot be had is refused with the setting that is missing", async () => {
  const { status, body } = await admin.send("POST", "/rags", {
    name: "x",
    fileSource: "docs",
    reranker: "local/bge-reranker",
  });
  expect(status).toBe(400);
  expect((body as { error: string }).error).toMatch(
    /^Invalid request: reranker: .*OPENAI_COMPATIBLE_BASE_URL/,
  );
  const good = await make({ name: "Reranked", reranker: "embedded/lexical" });
  expect(good).toMatchObject({ reranker: "embedded/lexical" });
  const off = await admin.send("PATCH", "/rags/reranked", {
    reranker: null,
    searchMode: "semantic",
  });
  expect(off.body).toMatchObject({ reranker: null, searchMode: "semantic", chunkSize: 400 });
});

test("a paused RAG says so and stays searchable; identifier and source never change", async () => {
  await make({ name: "Pausing" });
  await indexed("pausing", 2);
  const paused = await admin.send("PATCH", "/rags/pausing", { status: "paused" });
  expect(paused.body).toMatchObject({ status: "paused" });
  expect(await searchRag("pausing", "tunnel")).toContain("it/vpn.md");
  const active = await admin.send("PATCH", "/rags/pausing", {
    status: "active",
    fileSource: "docs",
  });
  expect(active.body).toMatchObject({ status: "active" });
  await admin.send("POST", "/file-sources", { name: "Other", provider: "file_system" });
  for (const change of [{ identifier: "new" }, { fileSource: "other" }]) {
    expect((await admin.send("PATCH", "/rags/pausing", change)).status).toBe(400);
  }
});

test("changes while a RAG was paused are indexed as soon as it is active", async () => {
  await make({ name: "Resting" });
  await make({ name: "Waking" });
  await indexed("resting", 2);
  await indexed("waking", 2);
  await admin.send("PATCH", "/rags/resting", { status: "paused" });
  await admin.put("/file-sources/docs/files/new.md", "# New\n\nThe axolotl swims.");
  await indexed("waking", 3);
  expect((await admin.send("GET", "/rags/resting")).body).toMatchObject({ processedFiles: 2 });
  await admin.send("PATCH", "/rags/resting", { status: "active" });
  await indexed("resting", 3);
  expect(await searchRag("resting", "axolotl")).toContain("new.md");
  await admin.send("DELETE", "/file-sources/docs/files/new.md");
});

test("a RAG is removed at once unless it is linked; a new one of its name is another", async () => {
  const rag = await make({ name: "Linked" });
  await admin.send("POST", "/inferences", {
    name: "Asker",
    systemPrompt: "",
    model: "embedded/extractive",
    rags: ["linked"],
  });
  expect(outcomeOf(await admin.send("DELETE", "/rags/linked"))).toBe(
    "409 RAG is linked by inferences asker",
  );
  await admin.send("PATCH", "/inferences/asker", { rags: [] });
  const { token } = await admin.create("/tokens", { name: "narrow", rags: ["linked"] });
  expect((await admin.send("DELETE", `/rags/${rag.id}`)).status).toBe(204);
  expect((await admin.send("GET", "/rags/linked")).status).toBe(404);
  expect((await api.get("/rags/linked")).status).toBe(404);
  await make({ name: "Linked" });
  expect((await withToken(token).get("/rags/linked")).status).toBe(403);
  expect((await api.get("/rags/linked")).status).toBe(200);
});

test("reindexing and retrying are queued", async () => {
  for (const action of ["reindex", "retry", "retry?path=hr/leave.md"]) {
    expect(await admin.send("POST", `/rags/everything/${action}`)).toMatchObject({
      status: 202,
      body: { queued: true },
    });
  }
  expect((await admin.send("POST", "/rags/nothing/reindex")).status).toBe(404);
  await queuesSettled();
  await indexed("everything", 2);
});
