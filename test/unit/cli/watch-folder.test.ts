import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { watchFolder } from "../../../src/cli/push/watch-folder.ts";
import { testFolder } from "../../support/test-folder.ts";
import { eventually } from "../../support/eventually.ts";

test("a push that failed is tried again until it is done, without a change", async () => {
  const folder = testFolder();
  const stopping = new AbortController();
  const outcomes = [false, false, true];
  const calls: boolean[] = [];
  const push = (isFirst: boolean) => {
    const isDone = outcomes[calls.length] ?? true;
    calls.push(isFirst);
    if (isDone) stopping.abort();
    return Promise.resolve(isDone);
  };
  await watchFolder(folder, push, stopping.signal, 1);
  expect(calls).toEqual([true, false, false]);
});

test("a folder that is removed and made again is still watched", async () => {
  const folder = join(testFolder(), "out");
  mkdirSync(folder);
  const stopping = new AbortController();
  let seen: string[] | null = [];
  const push = () => {
    seen = existsSync(folder) ? readdirSync(folder).sort() : null;
    return Promise.resolve(true);
  };
  const untilSeen = async (names: string[] | null) =>
    await eventually(() => expect(seen).toEqual(names));
  const watched = watchFolder(folder, push, stopping.signal, 1);
  rmSync(folder, { recursive: true });
  await untilSeen(null);
  mkdirSync(folder);
  await untilSeen([]);
  // Each change is a push of its own: none is seen by the push of another.
  const names = ["a.md", "b.md", "c.md", "d.md"];
  for (const [at, name] of names.entries()) {
    writeFileSync(join(folder, name), name);
    await untilSeen(names.slice(0, at + 1));
  }
  stopping.abort();
  await watched;
});
