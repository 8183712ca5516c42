import { expect, test } from "vitest";

import { SourceFailure } from "../../../../src/ports/source-reader.ts";
import { cursorOf, followedWorld } from "../../sources/scanning.ts";

test("after a listing that broke off, everything is listed, whatever the feed knows", async () => {
  const { reader, source, scan } = await followedWorld({ "a.txt": "A note.", "b.txt": "A note." });
  expect(await cursorOf(source)).not.toBeNull();
  reader.pageSize = 1;
  reader.oldestCursor = Infinity;
  reader.failures.set(1, new SourceFailure("denied", "no more"));
  await scan();
  expect(await cursorOf(source)).toBeNull();
  reader.failures.clear();
  reader.oldestCursor = 0;
  const before = reader.listings;
  await scan();
  expect(reader.listings).toBe(before + 1);
  expect(await cursorOf(source)).not.toBeNull();
});
