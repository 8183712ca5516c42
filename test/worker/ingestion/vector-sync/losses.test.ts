import { expect, test, vi } from "vitest";

import { vectorizeRag } from "../rebuilds/support.ts";
import { asSearched, drive, nearest } from "./support.ts";

const HEATHER = "Heather flowers in August.";
const GORSE = "Gorse grows by the road.";
const MOSS = "Moss grows on peat.";

test("while the vector index is down files come and go, and a search is by words", async () => {
  const { world, source, rag } = await vectorizeRag({ "a.html": HEATHER, "gone.html": GORSE });
  await world.minutesPass(3);
  expect(world.held(rag)).toHaveLength(2);
  world.vectorize.failure = new Error("down");
  await world.drop(source, "gone.html");
  await world.putAndIndex(source, { "b.html": MOSS });
  expect((await world.rows(rag)).map(({ status }) => status)).toEqual([
    "indexed",
    "indexed",
    "deleted",
  ]);
  const byWord = await nearest(world, rag, "heather");
  expect(byWord.chunks).toContain(`a.html: ${HEATHER}`);
  expect(byWord.degradations).toEqual([
    expect.stringMatching(/^vector index: failed after \d+ ms$/),
  ]);
  expect((await nearest(world, rag, "peatmoss")).chunks).toEqual([`b.html: ${MOSS}`]);
  expect((await nearest(world, rag, "gorse")).chunks).not.toContain(`gone.html: ${GORSE}`);
  world.vectorize.failure = null;
  await world.minutesPass(8);
  expect(world.held(rag)).toHaveLength(2);
  const { chunks, degradations } = await nearest(world, rag, "moss");
  expect([chunks[0], degradations]).toEqual([`b.html: ${MOSS}`, []]);
});

test("a question that the vector index fails once is asked once more", async () => {
  const { world, rag } = await vectorizeRag({ "a.html": HEATHER });
  await world.minutesPass(3);
  vi.spyOn(world.vectorize, "query").mockRejectedValueOnce(new Error("internal error"));
  const { chunks, degradations } = await nearest(world, rag, "heathr flowring");
  expect([degradations, chunks]).toEqual([[], [`a.html: ${HEATHER}`]]);
});

test("what was read stays in the answer when a search behind a crowd fails", async () => {
  const lines = (file: number) =>
    Array.from({ length: 12 }, (_, at) => `Heather and willow of plot ${file} bed ${at}.`);
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`${at}.txt`, lines(at).join("\n\n")]),
  );
  const { world, reader, rag, scan } = await drive(files, { scoreSteps: 1e6 });
  await world.minutesPass(4);
  const closest = (await nearest(world, rag, "heatherwillow")).chunks.slice(0, 90);
  const paths = [...new Set(closest.map((chunk) => chunk.split(":")[0] ?? ""))];
  for (const path of paths.slice(0, 12)) reader.remove(path);
  await scan();
  asSearched(world, (request) => {
    if (request.read?.kind === "all") throw new Error("overloaded");
    return request;
  });
  const { chunks, degradations } = await nearest(world, rag, "heatherwillow");
  expect(degradations).toEqual([expect.stringMatching(/^index: failed after \d+ ms$/)]);
  expect(chunks.length).toBeGreaterThan(0);
});
