import { env } from "cloudflare:workers";
import { afterAll, afterEach, expect, test, vi } from "vitest";

import { eventually } from "../../support/eventually.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn, withToken } from "../../support/worker-client.ts";

const HOUR_MS = 3_600_000;

const admin = await signedIn();
afterEach(() => {
  vi.useRealTimers();
});
afterAll(queuesSettled);

/** The platform alone knows how many messages wait in the queues. */
const QUEUES = ["scan", "index", "usage"].map((queue) => ({
  queue,
  waiting: expect.toSatisfy((value: unknown) => value === null || Number.isInteger(value)),
  oldestSeconds: expect.toSatisfy((value: unknown) => value === null || Number.isInteger(value)),
}));

test("a new service has nothing to show and nothing that waits", async () => {
  const { status, body } = await admin.send("GET", "/overview");
  expect(status).toBe(200);
  expect(body).toEqual({
    files: { pending: 0, processing: 0, indexed: 0, error: 0, deleted: 0 },
    failingFiles: [],
    failingSources: [],
    waitingSources: [],
    scansUnderWay: [],
    oldestPendingSeconds: null,
    queues: QUEUES,
    calls: { hours: 24, total: 0, errors: 0, degraded: 0, errorRate: 0, degradedRate: 0 },
    vectorIndex: null,
    noRoomSince: null,
    secrets: { sealedByPreviousKey: 0, unreadable: 0 },
  });
});

test("the overview counts files by status and names what fails", async () => {
  await admin.send("POST", "/file-sources", { name: "Docs", provider: "file_system" });
  await admin.send("POST", "/rags", { name: "Docs RAG", fileSource: "docs" });
  await admin.put("/file-sources/docs/files/good.md", "# Good\n\nA sentence that can be found.");
  await admin.put("/file-sources/docs/files/empty.md", "");
  const web = { name: "Web", provider: "object_storage" };
  const config = {
    endpoint: "https://s3.internal",
    region: "x",
    bucket: "b",
    credentials: { accessKeyId: "a", secretAccessKey: "s" },
  };
  await admin.send("POST", "/file-sources", { ...web, config });
  await queuesSettled();
  const { body } = await admin.send("GET", "/overview");
  expect(body).toEqual({
    files: { pending: 0, processing: 0, indexed: 1, error: 1, deleted: 0 },
    failingFiles: [
      {
        ragIdentifier: "docs-rag",
        filePath: "empty.md",
        name: "empty.md",
        errorMessage: "no text found",
      },
    ],
    failingSources: [
      {
        identifier: "web",
        name: "Web",
        error: expect.stringContaining("ALLOW_PRIVATE_URLS=true"),
        since: expect.any(String),
      },
    ],
    waitingSources: [],
    scansUnderWay: [],
    oldestPendingSeconds: null,
    queues: QUEUES,
    calls: expect.objectContaining({ total: 0 }),
    vectorIndex: null,
    noRoomSince: null,
    secrets: { sealedByPreviousKey: 0, unreadable: 0 },
  });
  expect((await admin.send("GET", "/rags/docs-rag")).body).toMatchObject({ status: "active" });
});

test("what waits has an age, and what is under way is named", async () => {
  const now = Date.now();
  await env.DB.batch([
    env.DB.prepare(
      "insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash, created_at, next_scan_at, scan_run_id, scan_claimed_until) values ('s', 'Slow', 'slow', 'file_system', '{}', '', 0, null, 'run', ?)",
    ).bind(now + 100_000),
    env.DB.prepare(
      "insert into scan_runs (id, file_source_id, started_at) values ('run', 's', ?)",
    ).bind(now),
    env.DB.prepare(
      "insert into rags (id, name, identifier, file_source_id, created_at) values ('r', 'R', 'waiting', 's', 0)",
    ),
    env.DB.prepare(
      "insert into rag_generations (rag_id, generation, state, embedding_model, dimensions, chunk_size, chunk_overlap, format, created_at) values ('r', 1, 'live', 'm', 8, 400, 60, 1, 0)",
    ),
    env.DB.prepare(
      "insert into files (id, file_source_id, path, name, size, mime_type, version, metadata, created_at) values ('f', 's', 'f', 'f', 1, 'text/plain', '1', '{}', 0)",
    ),
    env.DB.prepare(
      "insert into rag_files (rag_id, generation, file_id, path, status, revision, claimed_until) values ('r', 1, 'f', 'f', 'pending', ?, ?)",
    ).bind(now - 90_000, now + 600_000),
  ]);
  const { body } = await admin.send("GET", "/overview");
  expect(body).toMatchObject({
    files: { pending: 1 },
    scansUnderWay: [{ identifier: "slow", name: "Slow", startedAt: new Date(now).toISOString() }],
  });
  const { oldestPendingSeconds } = body as { oldestPendingSeconds: number };
  expect(oldestPendingSeconds).toBeGreaterThanOrEqual(90);
  expect(oldestPendingSeconds).toBeLessThan(150);
  await env.DB.prepare("delete from rags where id = 'r'").run();
  await env.DB.prepare("delete from file_sources where id = 's'").run();
});

