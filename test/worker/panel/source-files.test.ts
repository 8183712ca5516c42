import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";

import { sha256Hex } from "../../../src/core/hash.ts";
import { asId, type FileSourceId } from "../../../src/core/ids.ts";
import { listFolder } from "../../../src/db/files/source-file-list.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { countedRows, noRows } from "../../support/counted-rows.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { call, signedIn, outcomeOf } from "../../support/worker-client.ts";

const FILES = "/file-sources/docs/files";

const admin = await signedIn();
await admin.send("POST", "/file-sources", { name: "Docs", provider: "file_system" });
const { key } = await admin.create("/keys", { name: "push", role: "admin" });
afterAll(queuesSettled);

const push = async (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  await call("PUT", `/panel/api${FILES}/${path}`, {
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "text/plain", ...headers },
    body,
  });

test("a file is added, then unchanged, then changed, then deleted", async () => {
  const sha256 = await sha256Hex("first");
  const first = { path: "a/b.txt", size: 5, sha256, changed: true };
  expect(await push("a/b.txt", "first")).toMatchObject({ status: 201, body: first });
  const same = await push("a/b.txt", "first");
  expect(same).toMatchObject({ status: 200, body: { ...first, changed: false } });
  const second = await push("a/b.txt", "second");
  expect(second).toMatchObject({ status: 200, body: { size: 6, changed: true } });

  const manifest = await admin.send("GET", "/file-sources/docs/manifest");
  const entry = { path: "a/b.txt", size: 6, sha256: await sha256Hex("second") };
  expect(manifest).toMatchObject({ status: 200, body: { files: [entry], cursor: null } });

  expect((await admin.send("DELETE", `${FILES}/a/b.txt`)).status).toBe(204);
  expect((await admin.send("DELETE", `${FILES}/a/b.txt`)).status).toBe(404);
  const after = await admin.send("GET", "/file-sources/docs/manifest");
  expect(after.body).toEqual({ files: [], cursor: null });
});

test.each([
  ["with%20space.txt", "with space.txt"],
  ["encoded%2Fslash.txt", "encoded/slash.txt"],
  ["%E6%9D%B1%E4%BA%AC/%C3%BCber.txt", "東京/über.txt"],
  ["100%25%2520.txt", "100%%20.txt"],
  ["q%3F%23%26%2B.txt", "q?#&+.txt"],
  ["%F0%9F%8C%BF.txt", "🌿.txt"],
])("PUT …/files/%s stores %s", async (encoded, path) => {
  expect(await push(encoded, "x")).toMatchObject({ status: 201, body: { path } });
  const folder = encodeURIComponent(path);
  const { body } = await admin.send("GET", `${FILES}?path=${folder}`);
  expect(body).toMatchObject({ data: [{ filePath: path, size: 1 }], total: 1 });
  expect((await admin.send("DELETE", `${FILES}/${encoded}`)).status).toBe(204);
});

test.each([
  ["..%2Fescape.txt", "path must not have a . or .. segment"],
  ["a/..%2F..%2Fescape.txt", "path must not have a . or .. segment"],
  ["a%2F.%2Fb.txt", "path must not have a . or .. segment"],
  ["a%2F..", "path must not have a . or .. segment"],
  ["a//b.txt", "path must not have an empty segment"],
  ["a/", "path must not have an empty segment"],
  ["%2Fetc/passwd", "path must be relative, without a leading /"],
  ["a%00b", "path must not contain control characters"],
  ["a%zzb", "path is not valid percent-encoded UTF-8"],
  ["", "path is required"],
])("PUT …/files/%s is refused", async (path, problem) => {
  expect(await push(path, "x")).toMatchObject({
    status: 400,
    body: { error: `Invalid request: ${problem}` },
  });
});

test.each([
  ["Content-Range", "bytes 5-9/10"],
  ["If-None-Match", "*"],
  ["If-Match", '"a"'],
  ["Content-Type", "multipart/form-data; boundary=b"],
])("a part of a file, or a condition, replaces no file: %s", async (header, value) => {
  await push("kept.txt", "whole");
  expect(await push("kept.txt", "part", { [header]: value })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining(header) },
  });
  const { body } = await admin.send("GET", `${FILES}?path=kept.txt`);
  expect(body).toMatchObject({ data: [{ size: 5 }] });
});

