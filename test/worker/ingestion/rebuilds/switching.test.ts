import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { RagId } from "../../../../src/core/ids.ts";
import { readFileSlices } from "../../../../src/db/files/public-files.ts";
import {
  continueBuild,
  continueBuilds,
} from "../../../../src/ingestion/rebuilds/build-generation.ts";
import { countedDatabase } from "../../../support/counted-rows.ts";
import { crashAtCalls } from "../../../support/crash.ts";
import { World, statement } from "../../../support/ingestion-world.ts";
import { CHUNKS_BEFORE, forget, ragToBuild } from "../../../support/rows-of-files.ts";
import {
  deliverBut,
  facts,
  find,
  indexedRag,
  longText,
  ofBuild,
  ofGeneration,
  patch,
  states,
} from "./support.ts";

const CHUNKS_AFTER = 12;
const ROWS = 2_500;

/** A RAG of rows alone, whose next generation is built and has other chunks of each file. */
async function builtRag(world: World, rows: number): Promise<RagId> {
  const { rag } = await ragToBuild(world, rows);
  await env.DB.batch([
    statement(
      `insert into rag_files (rag_id, generation, file_id, path, status, revision, indexed_at,
         chunk_count)
       select rag_id, 2, file_id, path, status, revision, 2, ${CHUNKS_AFTER} from rag_files
       where rag_id = ?`,
      rag,
    ),
    statement(
      "update rag_generations set filled_up_to = null where rag_id = ? and generation = 2",
      rag,
    ),
  ]);
  return rag;
}

test("a worker that dies in a switch leaves the figures of one index or the other", async () => {
  const points = await crashAtCalls(async (crash) => {
    const world = new World();
    const rag = await builtRag(world, 100);
    await world.workUntil(crash, () => continueBuild(world.services, rag));
    const [first] = await states(rag);
    const vectors = 100 * (first === "1 live" ? CHUNKS_BEFORE : CHUNKS_AFTER);
    const exact = { indexed: 100, pending: 0, processing: 0, error: 0, deleted: 0 };
    expect(await world.counters(rag)).toEqual({ ...exact, vectors });
    await continueBuilds(world.services);
    expect(await states(rag)).toEqual(["1 retired", "2 live"]);
    expect(await world.counters(rag)).toEqual({ ...exact, vectors: 100 * CHUNKS_AFTER });
    await forget(rag);
  });
  expect(points).toBeGreaterThan(2);
});

test("a switch costs as much for many files as for few, and nothing follows", async () => {
  const costs = [];
  for (const rows of [100, ROWS]) {
    const world = new World();
    const rag = await builtRag(world, rows);
    const { counts, db } = countedDatabase();
    await continueBuild({ ...world.services, db }, rag);
    expect(await states(rag)).toEqual(["1 retired", "2 live"]);
    expect(world.waiting).toEqual([]);
    costs.push({ ...counts });
    await forget(rag);
  }
  const [few, many] = costs;
  expect(many).toEqual(few);
  expect(many?.written).toBeLessThan(10);
  expect(many?.read).toBeLessThan(50);
});

test("a page of files costs as many rows while another index is kept", async () => {
  const world = new World();
  const rag = await builtRag(world, ROWS);
  const reads = [];
  for (const generation of [1, 2]) {
    const { counts, db } = countedDatabase();
    const filter = { status: null, path: null };
    const slice = { ragId: rag, generation, offset: 1_000, limit: 100, filter };
    const [files] = await readFileSlices(db, [slice]);
    expect(files?.map(({ path }) => path).at(-1)).toBe("001100.md");
    reads.push(counts.read);
    await continueBuild(world.services, rag);
  }
  // A skipped file costs an index entry; a shown one costs that, its row and its file.
  // The lists of the four statuses that no file has are looked into once each.
  expect(reads).toEqual([1_000 + 4 * 100 + 4, 1_000 + 4 * 100 + 4]);
  await forget(rag);
});

