import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";

import { eventually } from "../../support/eventually.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn } from "../../support/worker-client.ts";

afterAll(queuesSettled);

test("the panel shows an index, estimates a change, and returns to the previous one", async () => {
  const admin = await signedIn();
  await admin.send("POST", "/file-sources", { name: "Docs", provider: "file_system" });
  await admin.send("POST", "/rags", { name: "Reversible", fileSource: "docs" });
  await admin.put("/file-sources/docs/files/a.md", "# Leave\n\nThirty days of leave a year.");
  await admin.put("/file-sources/docs/files/b.md", "# VPN\n\nThe tunnel needs a certificate.");
  const rag = async () => (await admin.send("GET", "/rags/reversible")).body;
  await queuesSettled();
  expect(await rag()).toMatchObject({ processedFiles: 2 });
  const state = async () => (await admin.send("GET", "/rags/reversible/index")).body;
  const live = { generation: 1, chunkSize: 400, shards: 1, embeddingModel: "embedded/hash" };
  expect(await state()).toMatchObject({ live, building: null, previous: null });
  expect(await admin.send("POST", "/rags/reversible/return", {})).toMatchObject({ status: 409 });
  const change = { chunkSize: 64, chunkOverlap: 0 };
  const response = await admin.send("POST", "/rags/reversible/estimate", change);
  expect(response).toMatchObject({
    status: 200,
    body: { needed: true, files: 2, embeddingCalls: 1 },
  });
  const wrong = await admin.send("POST", "/rags/reversible/estimate", { chunkSize: 1 });
  expect(wrong.status).toBe(400);
  await showsPassages(admin);
  await triesSearches(admin);

  await admin.send("PATCH", "/rags/reversible", change);
  const answers = async (generation: number) =>
    await eventually(async () =>
      expect(await state()).toMatchObject({ live: { generation }, building: null }),
    );
  await answers(2);
  const keptUntil = expect.stringMatching(/^\d{4}-.*Z$/) as string;
  expect(await state()).toMatchObject({ previous: { ...live, keptUntil } });
  expect(await admin.send("POST", "/rags/reversible/return", {})).toMatchObject({ status: 202 });
  await answers(1);
  expect(await rag()).toMatchObject({ chunkSize: 400, processedFiles: 2, numberVectors: 2 });
});

type Admin = Awaited<ReturnType<typeof signedIn>>;

/** The passages as they were cut, and as they would be with other settings. */
async function showsPassages(admin: Admin): Promise<void> {
  const cut = await admin.send("GET", "/rags/reversible/passages?path=a.md");
  const text = "# Leave\n\nThirty days of leave a year.";
  expect(cut).toMatchObject({
    status: 200,
    body: { total: 1, page: 1, data: [{ position: 0, text, start: 0, isDuplicate: false }] },
  });
  expect((await admin.send("GET", "/rags/reversible/passages?path=c.md")).status).toBe(404);
  expect(
    (await admin.send("GET", "/rags/reversible/passages?path=a.md&page=2")).body,
  ).toMatchObject({ total: 1, data: [] });
  const long = `# Rules\n\n${"One rule of many. ".repeat(60)}`;
  await admin.put("/file-sources/docs/files/long/a b.md", long);
  await queuesSettled();
  const { body: indexed } = await admin.send("GET", "/file-sources/docs/files/long/a%20b.md");
  expect(indexed).toMatchObject({
    filePath: "long/a b.md",
    rags: [{ ragIdentifier: "reversible", status: "indexed", chunkCount: 1 }],
  });
  const preview = async (wish: object) =>
    await admin.send("POST", "/rags/reversible/preview", { path: "long/a b.md", ...wish });
  const cutFiner = { chunkSize: 64, chunkOverlap: 0 };
  const { status, body } = await preview(cutFiner);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { ...cutFiner, characters: long.length },
  });
  const { chunks, total } = body as { total: number; chunks: { tokens: number; text: string }[] };
  expect(total).toBeGreaterThan(3);
  expect(chunks).toHaveLength(total);
  expect(Math.max(...chunks.map(({ tokens }) => tokens))).toBeLessThanOrEqual(64);
  expect((await preview({ chunkSize: 64, chunkOverlap: 40 })).status).toBe(400);
  // Settings that the preview leaves out are those of the RAG.
  const setOverlap = env.DB.prepare("update rags set chunk_overlap = ?1 where identifier = ?2");
  await setOverlap.bind(150, "reversible").run();
  expect((await preview({ chunkSize: 400 })).body).toMatchObject({ chunkOverlap: 150 });
  await setOverlap.bind(60, "reversible").run();
  await admin.send("DELETE", "/file-sources/docs/files/long/a%20b.md");
}

/** An administrator sees why; settings can be tried without saving them, and are not audited. */
async function triesSearches(admin: Admin): Promise<void> {
  const find = async (wish: object = {}) =>
    await admin.send("POST", "/rags/reversible/search", {
      semanticSearch: ["days of leave"],
      ...wish,
    });
  const { status, body } = await find();
  expect(status).toBe(200);
  expect(body).toMatchObject({
    chunks: [
      {
        source: { filePath: "a.md", position: 0 },
        explanation: {
          queries: [{ lexical: { rank: 1 }, vector: { rank: 1 } }],
          fusedRank: 1,
          relevance: null,
        },
      },
      expect.anything(),
    ],
    timings: { legs: { embeddingMs: expect.any(Number), searchMs: expect.any(Number) } },
  });
  expect(body).not.toHaveProperty("degraded");
  const reranked = await find({ reranker: "embedded/lexical", useReranking: true, topK: 1 });
  expect(reranked.body).toMatchObject({
    chunks: [{ explanation: { relevance: expect.any(Number) } }],
  });
  for (const wish of [{}, { reranker: "embedded/lexical", useReranking: true }]) {
    const { chunks } = (await find(wish)).body as { chunks: { value: number }[] };
    const values = chunks.map(({ value }) => value);
    expect({ wish, values }).toEqual({ wish, values: values.toSorted((a, b) => b - a) });
    expect(values.every((value) => Number.isFinite(value))).toBe(true);
  }
  const words = await find({ searchMode: "semantic", topK: 1 });
  expect(words.body).toMatchObject({ chunks: [{ explanation: { queries: [{ lexical: null }] } }] });
  expect((await admin.send("GET", "/rags/reversible")).body).toMatchObject({ reranker: null });
  expect((await find({ topk: 1 })).body).toEqual({
    error: "Invalid request: topk is not known (did you mean topK?)",
  });
  const { body: trail } = await admin.send("GET", "/audit");
  expect(JSON.stringify(trail)).not.toMatch(/search|preview/);
}
