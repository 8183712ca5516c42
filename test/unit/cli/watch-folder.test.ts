import { watch, type FSWatcher } from "chokidar";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";

import type { PanelApi } from "../../../src/cli/api/clients.ts";
import { ApiError } from "../../../src/cli/api/patient-fetch.ts";
import { pushContinuously } from "../../../src/cli/push/push-continuously.ts";
import { watchFolder } from "../../../src/cli/push/watch-folder.ts";
import { openTerminal } from "../../../src/cli/terminal.ts";
import { eventually } from "../../support/eventually.ts";
import { testFolder } from "../../support/test-folder.ts";

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
  await watchFolder(folder, push, stopping.signal, { firstRetryMs: 1 });
  expect(calls).toEqual([true, false, false]);
});

test.each([
  [507, "a full disk", "is tried again"],
  [403, "a key of a member", "ends the command"],
])("a first push that meets %i, %s, %s", async (status, _cause, outcome) => {
  const stopping = new AbortController();
  vi.spyOn(console, "error").mockImplementation(() => stopping.abort());
  const refuse = () => Promise.reject(new ApiError(status, "no"));
  const api = { GET: refuse, PUT: refuse, POST: refuse } as unknown as PanelApi;
  const terminal = { ...openTerminal(false), warn: vi.fn<(line: string) => void>() };
  const request = { folder: testFolder(), source: "docs", ignore: true };
  const watching = pushContinuously(api, terminal, request, () => {}, stopping.signal);
  const result = await watching.then(
    () => "is tried again",
    () => "ends the command",
  );
  expect(result).toBe(outcome);
});

test("a folder that is removed and made again is still watched", async () => {
  const folder = join(testFolder(), "out");
  mkdirSync(folder);
  const stopping = new AbortController();
  let listing: string[] | null = [];
  const push = () => {
    listing = existsSync(folder) ? readdirSync(folder).sort() : null;
    return Promise.resolve(true);
  };
  const untilSeen = async (names: string[] | null) =>
    await eventually(() => expect(listing).toEqual(names));
  const watched = watchFolder(folder, push, stopping.signal, { firstRetryMs: 1 });
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

test("a change of who may read a folder's files is a change of the folder", async () => {
  const folder = testFolder();
  const stopping = new AbortController();
  let pushes = 0;
  const push = async () => ++pushes > 0;
  const watched = watchFolder(folder, push, stopping.signal);
  await eventually(() => expect(pushes).toBe(1));
  writeFileSync(join(folder, ".quarry-readers.json"), "{}");
  await eventually(() => expect(pushes).toBe(2));
  stopping.abort();
  await watched;
});

test.each([
  ["with more files than the system can watch", { compareEveryMs: 10 }, 3],
  ["on a drive that reports no changes", { compareSeldomMs: 10 }, 0],
])("a folder %s is compared again and again", async (_where, options, errors) => {
  const folder = testFolder();
  const stopping = new AbortController();
  const words = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const listings: string[][] = [];
  let watcher: FSWatcher | null = null;
  const open: typeof watch = (...args) => (watcher = watch(...args));
  const push = () => {
    if (listings.length === 0) watcher?.removeAllListeners("all");
    listings.push(readdirSync(folder));
    return Promise.resolve(true);
  };
  const watched = watchFolder(folder, push, stopping.signal, { ...options, open });
  await eventually(() => expect(listings[0]).toEqual([]));
  for (let at = 0; at < errors; at++)
    (watcher as FSWatcher | null)?.emit("error", new Error("ENOSPC: no watchers"));
  writeFileSync(join(folder, "a.md"), "a");
  await eventually(() => expect(listings.at(-1)).toEqual(["a.md"]));
  stopping.abort();
  await watched;
  const expected = "Changes are noticed within a minute, not at once: ENOSPC: no watchers";
  expect(words.mock.calls).toEqual(errors > 0 ? [[expected]] : []);
});

test("what is due again and again while a push lasts is pushed once after it", async () => {
  const stopping = new AbortController();
  let watcher: FSWatcher | null = null;
  const open: typeof watch = (...args) => (watcher = watch(...args));
  let pushes = 0;
  const push = async () => {
    pushes += 1;
    if (pushes > 1) {
      stopping.abort();
      return true;
    }
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    for (let at = 0; at < 3; at++) {
      watcher?.emit("all", "change", "a.md");
      await vi.advanceTimersByTimeAsync(1_000);
    }
    vi.useRealTimers();
    return true;
  };
  await watchFolder(testFolder(), push, stopping.signal, { open });
  expect(pushes).toBe(2);
});

test("a folder that takes long to compare is compared the more seldom", async () => {
  const stopping = new AbortController();
  const clock = vi.spyOn(performance, "now");
  const timers = vi.spyOn(globalThis, "setTimeout");
  let nowMs = 0;
  clock.mockImplementation(() => (nowMs += 120_000));
  const watched = watchFolder(testFolder(), () => Promise.resolve(true), stopping.signal);
  await eventually(() => expect(timers.mock.calls.map(([, ms]) => ms)).toContain(1_200_000));
  stopping.abort();
  await watched;
});
