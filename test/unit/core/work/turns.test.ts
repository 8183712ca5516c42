import { beforeEach, expect, test, vi } from "vitest";

import { QuarryError } from "../../../../src/core/errors.ts";
import { Turns } from "../../../../src/core/work/turns.ts";

beforeEach(() => void vi.useFakeTimers());
/** Work that has begun, by name, and what ends it. */
type Begun = Map<string, () => void>;

const begin = (turns: Turns, running: Begun, name: string, signal?: AbortSignal) =>
  turns.begin(name.charAt(0), signal).then((end) => void running.set(name, end));

const after = async (ms: number, running: Begun) => {
  await vi.advanceTimersByTimeAsync(ms);
  return [...running.keys()];
};

test("a caller's work waits behind its own, and nobody else's does", async () => {
  const turns = new Turns({ atOnce: 2, waiting: 10 });
  const running: Begun = new Map();
  for (const name of ["a1", "a2", "a3", "a4", "b1"]) void begin(turns, running, name);
  expect(await after(500, running)).toEqual(["a1", "a2", "b1"]);
  running.get("a1")?.();
  expect(await after(50, running)).toEqual(["a1", "a2", "b1", "a3"]);
  running.get("a2")?.();
  expect(await after(50, running)).toEqual(["a1", "a2", "b1", "a3", "a4"]);
});

test("too much waiting work of a caller is refused, with a time to come again", async () => {
  const turns = new Turns({ atOnce: 1, waiting: 1 });
  const running: Begun = new Map();
  for (const name of ["a1", "a2"]) void begin(turns, running, name);
  await after(0, running);
  const refusal = await begin(turns, running, "a3").catch((thrown: unknown) => thrown);
  expect(refusal).toBeInstanceOf(QuarryError);
  expect(refusal).toMatchObject({ kind: "busy", retryAfterSeconds: 5 });
  running.get("a1")?.();
  expect(await after(50, running)).toEqual(["a1", "a2"]);
});

test("who goes away while waiting leaves its place to the next", async () => {
  const turns = new Turns({ atOnce: 1, waiting: 5 });
  const running: Begun = new Map();
  const controller = new AbortController();
  void begin(turns, running, "a1");
  const waiting = begin(turns, running, "a2", controller.signal).catch(() => "left");
  void begin(turns, running, "a3");
  controller.abort();
  await after(50, running);
  expect(await waiting).toBe("left");
  running.get("a1")?.();
  expect(await after(50, running)).toEqual(["a1", "a3"]);
});

test("work whose request was cut off holds no turn for ever", async () => {
  const turns = new Turns({ atOnce: 1, waiting: 5 });
  const running: Begun = new Map();
  for (const name of ["a1", "a2"]) void begin(turns, running, name);
  expect(await after(30_000, running)).toEqual(["a1"]);
  expect(await after(31_000, running)).toEqual(["a1", "a2"]);
});