test("the rates of the last 24 hours are those of the calls, whatever their latency", async () => {
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const insert = env.DB.prepare(
    `insert into usage_hours (hour, dimension, key, currency, calls, errors, degraded,
       input_tokens, output_tokens, cost) values (?, ?, ?, '', ?, ?, ?, 0, 0, 0)`,
  );
  await env.DB.batch([
    insert.bind(hour, "all", "k", 90, 3, 10),
    insert.bind(hour - 3_600_000, "all", "k", 10, 0, 15),
    insert.bind(hour - 25 * 3_600_000, "all", "k", 1_000, 1_000, 0),
    insert.bind(hour, "rag", "k", 90, 3, 10),
  ]);
  const { body } = await admin.send("GET", "/overview");
  expect(body).toMatchObject({
    calls: { hours: 24, total: 100, errors: 3, degraded: 25, errorRate: 0.03, degradedRate: 0.25 },
  });
  await env.DB.prepare("delete from usage_hours").run();
});

test("calls are reported by day, RAG and token with their names", async () => {
  // Held, as calls on both sides of an hour or of midnight are two lines.
  vi.useFakeTimers({ toFake: ["Date"] });
  const at = Date.now();
  const { token } = await admin.create("/tokens", { name: "Caller", rags: ["docs-rag"] });
  const api = withToken(token);
  for (const query of ["sentence", "found"]) {
    const answer = await api.post("/rags/docs-rag/retrieve", { semanticSearch: [query] });
    expect(answer.status).toBe(200);
  }
  const report = async (query: string) => (await admin.send("GET", `/usage${query}`)).body;
  const today = new Date(at).toISOString().slice(0, 10);
  // Files that were indexed before may belong to the hour before.
  const from = new Date(Math.floor(at / HOUR_MS) * HOUR_MS).toISOString();
  await eventually(async () => {
    expect(await report(`?from=${from}`)).toMatchObject({
      group: "day",
      data: [{ key: today, identifier: null, name: null, calls: 2, errors: 0, degraded: 0 }],
    });
  }, 200);
  const hour = /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/;
  const byHour = await report(`?group=hour&from=${from}`);
  expect(byHour).toMatchObject({ data: [{ key: expect.stringMatching(hour), calls: 2 }] });
  expect(await report("?group=hour&from=2026-01-01&to=2026-03-01")).toEqual({
    error: "Invalid request: from must lie at most 744 hours before to",
  });
  expect(await report("?group=rag")).toMatchObject({
    data: [{ identifier: "docs-rag", name: "Docs RAG", calls: 2, p50Ms: expect.any(Number) }],
  });
  expect(await report("?group=model")).toMatchObject({
    // Two queries, and the passages of one file before them.
    data: [{ key: "embedded/hash", calls: 3, errors: 0, inputTokens: expect.any(Number) }],
  });
  expect(await report(`?group=token&from=${today}&to=${today}`)).toMatchObject({
    data: [{ identifier: null, name: "Caller", calls: 2 }],
  });
  expect(await report("?group=rag&from=2020-01-01&to=2020-12-31")).toEqual({
    from: "2020-01-01T00:00:00.000Z",
    to: "2021-01-01T00:00:00.000Z",
    group: "rag",
    data: [],
  });
  expect(await report("?group=week&from=yesterday")).toEqual({
    error:
      "Invalid request: from must be an ISO 8601 day, or a time with its zone; group must be one of hour, day, inference, agent, rag, token, model",
  });
  expect(await report("?from=2026-02-30")).toEqual({
    error: "Invalid request: from must be an ISO 8601 day, or a time with its zone",
  });
  expect(await report("?from=2026-02-01&to=2026-01-01")).toEqual({
    error: "Invalid request: from must lie before to",
  });
});
