import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { queueScopes } from "../../../src/catalog/rags/enforce-scopes.ts";
import { parseConfig } from "../../../src/config.ts";
import type { RagId } from "../../../src/core/ids.ts";
import { releaseImages } from "../../../src/db/files/image-store.ts";
import { listFilesOfSource } from "../../../src/db/files/source-file-list.ts";
import { reindexRag } from "../../../src/ingestion/rebuilds/reindex-rag.ts";
import { SeeingServer } from "../../doubles/openai-compatible/seeing-server.ts";
import { statement, World } from "../../support/ingestion-world.ts";
import { coded, greyPage, scannedPdf, textLine } from "../../support/scanned-pages.ts";

type Source = Awaited<ReturnType<World["addSource"]>>;
const MODEL = "local/eye";
const storedTexts = async () => (await env.FILES.list({ prefix: "images/" })).objects;
const PDF = { mimeType: "application/pdf" };
/** A source whose pictures a model of this server reads, unless `imageModel` says otherwise. */
async function seeingWorld(imageModel: string | null = MODEL) {
  const server = new SeeingServer();
  for (let page = 1; page <= 60; page++) server.pages.set(page, `A note of page ${page}.`);
  const config = parseConfig({
    ENVIRONMENT: "development",
    OPENAI_COMPATIBLE_BASE_URL: "http://eye.test/v1",
  });
  const world = new World({ models: modelRegistry(config, { fetch: server.fetch }) });
  const { source, rag } = await world.addSourceAndRag();
  await choose(source, imageModel);
  return { server, world, source, rag };
}

const choose = (source: Source, model: string | null) =>
  statement("update file_sources set image_model = ?2 where id = ?1", source, model).run();
async function add(world: World, source: Source, path: string, pages: number[]) {
  const body = scannedPdf(pages.map((page) => ({ pictures: [greyPage(page)] })));
  await world.put(source, path, new Blob([body]).stream(), PDF);
}
async function push(...what: Parameters<typeof add>) {
  await add(...what);
  await what[0].deliver();
}
function slowDown(world: World, { reads }: SeeingServer, msOf: (page: number) => number) {
  reads.push = (...pages) => {
    for (const page of pages) world.now += msOf(page ?? 0);
    return Array.prototype.push.apply(reads, pages);
  };
}
async function files({ services }: World, source: Source) {
  const { data } = await listFilesOfSource(services.db, { sourceId: source, offset: 0, limit: 9 });
  return Object.fromEntries(
    data.map(({ path, status, notes, errorMessage }) => [path, { status, notes, errorMessage }]),
  );
}

const allText = async (world: World, rag: RagId) =>
  Object.values(await world.texts(rag))
    .flat()
    .join("\n");
test("a page is read once for every file, RAG and source that holds it", async () => {
  const { server, world, source, rag } = await seeingWorld();
  await push(world, source, "scan.pdf", [1, 2, 3]);
  const expected = { status: "indexed", notes: [`pages 1 to 3 were read from images by ${MODEL}`] };
  expect(await files(world, source)).toMatchObject({ "scan.pdf": expected });
  expect((await world.texts(rag))["scan.pdf"]?.join("\n")).toContain("A note of page 2.");
  expect(new Set(server.reads)).toEqual(new Set([1, 2, 3]));
  const id = await statement("select id from files where file_source_id = ?", source).first("id");
  const { passages } = await world.index(rag).passages(id as never, { from: 0, limit: 9 });
  expect(passages.every(({ recognised }) => recognised === true)).toBe(true);
  await world.addRag(source);
  await push(world, source, "copy.pdf", [3, 1]);
  const second = await world.addSourceAndRag();
  await choose(second.source, MODEL);
  await push(world, second.source, "elsewhere.pdf", [2]);
  expect(server.reads).toHaveLength(3);
  expect(
    world.usage.flatMap(({ uses = [] }) => uses).filter(({ kind }) => kind === "image"),
  ).toEqual([
    expect.objectContaining({ model: MODEL, calls: 3, inputTokens: 3_000, outputTokens: 300 }),
  ]);
  // A text goes with the last file that holds its picture.
  for (const path of ["scan.pdf", "copy.pdf"]) await world.drop(source, path);
  await world.sweepAfter(1, 20);
  expect(await storedTexts()).toHaveLength(1);
});