test("a file may be larger than other bodies, up to 25 MiB", async () => {
  const mebibyte = 1_024 * 1_024;
  const big = await push("big.txt", "a\n".repeat(mebibyte));
  expect(big).toMatchObject({ status: 201, body: { size: 2 * mebibyte } });
  const tooBig = await push("too-big.txt", new Uint8Array(25 * mebibyte + 1));
  const error = "Payload too large: a file has at most 25 MiB";
  expect(tooBig).toMatchObject({ status: 413, body: { error } });
  const { body } = await admin.send("GET", `${FILES}?path=too-big.txt`);
  expect(body).toMatchObject({ data: [], total: 0 });
  await admin.send("DELETE", `${FILES}/big.txt`);
});

test("media type and metadata are kept; metadata must be a JSON object", async () => {
  const labels = { "X-File-Metadata": JSON.stringify({ labels: ["contract"] }) };
  expect(
    (await push("meta.md", "# M", { ...labels, "Content-Type": "text/markdown" })).status,
  ).toBe(201);
  const { body } = await admin.send("GET", `${FILES}?path=meta.md`);
  expect(body).toMatchObject({
    data: [{ filePath: "meta.md", name: "meta.md", mimeType: "text/markdown", externalId: null }],
  });
  // Clients that know no type send the unknown one, and curl that of a form.
  for (const nothing of ["application/octet-stream", "application/x-www-form-urlencoded"]) {
    const response = await push("meta.md", "# M", { "Content-Type": nothing });
    expect(response.body).toMatchObject({ changed: false });
  }
  for (const wrong of ["[1]", "no json", "null"]) {
    expect(outcomeOf(await push("meta.md", "# M", { "X-File-Metadata": wrong }))).toBe(
      "400 Invalid request: X-File-Metadata must be a JSON object",
    );
  }
});

test("the list comes in pages and by status, path and with its own errors", async () => {
  await admin.send("POST", "/file-sources", { name: "Listed", provider: "file_system" });
  for (const path of ["a-b", "a/1", "a/2", "a/3", "b/1"]) {
    await admin.put(`/file-sources/listed/files/${path}`, path, "text/plain");
  }
  const list = async (query: string) =>
    (await admin.send("GET", `/file-sources/listed/files?${query}`)).body;
  expect(await list("path=a&page=2&limit=2")).toMatchObject({
    data: [{ filePath: "a/3" }],
    total: 3,
    page: 2,
    limit: 2,
  });
  expect(await list("path=a-b")).toMatchObject({ data: [{ filePath: "a-b" }], total: 1 });
  await admin.send("DELETE", "/file-sources/listed/files/b/1");
  expect(await list("status=deleted")).toMatchObject({ data: [{ filePath: "b/1" }], total: 1 });
  expect(await list("status=deleted&path=a")).toMatchObject({ data: [], total: 0 });
  expect(await list("status=lost&limit=0")).toEqual({
    error:
      "Invalid request: limit must be at least 1; status must be one of pending, processing, indexed, error, deleted",
  });
});

test("the list says what was removed from a file's text, and why it has none", async () => {
  await admin.folderWithRag("Noted");
  await admin.put("/file-sources/noted/files/a.txt", "A note\u200b.", "text/plain");
  await admin.put("/file-sources/noted/files/b.txt", "A note.", "text/plain");
  await admin.put("/file-sources/noted/files/c.txt", "", "text/plain");
  await queuesSettled();
  expect((await admin.send("GET", "/file-sources/noted/files")).body).toMatchObject({
    data: [
      { filePath: "a.txt", status: "indexed", notes: ["1 invisible character removed"] },
      { filePath: "b.txt", status: "indexed", notes: [] },
      { filePath: "c.txt", status: "error", errorMessage: "no text found" },
    ],
  });
});

test("only file_system sources take files", async () => {
  const web = { name: "Web", provider: "web", config: { startUrls: ["https://site.internal/"] } };
  await admin.send("POST", "/file-sources", web);
  const response = await admin.put("/file-sources/web/files/a.md", "a");
  expect(response.status).toBe(400);
  expect((await admin.send("GET", "/file-sources/web/manifest")).status).toBe(400);
  expect((await admin.put("/file-sources/none/files/a.md", "a")).status).toBe(404);
});

