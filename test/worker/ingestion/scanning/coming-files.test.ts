import { expect, test } from "vitest";

import { createRag } from "../../../../src/catalog/rags/create-rag.ts";
import { findRag } from "../../../../src/catalog/rags/find-rag.ts";
import { addScope, removeScope } from "../../../../src/catalog/rags/scopes.ts";
import { updateRag } from "../../../../src/catalog/rags/update-rag.ts";
import type { FileSourceId, RagId } from "../../../../src/core/ids.ts";
import { MINUTE_MS } from "../../../../src/core/time.ts";
import { applyScopesToPage, countScopeChange } from "../../../../src/db/files/scope-work-store.ts";
import { recoverAfterRestart, sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { reindexRag } from "../../../../src/ingestion/rebuilds/reindex-rag.ts";
import { countedDatabase } from "../../../support/counted-rows.ts";
import { World, statement } from "../../../support/ingestion-world.ts";
import { fileRows } from "../../../support/rows-of-files.ts";

/** More than two pages of the application. */
const MANY = 2_500;

/** `many/0001` … and `few/1` to `few/3`, without bytes: nothing of them is indexed here. */
const addFiles = async (source: FileSourceId) =>
  await fileRows(source, MANY + 3, {
    path: "case when i <= 3 then 'few/' || i else printf('many/%04d', i - 3) end",
  }).run();

async function prepared() {
  const world = new World();
  const source = await world.addSource();
  await addFiles(source);
  const totals = async (key: RagId) => {
    const { totalFiles, processedFiles } = await findRag(world.services, { key });
    return { totalFiles, processedFiles };
  };
  const rowCount = async (rag: RagId) => (await world.rows(rag)).length;
  /** One round of what waits but indexing. */
  const applyOneStep = async () => {
    const scans = world.waiting.splice(0).filter(({ queue }) => queue === "quarry-scan");
    const scopeMessages = scans.filter(
      ({ body }) => "kind" in body && body.kind === "apply-scopes",
    );
    await world.deliverBatch("quarry-scan", scopeMessages);
    return scopeMessages.length > 0;
  };
  const applyAll = async () => {
    while (await applyOneStep());
  };
  /** As if all that is listed were indexed: a client would take the RAG for done. */
  const indexListed = async (rag: RagId) => {
    const pending = "rag_id = ? and status = 'pending'";
    await statement(`update rag_files set status = 'indexed' where ${pending}`, rag).run();
  };
  return { world, source, totals, rowCount, applyOneStep, applyAll, indexListed };
}

const folder = (value: string) => ({ type: "path", value }) as const;

test("a new RAG counts all files at once, and is never done too early", async () => {
  const { world, source, totals, rowCount, applyOneStep, indexListed } = await prepared();
  const newRag = await createRag(world.services, { name: "All", fileSource: source });
  expect(newRag).toMatchObject({ totalFiles: MANY + 3, processedFiles: 0 });
  // The first files are listed with the answer.
  expect(await rowCount(newRag.id)).toBe(500);
  for (let step = 0; step < 5; step++) {
    await indexListed(newRag.id);
    const processedFiles = await rowCount(newRag.id);
    expect(await totals(newRag.id)).toEqual({ totalFiles: MANY + 3, processedFiles });
    await applyOneStep();
  }
  expect(await rowCount(newRag.id)).toBe(MANY + 3);
});

test("scopes that come and go in a row show their own totals at once", async () => {
  const { world, source, totals, rowCount, applyOneStep, applyAll, indexListed } = await prepared();
  const scopes = [folder("few/")];
  const rag = await createRag(world.services, { name: "Some", fileSource: source, scopes });
  expect(rag.totalFiles).toBe(3);
  expect(await rowCount(rag.id)).toBe(3);
  await applyAll();
  await indexListed(rag.id);
  await addScope(world.services, { rag, scope: folder("many/0001") });
  expect(await totals(rag.id)).toEqual({ totalFiles: 4, processedFiles: 3 });
  expect(await world.rows(rag.id)).toContainEqual(
    expect.objectContaining({ path: "many/0001", status: "pending" }),
  );
  await removeScope(world.services, { rag, scope: folder("many/0001") });

  expect(await addScope(world.services, { rag, scope: folder("many/") })).toEqual({
    files: String(MANY),
  });
  expect(await totals(rag.id)).toEqual({ totalFiles: MANY + 3, processedFiles: 3 });
  await applyOneStep();
  await removeScope(world.services, { rag, scope: folder("few/") });
  expect(await totals(rag.id)).toEqual({ totalFiles: MANY, processedFiles: 0 });
  await applyOneStep();
  expect(await totals(rag.id)).toEqual({ totalFiles: MANY, processedFiles: 0 });
  await applyAll();
  expect(await rowCount(rag.id)).toBe(MANY);
  expect(await totals(rag.id)).toEqual({ totalFiles: MANY, processedFiles: 0 });

  await indexListed(rag.id);
  const swapped = await updateRag(world.services, { rag, patch: { scopes } });
  // 2,000 of the files that leave are counted out at once.
  expect(swapped).toMatchObject({ totalFiles: MANY - 2_000 + 3, processedFiles: MANY - 2_000 });
  await applyAll();
  expect(await totals(rag.id)).toEqual({ totalFiles: 3, processedFiles: 0 });
  const all = await updateRag(world.services, { rag, patch: { scopeMode: "global" } });
  expect(all).toMatchObject({ totalFiles: MANY + 3, processedFiles: 0 });
});

test("scopes whose walk was never queued are applied by the sweep, removals too", async () => {
  const { world, source, totals, rowCount, applyAll, indexListed } = await prepared();
  const scopes = [folder("few/"), folder("many/")];
  const rag = await createRag(world.services, { name: "Lost", fileSource: source, scopes });
  await applyAll();
  await indexListed(rag.id);
  const { queue } = world.services;
  const scan = () => Promise.reject(new Error("queue is down"));
  const services = { ...world.services, queue: { ...queue, scan } };
  await expect(removeScope(services, { rag, scope: folder("many/") })).rejects.toThrow("is down");
  world.now += 2 * MINUTE_MS;
  await sweep(world.services);
  await applyAll();
  expect(await rowCount(rag.id)).toBe(3);
  expect(await totals(rag.id)).toEqual({ totalFiles: 3, processedFiles: 3 });
});

test("a removed scope takes along what it was to add, an unknown one nothing", async () => {
  const { world, source, totals } = await prepared();
  const scopes = [folder("few/")];
  const rag = await createRag(world.services, { name: "Soon", fileSource: source, scopes });
  const remove = (value: string) => removeScope(world.services, { rag, scope: folder(value) });
  await remove("many/");
  expect(await totals(rag.id)).toEqual({ totalFiles: 3, processedFiles: 0 });
  await addScope(world.services, { rag, scope: folder("many/") });
  await remove("few/");
  expect(await totals(rag.id)).toEqual({ totalFiles: MANY, processedFiles: 0 });
});

test("a change of one scope among thousands reads rows for its own files only", async () => {
  const { world, source } = await prepared();
  const scopes = Array.from({ length: 3_000 }, (_, at) => folder(`other/${at}/`));
  const rag = await createRag(world.services, { name: "Wide", fileSource: source, scopes });
  const { counts, db } = countedDatabase();
  await countScopeChange(db, rag.id, { kind: "replaced" }, { now: 1, heldUntil: 1 });
  expect(counts.read).toBeLessThan(10 * MANY);
  counts.read = 0;
  const added = { kind: "added", scope: folder("few/") } as const;
  await countScopeChange(db, rag.id, added, { now: 1, heldUntil: 1 });
  expect(counts.read).toBeLessThan(100);
});

test("a page of the application reads rows for its own files only", async () => {
  const { world, source, applyAll } = await prepared();
  const rag = await createRag(world.services, { name: "Paged", fileSource: source });
  await applyAll();
  await statement("update rags set scopes_due_at = 1 where id = ?", rag.id).run();
  const { counts, db } = countedDatabase();
  const times = { now: 1, claimedUntil: 1, removedUntil: 1 };
  const page = { after: "", upTo: "few/3", revision: null };
  await applyScopesToPage(db, rag.id, page, times);
  expect(counts.read).toBeLessThan(100);
});

test("an application that broke off is taken up, and what is coming stays counted", async () => {
  const { world, source, totals, rowCount, applyOneStep, applyAll, indexListed } = await prepared();
  const rag = await createRag(world.services, { name: "Broken", fileSource: source });
  await applyOneStep();
  world.waiting.splice(0);
  await reindexRag(world.services, { ragId: rag.id });
  await indexListed(rag.id);
  expect((await totals(rag.id)).totalFiles).toBe(MANY + 3);
  await recoverAfterRestart(world.services);
  await applyAll();
  expect(await rowCount(rag.id)).toBe(MANY + 3);
  expect((await totals(rag.id)).totalFiles).toBe(MANY + 3);
  world.waiting.splice(0);
  world.now += 20 * MINUTE_MS;
  await sweep(world.services);
  // A restart of a thousand RAGs applies only scopes that are not applied.
  await recoverAfterRestart(world.services);
  expect(world.waiting).not.toContainEqual(
    expect.objectContaining({ body: expect.objectContaining({ kind: "apply-scopes" }) }),
  );
});