test("a page that fails is told of and tried again; the others are found", async () => {
  const { server, world, source, rag } = await seeingWorld();
  server.instead.set(12, { status: 500 });
  server.instead.set(13, { text: "I'm sorry, I cannot help with this image." });
  await push(world, source, "scan.pdf", [11, 12, 13, 14]);
  expect(await files(world, source)).toMatchObject({
    "scan.pdf": {
      status: "indexed",
      notes: expect.arrayContaining([
        `pages 1 and 4 were read from images by ${MODEL}`,
        `page 2 could not be read from its image: 500 from ${MODEL}; it is tried again`,
        `page 3 could not be read from its image: the model refused, ${MODEL}; it is tried again`,
      ]),
    },
  });
  expect(await allText(world, rag)).toContain("page 14");
  server.instead.delete(13);
  await world.sweepAfter(1);
  expect(server.reads.filter((page) => page === 11)).toHaveLength(1);
  expect(await allText(world, rag)).toContain("page 13");
  await world.sweepAfter(1, 5, 15, 15, 15);
  expect((await files(world, source))["scan.pdf"]?.notes).toContain(
    `page 2 could not be read from its image: 500 from ${MODEL}`,
  );
  expect(server.reads.filter((page) => page === 12)).toHaveLength(5);
});

test("a file without a readable page is tried again as others are", async () => {
  const { server, world, source } = await seeingWorld();
  server.instead.set(21, { finish_reason: "length", text: "A note that goes on" });
  await push(world, source, "scan.pdf", [21]);
  expect((await files(world, source))["scan.pdf"]).toMatchObject({
    status: "error",
    errorMessage: expect.stringContaining("the answer was cut off at the limit of tokens"),
  });
  expect(server.reads).toHaveLength(5);
});

test("pictures wait for a model and are read within a minute of its choice", async () => {
  const { server, world, source, rag } = await seeingWorld(null);
  await push(world, source, "scan.pdf", [31, 32]);
  const body = scannedPdf([
    { pictures: [], content: textLine("A note that is typed by hand here.") },
    { pictures: [greyPage(33)] },
  ]);
  await world.put(source, "mixed.pdf", new Blob([body]).stream(), PDF);
  await world.deliver();
  const advice = "Choose an image model in the source's settings.";
  expect(await files(world, source)).toMatchObject({
    "scan.pdf": { status: "error", errorMessage: `2 pages are pictures. ${advice}` },
    "mixed.pdf": { status: "indexed", notes: [`1 page is a picture. ${advice}`] },
  });
  await choose(source, MODEL);
  await releaseImages(world.services.db, { id: source, pictures: false }, world.now);
  await world.sweepAfter(1);
  expect(new Set(server.reads)).toEqual(new Set([31, 32, 33]));
  expect(await files(world, source)).toMatchObject({
    "scan.pdf": { status: "indexed", errorMessage: null },
    "mixed.pdf": { status: "indexed", notes: [`page 2 was read from its image by ${MODEL}`] },
  });
  expect(await allText(world, rag)).toContain("typed by hand");
});

/** Does this once, when a file was claimed and its bytes were fetched. */
function whileReading({ services }: World, work: () => Promise<unknown>) {
  const { takeTurn } = services;
  services.takeTurn = async (size) => {
    services.takeTurn = takeTurn;
    await work();
    return await takeTurn(size);
  };
}

test("a model that is chosen while a file is read reads it within a minute", async () => {
  const { server, world, source, rag } = await seeingWorld(null);
  await add(world, source, "scan.pdf", [34]);
  whileReading(world, async () => {
    await choose(source, MODEL);
    await releaseImages(world.services.db, { id: source, pictures: false }, world.now);
  });
  await world.deliver();
  expect(server.reads).toEqual([]);
  await world.sweepAfter(1);
  expect(await allText(world, rag)).toContain("page 34");
});

test("a page whose next try comes while its file is still at work is not forgotten", async () => {
  const { server, world, source, rag } = await seeingWorld();
  server.instead.set(36, { status: 500 });
  await push(world, source, "scan.pdf", [35, 36]);
  server.instead.delete(36);
  const become = (status: string, leaseId: string | null, until: number) =>
    statement(
      `update rag_files set status = ?2, lease_id = ?3, leased_until = ?4
        where file_id in (select id from files where file_source_id = ?1)`,
      source,
      status,
      leaseId,
      until,
    ).run();
  await become("processing", "another", world.now + 600_000);
  await world.sweepAfter(1);
  await become("indexed", null, 0);
  await world.sweepAfter(1);
  expect(await allText(world, rag)).toContain("page 36");
});

test("pictures of a file that was deleted meanwhile are not read, nor kept", async () => {
  const { server, world, source } = await seeingWorld();
  const before = (await storedTexts()).length;
  await add(world, source, "scan.pdf", [37, 38]);
  whileReading(world, () => world.drop(source, "scan.pdf"));
  await world.deliver();
  expect(server.reads).toEqual([]);
  expect(await storedTexts()).toHaveLength(before);
});

test("pages that a new version of their file has, too, are not read again", async () => {
  const { server, world, source } = await seeingWorld();
  await push(world, source, "scan.pdf", [47, 48]);
  await add(world, source, "scan.pdf", [47, 48, 49]);
  await world.sweepAfter(1);
  expect(server.reads).toHaveLength(3);
});

