import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { RagId } from "../../../src/core/ids.ts";
import { MINUTE_MS } from "../../../src/core/time.ts";
import { takeUnclaimedFiles } from "../../../src/db/files/pending-files.ts";
import { overdueRemovals } from "../../../src/db/files/removal-store.ts";
import { countedDatabase } from "../../support/counted-rows.ts";
import { World, statement } from "../../support/ingestion-world.ts";
import { fileRows, workRows } from "../../support/rows-of-files.ts";

const LIMIT = 1_000;

/**
 * A RAG of rows alone: so many files in this state, that nobody holds since `claimedUntil`; with
 * `leasedUntil`, a worker's lease ended then.
 */
async function ragOf(
  world: World,
  rows: {
    files: number;
    status: "pending" | "processing" | "deleted";
    claimedUntil: number;
    leasedUntil?: number;
  },
  status: "active" | "paused" = "active",
): Promise<RagId> {
  const { source, rag } = await world.addSourceAndRag();
  await env.DB.batch([
    statement("update rags set status = ? where id = ?", status, rag),
    fileRows(source, rows.files),
    workRows(rag, source, { status: rows.status, ...heldOf(rows) }),
  ]);
  return rag;
}

/** A deleted file's removal is held by its lease's time. */
function heldOf({ status, claimedUntil, leasedUntil = 0 }: Parameters<typeof ragOf>[1]) {
  const lease = leasedUntil === 0 ? null : "worker";
  return status === "deleted"
    ? { claimed_until: 0, leased_until: claimedUntil, lease_id: null }
    : { claimed_until: claimedUntil, leased_until: leasedUntil, lease_id: lease };
}

/** Sweeps this database: the files that it takes by RAG, and the rows that it reads and writes. */
async function sweptFiles(world: World) {
  const { counts, db } = countedDatabase();
  const messages = await takeUnclaimedFiles(db, {
    now: world.now,
    claimedUntil: world.now + 10 * MINUTE_MS,
    limit: LIMIT,
    maxTries: 5,
    reason: "died",
    killedReason: "killed",
  });
  const queued = new Map<RagId, number>();
  for (const { ragId } of messages) queued.set(ragId, (queued.get(ragId) ?? 0) + 1);
  return { queued, messages, read: counts.read, written: counts.written };
}

const alone = async () => {
  await env.DB.prepare("delete from rags").run();
  return new World();
};

test("files of a paused RAG are not read, and delay no lost message of another RAG", async () => {
  const world = await alone();
  const paused = await ragOf(
    world,
    { files: 20_000, status: "pending", claimedUntil: 1 },
    "paused",
  );
  const crashedState = { files: 1, status: "processing", claimedUntil: 2 } as const;
  const crashed = await ragOf(world, crashedState, "paused");
  const active = await ragOf(world, { files: 1, status: "pending", claimedUntil: 3 });
  const removed = await ragOf(world, { files: 1, status: "deleted", claimedUntil: 4 });
  const { queued, read: rowsRead, written: rowsWritten } = await sweptFiles(world);
  expect([...queued]).toEqual([[active, 1]]);
  // A look at the files of the paused one is 20,000 rows.
  expect(rowsRead).toBeLessThan(200);
  expect(rowsWritten).toBeLessThan(20);
  expect(await world.rows(crashed)).toMatchObject([{ status: "pending" }]);
  expect(await world.counters(paused)).toMatchObject({ pending: 20_000 });

  const { counts, db } = countedDatabase();
  const times = { now: world.now, removedUntil: world.now + MINUTE_MS };
  const removals = await overdueRemovals(db, times, LIMIT);
  expect(removals.map(({ ragId }) => ragId)).toEqual([removed]);
  expect(counts.read).toBeLessThan(100);

  // As soon as it goes on, what has waited is sent.
  await statement("update rags set status = 'active' where id = ?", paused).run();
  expect((await sweptFiles(world)).queued).toEqual(new Map([[paused, LIMIT]]));
});

test("every RAG with lost messages gets its turn, however many wait longer in one", async () => {
  const world = await alone();
  const large = await ragOf(world, { files: 20_000, status: "pending", claimedUntil: 1 });
  const otherRags = [
    await ragOf(world, { files: 5, status: "pending", claimedUntil: 2 }),
    await ragOf(world, { files: 5, status: "processing", claimedUntil: 2 }),
  ];
  const { queued, read: rowsRead } = await sweptFiles(world);
  expect(otherRags.map((rag) => queued.get(rag))).toEqual([5, 5]);
  expect(queued.get(large)).toBe(LIMIT - 10);
  // Some fourteen for each message; those that the large one keeps are 19 times the limit.
  expect(rowsRead).toBeLessThan(20 * LIMIT);
});

test("a dead worker's file is taken when its lease ends, whoever claimed it", async () => {
  const world = await alone();
  const later = world.now + 10 * MINUTE_MS;
  const dead = { files: 2, status: "processing", claimedUntil: later, leasedUntil: 5 } as const;
  const died = await ragOf(world, dead);
  await ragOf(world, { ...dead, claimedUntil: 5, leasedUntil: later });
  expect([...(await sweptFiles(world)).queued]).toEqual([[died, 2]]);
});

test("however many files wait for vectors, the oldest of their index are taken", async () => {
  const world = await alone();
  const rag = await ragOf(world, { files: 20 * LIMIT, status: "processing", claimedUntil: 3 });
  const change = (path: string, set: string) =>
    statement(
      `update rag_files set ${set} where rag_id = ? and path = ? returning file_id`,
      rag,
      path,
    );
  const changed = await env.DB.batch<{ file_id: string }>([
    change("019999.md", "claimed_until = 1, status = 'pending'"),
    change("020000.md", "claimed_until = 1, lease_id = 'died', leased_until = 2"),
  ]);
  const { messages, read: rowsRead } = await sweptFiles(world);
  const fileIds = messages.map(({ fileId }) => String(fileId));
  for (const { results } of changed) expect(fileIds).toContain(results[0]?.file_id);
  expect(fileIds.length).toBeGreaterThan(LIMIT / 2);
  // Some twenty for each file that is taken; one more for each that waits is 20 times the limit.
  expect(rowsRead).toBeLessThan(30 * LIMIT);
});
