import { expect, test } from "vitest";

import { findRag } from "../../../../src/catalog/rags/find-rag.ts";
import { removeRag } from "../../../../src/catalog/rags/remove-rag.ts";
import { MINUTE_MS } from "../../../../src/core/time.ts";
import { recoverAfterRestart, sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { ModelFailure } from "../../../../src/ports/models.ts";
import { World, statement } from "../../../support/ingestion-world.ts";
import {
  deliverBut,
  deliverFirst,
  facts,
  find,
  indexedRag,
  longText,
  ofBuild,
  patch,
  states,
  tenMinutesLater,
} from "./support.ts";

const SMALL = { chunkSize: 32, chunkOverlap: 0 };
const FILES = {
  "changed.html": longText("moss"),
  "removed.html": longText("heather"),
  "same.html": longText("gorse"),
};

test("files changed, removed and added during a build are so before and after it", async () => {
  for (const order of ["as sent", "backwards", "twice"]) {
    const { world, source, rag } = await indexedRag(new World(), FILES);
    await patch(world, rag, SMALL);
    await deliverBut(world, ofBuild);
    // One file is built in its old version, the others wait.
    await deliverFirst(world);

    await world.put(source, "changed.html", longText("bracken"));
    await world.put(source, "added.html", longText("sedge"));
    await world.drop(source, "removed.html");
    await deliverBut(world, ofBuild);
    expect(await states(rag)).toEqual(["1 live", "2 building"]);
    const during = await find(world, rag);
    expect(during.counts).toEqual({ "added.html": 1, "changed.html": 1, "same.html": 1 });
    expect(during.texts.join(" ")).toContain("bracken");

    await world.deliver((envelopes) => {
      if (order === "backwards") return envelopes.toReversed();
      return order === "twice" ? [...envelopes, ...envelopes] : envelopes;
    });
    expect(await states(rag)).toEqual(["1 retired", "2 live"]);
    const after = await find(world, rag);
    expect(Object.keys(after.counts).sort()).toEqual(["added.html", "changed.html", "same.html"]);
    expect(after.texts.join(" ")).not.toMatch(/moss|heather/);
    const { chunks, files } = await facts(world, rag, 2);
    expect(files).toBe(3);
    expect(await world.counters(rag)).toMatchObject({ indexed: 3, deleted: 1, vectors: chunks });
    await tenMinutesLater(world);
    expect(await find(world, rag)).toEqual(after);
  }
});

test("the sweep finishes a build whose messages were lost; a restart does at once", async () => {
  for (const restarted of [false, true]) {
    const { world, rag } = await indexedRag(new World(), FILES);
    await patch(world, rag, SMALL);
    world.waiting = [];
    await sweep(world.services);
    await deliverBut(world, ofBuild);
    await deliverFirst(world);
    world.waiting = [];
    if (restarted) await recoverAfterRestart(world.services);
    else {
      world.now += 15 * MINUTE_MS;
      await sweep(world.services);
    }
    await world.deliver();
    expect(await states(rag)).toEqual(["1 retired", "2 live"]);
    expect(Object.keys((await find(world, rag)).counts).sort()).toEqual(Object.keys(FILES));
    expect(await world.counters(rag)).toMatchObject({
      indexed: 3,
      vectors: (await facts(world, rag, 2)).chunks,
    });
  }
});

/** The embedding provider refuses what contains this word. */
const refusing = (world: World, word: string): void =>
  world.beforeEmbedding((texts) => {
    const isRefused = texts.some((text) => text.includes(word));
    if (isRefused) throw new ModelFailure("400", { retryable: false });
  });

test("a file that fails in the new generation only is an error after activation", async () => {
  const { world, source, rag } = await indexedRag(new World(), FILES);
  await world.putAndIndex(source, { "empty.html": "" });
  refusing(world, "heather");
  await patch(world, rag, SMALL);
  await deliverBut(world, ofBuild);
  expect(await world.counters(rag)).toMatchObject({ indexed: 3, error: 1 });
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  const reason = expect.stringMatching(/^embedding provider: /) as string;
  expect(await world.rows(rag)).toMatchObject([
    { path: "changed.html", status: "indexed", error: null },
    { path: "empty.html", status: "error", chunks: 0, error: "no text found" },
    { path: "removed.html", status: "error", chunks: 0, error: reason },
    { path: "same.html", status: "indexed", error: null },
  ]);
  expect(Object.keys((await find(world, rag)).counts)).not.toContain("removed.html");
});

test("where a new model fails for every file, the old index stays until it works", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const before = await find(world, rag);
  const { models } = world.services;
  refusing(world, "");
  await patch(world, rag, SMALL);
  await world.deliver();
  await tenMinutesLater(world);
  expect(await states(rag)).toEqual(["1 live", "2 building"]);
  expect(await world.counters(rag)).toMatchObject({ indexed: 3, error: 0, vectors: 3 });

  world.services.models = models;
  expect(await find(world, rag)).toEqual(before);
  await world.sweepAfter(20);
  expect((await states(rag)).slice(0, 2)).toEqual(["1 retired", "2 live"]);
  expect(await world.counters(rag)).toMatchObject({ indexed: 3, error: 0 });
});

test("a scope narrowed during a build hides in both generations", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  await patch(world, rag, SMALL);
  await deliverBut(world, ofBuild);
  await deliverFirst(world);
  const scopes = [{ type: "path" as const, value: "same.html" }];
  await patch(world, rag, { scopeMode: "scoped", scopes });
  expect((await find(world, rag)).counts).toEqual({ "same.html": 1 });
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  expect(Object.keys((await find(world, rag)).counts)).toEqual(["same.html"]);
  expect(await facts(world, rag, 2)).toMatchObject({ files: 1 });
  expect(await world.counters(rag)).toMatchObject({ indexed: 1 });
});

test("a RAG removed during a build leaves nothing behind in either generation", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  await patch(world, rag, SMALL);
  await deliverBut(world, ofBuild);
  await deliverFirst(world);
  await removeRag(world.services, { rag: await findRag(world.services, { key: rag }) });
  await world.deliver();
  for (const generation of [1, 2]) {
    expect(await facts(world, rag, generation)).toMatchObject({ chunks: 0, files: 0, staged: 0 });
  }
  const remaining = await statement(
    "select count(*) as n from rag_files where rag_id = ?",
    rag,
  ).first();
  expect(remaining).toEqual({ n: 0 });
});
