import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import { signedIn, withToken } from "../../support/worker-client.ts";

let api: ReturnType<typeof withToken>;

const run = async (...statements: string[]) =>
  void (await env.DB.batch(statements.map((statement) => env.DB.prepare(statement))));

const file = (id: string, path: string, externalId: string) =>
  `insert into files (id, file_source_id, path, external_id, name, size, mime_type, version, metadata, created_at) values ('${id}', 'drive', '${path}', '${externalId}', '${path}', 12, 'text/plain', '1', '{}', 0)`;
const state = (rag: string, id: string, path: string, status: string, error = "null") =>
  `insert into rag_files (rag_id, generation, file_id, path, status, revision, indexed_at, error_message) select id, generation, '${id}', '${path}', '${status}', 1, 1767225600000, ${error} from rags where identifier = '${rag}'`;

/** Two RAGs on a drive, whose files are known by path and by id. */
beforeAll(async () => {
  const panel = await signedIn();
  await run(
    "insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash, created_at) values ('drive', 'Drive', 'drive', 'cloud_drive', '{}', '', 0)",
  );
  for (const name of ["One", "Two"]) {
    await panel.send("POST", "/rags", { name, fileSource: "drive" });
  }
  const asking = { systemPrompt: "Answer.", model: "embedded/extractive", rags: ["one", "two"] };
  await panel.send("POST", "/inferences", { name: "Ask", ...asking });
  const settings = { name: "Reader", inferences: ["ask"], rags: ["one"] };
  api = withToken((await panel.create("/tokens", settings)).token);
  await run(
    file("a", "plan.txt", "ext-1"),
    file("b", "ext-1", "ext-2"),
    state("one", "a", "plan.txt", "indexed"),
    state("two", "a", "plan.txt", "error", "'no text found'"),
    state("one", "b", "ext-1", "processing", "'left from before'"),
    state("two", "b", "ext-1", "indexed"),
  );
});

const status = async (file: string) =>
  await api.get(`/inferences/ask/file-sources/drive?file=${file}`);

const INDEXED_AT = "2026-01-01T00:00:00.000Z";

test("a file is found by its path, and told by its least finished state", async () => {
  expect((await status("plan.txt")).body).toEqual({
    name: "plan.txt",
    size: 12,
    status: "error",
    indexedAt: INDEXED_AT,
    errorMessage: "no text found",
  });
});

test("a file is found by its external id", async () => {
  expect((await status("ext-2")).body).toEqual({
    name: "ext-1",
    size: 12,
    status: "processing",
    indexedAt: INDEXED_AT,
    errorMessage: null,
  });
});

test("where a path equals another file's external id, the path counts", async () => {
  expect((await status("ext-1")).body).toMatchObject({ status: "processing" });
});

test("an element of a RAG's list tells the external id", async () => {
  const panel = await signedIn();
  const all = withToken((await panel.create("/tokens", { name: "All", rags: ["*"] })).token);
  expect((await all.get("/rags/one/files?page=1&limit=1")).body).toMatchObject({
    total: 2,
    data: [{ filePath: "ext-1", externalId: "ext-2" }],
  });
});

test("a file is found by any Unicode form of its path", async () => {
  const name = "\u00dcbersicht.txt";
  await run(file("c", name, "ext-3"), state("one", "c", name, "indexed"));
  expect((await status(encodeURIComponent(name.normalize("NFD")))).body).toMatchObject({ name });
});

test("a file is found by an external id with a leading slash, as buckets have keys", async () => {
  await run(file("d", "plans/d.txt", "/plans/d.txt"), state("one", "d", "plans/d.txt", "indexed"));
  expect((await status("%2Fplans%2Fd.txt")).body).toMatchObject({ name: "plans/d.txt" });
});

test("a leading slash is refused wherever a path is given, as scopes refuse it", async () => {
  const panel = await signedIn();
  const refusalOf = (name: string) => ({
    status: 400,
    body: { error: `Invalid request: ${name} must be relative, without a leading /` },
  });
  expect(await status("%2Fplan.txt")).toMatchObject(refusalOf("file"));
  expect(await api.get("/rags/one/files?path=%2Fplans%2F")).toMatchObject(refusalOf("path"));
  for (const [method, path] of [
    ["GET", "/file-sources/drive/files?path=/plans"],
    ["GET", "/file-sources/drive/files/%2Fplan.txt"],
    ["GET", "/file-sources/drive/text/%2Fplan.txt"],
    ["POST", "/rags/one/retry?path=/plan.txt"],
  ] as const) {
    expect(await panel.send(method, path)).toMatchObject(refusalOf("path"));
  }
});

test("retrying a file that the RAG does not have says so", async () => {
  const panel = await signedIn();
  const retry = async (path: string) => await panel.send("POST", `/rags/one/retry?path=${path}`);
  await run(file("r", "plans/r.txt", "plans/r.txt"), state("one", "r", "plans/r.txt", "indexed"));
  expect(await retry("plans/r.txt")).toMatchObject({ status: 202, body: { queued: true } });
  expect(await retry("plans/none.txt")).toMatchObject({
    status: 404,
    body: { error: "Not found: the RAG has no such file" },
  });
});