test("a web source limits what is pushed to it, and shows what it did not take", async () => {
  const config = { pushHosts: ["News.Internal", "bücher.example"], maxPushedUrls: 2 };
  const created = await admin.send("POST", "/file-sources", {
    name: "Limited",
    provider: "web",
    config,
  });
  const source = created.body as { id: string; webhookSecret: string };
  expect(source).toMatchObject({
    config: { pushHosts: ["news.internal", "xn--bcher-kva.example"], maxPushedUrls: 2 },
    pushed: { files: 0, refused: 0, lastRefusedAt: null },
  });
  const push = async (...urls: string[]) =>
    await call("POST", `/api/webhooks/web/${source.id}`, {
      headers: { Authorization: `Bearer ${source.webhookSecret}` },
      body: JSON.stringify({ urls }),
    });
  const news = [1, 2, 3].map((at) => `https://news.internal/${at}`);
  const first = await push(...news, "https://evil.example/", "ftp://news.internal/");
  expect(first.body).toEqual({ ok: true, accepted: 4, queued: true });
  const second = await push("https://evil.example/more");
  expect(second.body).toEqual({ ok: true, accepted: 1, queued: false });
  expect((await admin.send("GET", "/file-sources/limited")).body).toMatchObject({
    pushed: { files: 2, refused: 3, lastRefusedAt: expect.stringMatching(/Z$/) },
  });
  const patched = await admin.send("PATCH", "/file-sources/limited", {
    config: { pushHosts: ["https://news.internal/"] },
  });
  expect(patched).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("must be a host name without port or path") },
  });
});

test("folders are walked level by level, reading no more rows than are shown", async () => {
  await admin.send("POST", "/file-sources", { name: "Tree", provider: "file_system" });
  const insert = `insert into files (id, file_source_id, path, name, size, mime_type, version,
      metadata, created_at, deleted_at)
    select 'tree-' || row.value, s.id, row.value, '', 1, '', '', '{}', 0, ?2
    from file_sources s, json_each(?1) row where s.identifier = 'tree'`;
  const deep = Array.from({ length: 1_000 }, (_, at) => `a/deep/${at}.md`);
  const site = ["https://x.org/", "https://x.org/b/c", "https://x.org/d"];
  const paths = ["a/b/c.md", ...deep, "a/x.md", "a0", "a-b/c", ...site, "z.md", "🌿/x"];
  await env.DB.prepare(insert).bind(JSON.stringify(paths), null).run();
  await env.DB.prepare(insert)
    .bind(JSON.stringify(["a/gone.md", "no/x"]), 1)
    .run();
  const folder = async (query: string) =>
    (await admin.send("GET", `/file-sources/tree/folders?${query}`)).body;
  const entriesOf = (...entries: string[]) =>
    entries.map((path) => ({ path, isFolder: path.endsWith("/") }));
  expect(await folder("")).toEqual({
    path: "",
    entries: entriesOf("a-b/", "a/", "a0", "https://x.org/", "z.md", "🌿/"),
    after: null,
  });
  expect(await folder("path=a")).toMatchObject({ entries: entriesOf("a/b/", "a/deep/", "a/x.md") });
  const ofSite = entriesOf("https://x.org/b/", "https://x.org/d");
  expect(await folder("path=https://x.org/")).toMatchObject({ entries: ofSite });
  expect(await folder("path=a/&after=a/b/")).toMatchObject({
    entries: entriesOf("a/deep/", "a/x.md"),
  });
  const first = (await folder("path=a/deep/")) as { entries: unknown[]; after: string };
  expect(first.entries).toHaveLength(200);
  const next = await folder(`path=a/deep/&after=${first.after}`);
  expect(next).toMatchObject({ entries: { length: 200 } });
  expect(JSON.stringify(next)).not.toContain(`"${first.after}"`);

  const counts = noRows();
  const db = openDatabase(countedRows(env.DB, counts));
  const source = await env.DB.prepare(
    "select id from file_sources where identifier = 'tree'",
  ).first<{ id: FileSourceId }>();
  const slice = { folder: "", after: null, limit: 200 };
  await listFolder(db, { sourceId: source?.id ?? asId(""), ...slice });
  expect(counts.read).toBeLessThan(40);
});
