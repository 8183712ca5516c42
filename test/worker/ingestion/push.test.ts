import { expect, test } from "vitest";

import { excludeFromSearch } from "../../../src/catalog/file-sources/exclude-from-search.ts";
import { sha256Hex } from "../../../src/core/hash.ts";
import { waitReasons } from "../../../src/db/catalog/source-counts.ts";
import { listFilesOfSource } from "../../../src/db/files/source-file-list.ts";
import { readNeeds } from "../../../src/db/maintenance/overview-store.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { manifestPage } from "../../../src/ingestion/uploads/manifest-page.ts";
import { movePushedFiles } from "../../../src/ingestion/uploads/pushed-files.ts";
import { ModelFailure } from "../../../src/ports/models.ts";
import { crashAtCalls } from "../../support/crash.ts";
import { World, WORDS_ALONE, keysOf, ragWorld, rowsOf } from "../../support/ingestion-world.ts";

test("a pushed file is pending, then indexed and found; so are its changes", async () => {
  const { world, source, rag } = await ragWorld();
  const first = await world.put(source, "a/note.md", "# Moss\n\nA note about sphagnum.");
  expect(first).toEqual({
    path: "a/note.md",
    size: 30,
    sha256: await sha256Hex("# Moss\n\nA note about sphagnum."),
    changed: true,
    created: true,
  });
  expect(await world.rows(rag)).toMatchObject([{ path: "a/note.md", status: "pending" }]);

  await world.deliver();
  expect(await world.rows(rag)).toMatchObject([{ status: "indexed", chunks: 1, error: null }]);
  expect(await world.counters(rag)).toMatchObject({ indexed: 1, pending: 0, vectors: 1 });
  expect((await world.texts(rag))["a/note.md"]?.join()).toContain("sphagnum");

  const second = await world.put(source, "a/note.md", "# Moss\n\nA note about peat.");
  expect(second).toMatchObject({ changed: true, created: false });
  expect((await world.texts(rag))["a/note.md"]?.join()).toContain("sphagnum");
  await world.deliver();
  expect((await world.texts(rag))["a/note.md"]?.join()).toContain("peat");
  expect((await world.texts(rag))["a/note.md"]?.join()).not.toContain("sphagnum");

  await world.drop(source, "a/note.md");
  expect(await world.texts(rag)).toEqual({});
  expect(await world.rows(rag)).toMatchObject([{ status: "deleted", chunks: 0 }]);
  expect(await world.counters(rag)).toMatchObject({ indexed: 0, deleted: 1, vectors: 0 });
  await sweep(world.services);
  expect(await keysOf(source)).toEqual([]);

  expect(await world.put(source, "a/note.md", "A note again.")).toMatchObject({ created: true });
  await world.deliver();
  expect((await world.texts(rag))["a/note.md"]).toEqual(["A note again."]);
});

test("a renamed folder keeps its passages: nothing is embedded again", async () => {
  const { world, source, rag } = await ragWorld();
  const scoped = await world.addRag(source, ["new/"]);
  const narrowed = await world.addRag(source, ["old/"]);
  const files = { "old/a.md": "A note about peat.", "old/b.md": "A note about moss." };
  await world.putAndIndex(source, { ...files, "kept.md": "A note kept.", "new/c.md": "Gone." });
  await world.drop(source, "new/c.md");
  const embedded = world.countEmbedded();
  const moves = [
    { from: "old/a.md", to: "new/a.md" },
    { from: "old/b.md", to: "new/c.md" },
    { from: "absent.md", to: "new/d.md" },
    { from: "kept.md", to: "new/a.md" },
  ];
  const some = { source: { id: source }, moves: moves.slice(0, 3) };
  expect(await movePushedFiles(world.services, some)).toEqual(["absent.md"]);
  const input = { source: { id: source }, moves: moves.slice(3) };
  expect(await movePushedFiles(world.services, input)).toEqual(["kept.md"]);
  await world.deliver();
  expect(Object.keys(await world.texts(rag)).sort()).toEqual(["kept.md", "new/a.md", "new/c.md"]);
  expect(await world.counters(rag)).toMatchObject({ indexed: 3, pending: 0, vectors: 3 });
  expect(await world.texts(narrowed)).toEqual({});
  // A RAG whose scopes did not contain the files has no vectors of them.
  expect(embedded.sort()).toEqual(["A note about moss.", "A note about peat."]);
  expect((await world.texts(scoped))["new/c.md"]).toEqual(["A note about moss."]);
  expect(await world.put(source, "new/a.md", files["old/a.md"])).toMatchObject({ changed: false });
});