test("each page of a scan that takes many tries is decoded once, or once more", async () => {
  const { server, world, source, rag } = await seeingWorld();
  const pages = [53, 54, 55, 56, 57, 58, 59, 60];
  server.instead.set(60, { status: 500 });
  slowDown(world, server, () => 61_000);
  // The last step of a picture that has to be decoded.
  const decoding: Record<"CompressionStream", () => void> = globalThis as never;
  const pictures = vi.spyOn(decoding, "CompressionStream");
  const blank = { pictures: [], content: textLine("53") };
  const jbig = { pictures: [coded(new Uint8Array([1]), "/JBIG2Decode", "/BitsPerComponent 1")] };
  const scans = pages.map((page) => ({ pictures: [greyPage(page)] }));
  const body = new Blob([scannedPdf([...scans, blank, jbig])]).stream();
  await world.put(source, "scan.pdf", body, PDF);
  // After half a minute other files have their turn: a try reads one page here.
  const tries = vi.spyOn(world.services.log, "warn");
  await world.deliver();
  expect(tries.mock.calls.length).toBeGreaterThanOrEqual(pages.length - 1);
  const text = await allText(world, rag);
  for (const page of pages.slice(0, -1)) expect(text).toContain(`page ${page}`);
  expect(new Set(server.reads).size).toBe(pages.length);
  const { length: count } = pictures.mock.calls;
  expect(count).toBeLessThanOrEqual(2 * pages.length);
  server.instead.delete(60);
  // To fetch what earlier tries have had read is no work.
  world.aroundBucket(({ go }) => ((world.now += 40_000), go()));
  await world.sweepAfter(1);
  expect(await allText(world, rag)).toContain("page 60");
  expect(pictures).toHaveBeenCalledTimes(count + 1);
});

test("a text that another file has had read stays with the file that takes it", async () => {
  const { server, world, source } = await seeingWorld("local/other-eye");
  await push(world, source, "first.pdf", [15]);
  await choose(source, MODEL);
  server.instead.set(16, { status: 500 });
  await push(world, source, "scan.pdf", [15, 16]);
  await choose(source, "local/other-eye");
  await world.sweepAfter(1);
  await world.drop(source, "first.pdf");
  await world.sweepAfter(1, 20);
  await push(world, source, "copy.pdf", [15]);
  expect(server.reads.filter((page) => page === 15)).toHaveLength(2);
});

test("a page that always takes too long holds back no other page", async () => {
  const { server, world, source, rag } = await seeingWorld();
  server.instead.set(41, { status: 500 });
  for (const page of [5, 6, 7]) server.instead.set(page, { text: "The document contains a map." });
  slowDown(world, server, (page) => (page === 41 ? 121_000 : page < 8 ? 11_000 : 0));
  await push(world, source, "scan.pdf", [41, 42, 43, 44]);
  const text = await allText(world, rag);
  for (const page of [42, 43, 44]) expect(text).toContain(`page ${page}`);
  expect(server.reads.filter((page) => page === 42)).toHaveLength(1);
  await push(world, source, "maps.pdf", [5, 6, 7, 8]);
  expect(await allText(world, rag)).toContain("page 8");
});

test("a page may begin as an explanation of it would", async () => {
  const { server, world, source } = await seeingWorld();
  const text = `This document contains a notice. ${"It goes on about peat and moss. ".repeat(9)}`;
  const more = "Then it speaks of fens, of heath and of the birds that live there all year round.";
  server.instead.set(45, { text: `${text}${more}` });
  server.instead.set(46, { text: "The document contains a table of prices." });
  await push(world, source, "scan.pdf", [45, 46]);
  expect((await files(world, source))["scan.pdf"]?.notes).toEqual([
    `page 1 was read from its image by ${MODEL}`,
    expect.stringContaining("page 2 could not be read from its image: an explanation in place"),
  ]);
});

test("a new RAG takes what another model has read; who indexes anew reads it for all", async () => {
  const { server, world, source, rag } = await seeingWorld();
  const reread = () => server.reads.filter((page) => (page ?? 0) > 50).length;
  await push(world, source, "scan.pdf", [51, 52]);
  await choose(source, "local/other-eye");
  server.pages.set(51, "A longer note, which only the other model has seen, of page 51.");
  const added = await world.addRag(source);
  await queueScopes(world.services, added);
  await world.deliver();
  expect(reread()).toBe(2);
  expect(await allText(world, added)).toContain("A note of page 51");
  await reindexRag(world.services, { ragId: added });
  await world.deliver();
  expect(reread()).toBe(4);
  // The text is one for all RAGs of the source: passages of the others stand in it, too.
  await world.sweepAfter(1);
  expect(await allText(world, rag)).toContain("only the other model has seen");
  expect(reread()).toBe(4);
});