/** A RAG of two files with a second index that is built but for the switch. */
async function readyRag() {
  const files = { "a.html": longText("moss"), "b.html": longText("heather") };
  const setup = await indexedRag(new World(), files);
  const { world } = setup;
  await patch(world, setup.rag, { chunkSize: 32, chunkOverlap: 0 });
  await deliverBut(world, ofBuild);
  await world.deliverBatch("quarry-index", world.waiting.splice(0));
  // All but the message that would switch.
  world.waiting = [];
  expect(await states(setup.rag)).toEqual(["1 live", "2 building"]);
  return setup;
}

async function expectTrueFigures(world: World, rag: RagId): Promise<void> {
  const { counts } = await find(world, rag);
  const indexedRows = (await world.rows(rag)).filter(({ chunks }) => chunks > 0);
  expect(Object.fromEntries(indexedRows.map(({ path, chunks }) => [path, chunks]))).toEqual(counts);
  const { chunks } = await facts(world, rag, 2);
  expect(await world.counters(rag)).toMatchObject({ pending: 0, processing: 0, vectors: chunks });
}

test("a file that waits at the switch is pending after it, and answers as before", async () => {
  const { world, source, rag } = await readyRag();
  await world.put(source, "a.html", longText("bracken"));
  await world.put(source, "new.html", longText("sedge"));
  await continueBuild(world.services, rag);
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  expect(await world.rows(rag)).toMatchObject([
    { path: "a.html", status: "pending" },
    { path: "b.html", status: "indexed" },
    { path: "new.html", status: "pending", chunks: 0 },
  ]);
  expect((await find(world, rag)).texts.join(" ")).toContain("moss");
  await world.deliver();
  await expectTrueFigures(world, rag);
  const { texts } = await find(world, rag);
  expect(texts.join(" ")).toMatch(/bracken/);
  expect(texts.join(" ")).toMatch(/sedge/);
  expect(texts.join(" ")).not.toContain("moss");
});

test("a file changed and changed back around the switch says what it says now", async () => {
  const { world, source, rag } = await readyRag();
  await world.put(source, "a.html", "A note, now short, of two parts.");
  await continueBuild(world.services, rag);
  await world.deliver();
  await world.putAndIndex(source, { "a.html": longText("moss") });
  await expectTrueFigures(world, rag);
  expect((await find(world, rag)).texts.join(" ")).toContain("moss ends here");
});

test("a removal and a failure just before the switch stay", async () => {
  const { world, source, rag } = await readyRag();
  await world.drop(source, "a.html");
  await world.put(source, "b.html", "");
  await continueBuild(world.services, rag);
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  await world.deliver();
  expect(await world.rows(rag)).toMatchObject([
    { path: "a.html", status: "deleted", chunks: 0 },
    { path: "b.html", status: "error", chunks: 0, error: "no text found" },
  ]);
  expect(await world.counters(rag)).toMatchObject({ vectors: 0, error: 1, deleted: 1 });
});

test("a file that is newer in the live index keeps the switch waiting", async () => {
  const { world, source, rag } = await readyRag();
  await world.put(source, "a.html", longText("bracken"));
  await deliverBut(world, ofBuild);
  await continueBuild(world.services, rag);
  expect(await states(rag)).toEqual(["1 live", "2 building"]);
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  await expectTrueFigures(world, rag);
  expect((await find(world, rag)).texts.join(" ")).toContain("bracken");
});

test("what a worker still did for the replaced index does not count", async () => {
  const { world, source, rag } = await readyRag();
  await world.put(source, "a.html", longText("bracken"));
  const untouched = world.services;
  world.services = { ...untouched };
  world.aroundIndexes(async ({ name, go }, { generation }) => {
    const answer = await go();
    if (name === "writeVersions" && generation === 1) {
      world.services = untouched;
      await continueBuild(untouched, rag);
    }
    return answer;
  });
  const ofLive = world.waiting.filter(ofGeneration(1));
  world.waiting = world.waiting.filter((envelope) => !ofLive.includes(envelope));
  await world.deliverBatch("quarry-index", ofLive);
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  // The new index does not have the change yet, and the row does not say that it does.
  expect((await find(world, rag)).texts.join(" ")).toContain("moss");
  expect(await world.rows(rag)).toMatchObject([{ status: "pending" }, { status: "indexed" }]);
  await world.deliver();
  await expectTrueFigures(world, rag);
  expect((await find(world, rag)).texts.join(" ")).toContain("bracken");
});
