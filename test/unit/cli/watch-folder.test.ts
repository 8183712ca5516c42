import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { watchFolder } from "../../../src/cli/push/watch-folder.ts";

test("a push that failed is tried again until it is done, without a change", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quarry-watch-"));
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
  rmSync(folder, { recursive: true });
  expect(calls).toEqual([true, false, false]);
});
