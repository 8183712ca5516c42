import { expect, test } from "vitest";

import { HOUR_MS } from "../../../../src/core/time.ts";
import { SourceFailure } from "../../../../src/ports/source-reader.ts";
import type { World } from "../../../support/ingestion-world.ts";
import { cursorOf, followedWorld, lastRun } from "../../sources/scanning.ts";

/** A source that is listed again, as its cursor has expired; that breaks off at the second page. */
async function brokenWorld(kind: "denied" | "down") {
  const made = await followedWorld({ "a.txt": "A note.", "b.txt": "A note." });
  const { reader } = made;
  reader.pageSize = 1;
  reader.failures.set(1, new SourceFailure(kind, "no more"));
  reader.oldestCursor = Infinity;
  const listsInScan = async () => {
    const before = reader.listings;
    await made.scan();
    return reader.listings - before;
  };
  return { ...made, listsInScan };
}

test("after a listing that broke off, everything is listed, and the feed followed", async () => {
  const { reader, world, source, rag, listsInScan } = await brokenWorld("denied");
  const cursor = await cursorOf(source);
  expect(await listsInScan()).toBe(1);
  reader.oldestCursor = 0;
  for (const text of ["Another note.", "A third note."]) {
    reader.change("b.txt", text);
    expect(await listsInScan()).toBe(1);
    expect(await lastRun(source)).toMatchObject({ error: "no more", status: "error" });
    expect(await world.shown(rag)).toMatchObject({ "b.txt": [text] });
    expect(await cursorOf(source)).toBe(cursor);
  }
  reader.failures.clear();
  expect([await listsInScan(), await listsInScan()]).toEqual([1, 0]);
  expect(await cursorOf(source)).not.toBe(cursor);
});

test("so it is after a listing whose messages were given up", async () => {
  const { reader, world, source, listsInScan } = await brokenWorld("down");
  let lost: World["waiting"] = [];
  const scan = { kind: "scan", fileSourceId: source, confirmRemovals: false, urls: null } as const;
  await world.services.queue.scan(scan);
  await world.deliver((all) => {
    const { later = [], now = [] } = Object.groupBy(all, ({ body }) =>
      "runId" in body ? "later" : "now",
    );
    lost = later;
    return now;
  });
  reader.failures.clear();
  reader.oldestCursor = 0;
  world.now += HOUR_MS;
  await world.deliverBatch("quarry-scan-dead", lost);
  expect(await lastRun(source)).toMatchObject({ error: expect.stringContaining("not finish") });
  expect([await listsInScan(), await listsInScan()]).toEqual([1, 0]);
});