test("a move that an index was not told, or whose worker died, is taken up again", async () => {
  const moves = [{ from: "old/a.md", to: "new/a.md" }];
  const moved = async (lose: (world: World, work: () => Promise<unknown>) => Promise<void>) => {
    const { world, source, rag } = await ragWorld();
    const narrowed = await world.addRag(source, ["old/"]);
    await world.putAndIndex(source, { "old/a.md": "A note about peat." });
    const embedded = world.countEmbedded();
    const move = () => movePushedFiles(world.services, { source: { id: source }, moves });
    await lose(world, async () => {
      await move();
      await world.deliver();
    });
    world.waiting = [];
    // Whoever was not answered tries again.
    await move();
    await world.deliver();
    await world.sweepAfter(3, 15);
    expect(Object.keys(await world.texts(rag))).toEqual(["new/a.md"]);
    expect(await world.texts(narrowed)).toEqual({});
    expect(await world.rows(rag)).toMatchObject([{ path: "new/a.md", status: "indexed" }]);
    expect(embedded).toEqual([]);
  };
  let failures = 3;
  await moved(async (world, work) => {
    world.aroundIndexes(({ go }) => {
      if (failures-- > 0) throw new Error("the index is down");
      return go();
    });
    await work();
  });
  const points = await crashAtCalls(
    async (crash) => await moved(async (world, work) => await world.workUntil(crash, work)),
    { every: 4 },
  );
  expect(points).toBeGreaterThan(1);
});

test("while a provider fails, the reason of the last try stands next to pending", async () => {
  const { world, source, rag } = await ragWorld();
  let isDown = true;
  world.beforeEmbedding(() => {
    if (isDown) throw new ModelFailure("503", { status: 503, retryable: true });
  });
  await world.put(source, "late.md", "A note about peat.");
  await world.deliverBatch("quarry-index", world.waiting.splice(0));
  const query = { sourceId: source, offset: 0, limit: 5 };
  const { data } = await listFilesOfSource(world.services.db, query);
  const errorMessage = "embedding provider: 503, try 1 of 5";
  expect(data).toMatchObject([{ status: "pending", errorMessage }]);
  const waiting = await waitReasons(world.services.db, [{ ragId: rag, generation: 1 }]);
  expect(waiting).toEqual([{ reason: "embedding provider: 503", files: 1 }]);
  const look = { now: 1, limit: 5, mayReadAll: true, problem: null };
  const needs = await readNeeds(world.services.db, look);
  expect(needs.waiting).toMatchObject([{ errorMessage }]);
  // A full database cannot store a reason.
  const full = await readNeeds(world.services.db, { ...look, problem: "No room" });
  expect(full.waiting).toMatchObject([{ errorMessage: "No room" }]);
  isDown = false;
  await world.deliver();
  const finalNeeds = await readNeeds(world.services.db, look);
  expect(finalNeeds.waiting).toEqual([]);
  const [indexed] = (await listFilesOfSource(world.services.db, query)).data;
  expect(indexed).toMatchObject({ status: "indexed", errorMessage: null });
});

test("a file whose media type has a charset is filtered by either name of it", async () => {
  const { world, source, rag } = await ragWorld();
  // As `fetch` sends a string.
  const mimeType = "text/plain;charset=UTF-8";
  await world.put(source, "note.txt", "A note.", { mimeType });
  await world.deliver();
  const countMatches = async (value: string) => {
    const { queries } = await world.index(rag).search({
      queries: [{ text: "note", vector: null }],
      restriction: { named: null, metadata: [{ field: "mimeType", values: [value] }] },
      includeDuplicates: false,
      limitPerLeg: 5,
      lexical: true,
      ...WORDS_ALONE,
    });
    return queries[0]?.lexical.length;
  };
  expect(await countMatches("text/plain")).toBe(1);
  expect(await countMatches(mimeType)).toBe(1);
  expect(await countMatches("text/markdown")).toBe(0);
});

