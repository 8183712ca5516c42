import { expect, test } from "vitest";

import { MINUTE_MS } from "../../../../src/core/time.ts";
import type { ListingPage } from "../../../../src/ports/source-reader.ts";
import { ScriptedSource } from "../../../doubles/source/scripted-source.ts";
import { lastRun, sourceWorld } from "../../sources/scanning.ts";

const REPEATS = "the listing does not end: the provider returned the same page again";
const EMPTY = "the listing does not end: 100 pages in a row were empty";
/** Longer than a listing that ends is allowed to be empty. */
const FOLDERS = 150;

const nothing = { files: [], deleted: [] };

/** What page number `at` answers, from 0. */
async function scanned(pageAt: (at: number) => ListingPage) {
  let asked = 0;
  const reader = Object.assign(new ScriptedSource(), { list: async () => pageAt(asked++) });
  const { world, source, scan } = await sourceWorld(reader);
  const begun = world.now;
  await scan();
  const run = await lastRun(source);
  return { asked, ...run, waitsMs: Number(run?.["nextAt"]) - begun };
}

test.each([
  ["one token again and again", () => ({ ...nothing, next: "same" }), 2, REPEATS],
  ["tokens in turn", (at: number) => ({ ...nothing, next: `${at % 7}` }), 15, REPEATS],
  [
    "one token behind pages that hold folders",
    () => ({ ...nothing, entries: 9, next: "same" }),
    2,
    REPEATS,
  ],
  [
    "a circle behind a long way",
    (at: number) => ({ ...nothing, entries: 1, next: `${at < 60 ? at : 60 + (at % 5)}` }),
    130,
    REPEATS,
  ],
  ["new tokens of empty pages", (at: number) => ({ ...nothing, next: `${at}` }), 100, EMPTY],
])("a provider that sends %s is asked a few times and told", async (_what, pageAt, most, error) => {
  const run = await scanned(pageAt);
  expect(run).toMatchObject({ error, finished: 1 });
  expect(run.asked).toBeLessThanOrEqual(most);
  expect(run.waitsMs).toBeGreaterThan(30 * MINUTE_MS);
});

test("a long listing of folders, and one with some empty pages, end as they should", async () => {
  const run = await scanned((at) => ({
    ...nothing,
    entries: at % 50 === 0 ? 1 : 0,
    next: at < FOLDERS ? `${at}` : null,
  }));
  expect(run).toMatchObject({ asked: FOLDERS + 1, error: null, finished: 1 });
});