test("files of a batch are pending, then indexed; one that is not stored fails alone", async () => {
  const { world, source, rag } = await ragWorld();
  await world.put(source, "old.md", "A note about peat.");
  await world.put(source, "gone.md", "A note about heather.");
  await world.deliver();
  await world.drop(source, "gone.md");
  const untouched = world.services;
  world.services = { ...untouched };
  world.aroundBucket(async ({ args: [, body], go }) => {
    const isLost = body instanceof Uint8Array && new TextDecoder().decode(body) === "Lost.";
    if (isLost) throw new Error("the bucket is down");
    return await go();
  });
  const batch = {
    "old.md": "A note about moss.",
    "lost.md": "Lost.",
    "gone.md": "A note about ferns.",
    "new.md": "A note about bracken.",
  };
  const results = await world.putTogether(source, batch);
  expect(results.map(({ stored }) => ("thrown" in stored ? "failed" : stored.created))).toEqual([
    false,
    "failed",
    true,
    true,
  ]);
  expect(await world.rows(rag)).toMatchObject(
    ["gone.md", "new.md", "old.md"].map((path) => ({ path, status: "pending" })),
  );
  world.services = untouched;
  await world.deliver();
  const texts = await world.texts(rag);
  expect(texts).toEqual({
    "gone.md": ["A note about ferns."],
    "new.md": ["A note about bracken."],
    "old.md": ["A note about moss."],
  });
  await sweep(world.services);
  expect(await keysOf(source)).toHaveLength(3);

  const repeat = await world.putTogether(source, batch);
  expect(repeat.map(({ stored }) => ("thrown" in stored ? null : stored.changed))).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect(world.waiting).toHaveLength(1);
});

test("two batches of the same new paths at once leave one file each", async () => {
  const { world, source, rag } = await ragWorld();
  const texts = ["A note about moss.", "A note about peat."];
  const batches = texts.map((text) => world.putTogether(source, { "a.md": text, "b.md": text }));
  for (const results of await Promise.all(batches)) {
    for (const { stored } of results) expect(stored).toMatchObject({ changed: true });
  }
  await world.deliver();
  expect(await world.rows(rag)).toMatchObject([{ status: "indexed" }, { status: "indexed" }]);
  await sweep(world.services);
  expect(await keysOf(source)).toHaveLength(2);
});

test("a file over 25 MiB is refused and nothing of it is stored", async () => {
  const world = new World();
  const source = await world.addSource();
  const limit = 25 * 1024 * 1024;
  const chunk = new Uint8Array(1024 * 1024);
  let sentBytes = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sentBytes += chunk.byteLength;
      controller.enqueue(chunk);
    },
  });
  const upload = world.put(source, "big.bin", body);
  await expect(upload).rejects.toMatchObject({ kind: "too-large" });
  expect(sentBytes).toBeLessThan(1.5 * limit);
  expect(await rowsOf("select 1 from files where file_source_id = ?", source)).toEqual([]);
  expect(await keysOf(source)).toEqual([]);
});

test("an unreadable file is an error at once, and its earlier text is removed", async () => {
  const { world, source, rag } = await ragWorld();
  await world.putAndIndex(source, { "note.md": "A note." });
  await world.putAndIndex(source, { "note.md": "" });
  expect(await world.rows(rag)).toMatchObject([
    { status: "error", error: "no text found", chunks: 0 },
  ]);
  expect(await world.texts(rag)).toEqual({});
  await world.putAndIndex(source, { "note.md": "A note." });
  expect((await world.texts(rag))["note.md"]).toEqual(["A note."]);
});

test("each of many writers of one path is answered, and the last one stays", async () => {
  const { world, source, rag } = await ragWorld();
  const writers = Array.from({ length: 16 }, (_, at) => `# Moss\n\nVersion ${at} of the note.`);
  const answers = await Promise.all(writers.map((text) => world.put(source, "note.md", text)));
  expect(answers.filter(({ changed }) => changed)).toHaveLength(writers.length);
  await Promise.all(world.background);
  await world.deliver();
  const content = (await world.texts(rag))["note.md"]?.join() ?? "";
  expect(writers).toContain(content);
  await sweep(world.services);
  expect(await keysOf(source)).toHaveLength(1);
  const { files } = await manifestPage(world.services, { source: { id: source }, cursor: null });
  expect(files).toMatchObject([{ path: "note.md", sha256: await sha256Hex(content) }]);
});

test("a file that is left out and moved before it was indexed is never found", async () => {
  const { world, source, rag } = await ragWorld();
  await world.put(source, "plan.md", "A note about the takeover.");
  const exclusion = { source: { id: source }, path: "plan.md", passage: null, by: null };
  await excludeFromSearch(world.services, { ...exclusion, excluded: true });
  const moves = [{ from: "plan.md", to: "secret/plan.md" }];
  await movePushedFiles(world.services, { source: { id: source }, moves });
  await world.deliver();
  expect(await world.rows(rag)).toMatchObject([{ path: "secret/plan.md", status: "indexed" }]);
  expect(await world.texts(rag)).toEqual({});
});
