import { beforeEach, expect, test, vi } from "vitest";

import { QuarryError } from "../../../../src/core/errors.ts";
import { Turns } from "../../../../src/core/work/turns.ts";

beforeEach(() => void vi.useFakeTimers());
/** Work that has begun, by name, and what ends it. */
type Begun = Map<string, () => void>;

const begin = (turns: Turns, begun: Begun, name: string, signal?: AbortSignal) =>
  turns.begin(name.charAt(0), signal).then((end) => void begun.set(name, end));

const after = async (ms: number, begun: Begun) => {
  await vi.advanceTimersByTimeAsync(ms);
  return [...begun.keys()];
};

test("a caller's work waits behind its own, and nobody else's does", async () => {
  const turns = new Turns({ atOnce: 2, waiting: 10 });
  const begun: Begun = new Map();
  for (const name of ["a1", "a2", "a3", "a4", "b1"]) void begin(turns, begun, name);
  expect(await after(500, begun)).toEqual(["a1", "a2", "b1"]);
  begun.get("a1")?.();
  expect(await after(50, begun)).toEqual(["a1", "a2", "b1", "a3"]);
  begun.get("a2")?.();
  expect(await after(50, begun)).toEqual(["a1", "a2", "b1", "a3", "a4"]);
});

test("too much waiting work of a caller is refused, with a time to come again", async () => {
  const turns = new Turns({ atOnce: 1, waiting: 1 });
  const begun: Begun = new Map();
  for (const name of ["a1", "a2"]) void begin(turns, begun, name);
  await after(0, begun);
  const refused = await begin(turns, begun, "a3").catch((thrown: unknown) => thrown);
  expect(refused).toBeInstanceOf(QuarryError);
  expect(refused).toMatchObject({ kind: "busy", retryAfterSeconds: 5 });
  begun.get("a1")?.();
  expect(await after(50, begun)).toEqual(["a1", "a2"]);
});

test("who goes away while waiting leaves its place to the next", async () => {
  const turns = new Turns({ atOnce: 1, waiting: 5 });
  const begun: Begun = new Map();
  const gone = new AbortController();
  void begin(turns, begun, "a1");
  const left = begin(turns, begun, "a2", gone.signal).catch(() => "left");
  void begin(turns, begun, "a3");
  gone.abort();
  await after(50, begun);
  expect(await left).toBe("left");
  begun.get("a1")?.();
  expect(await after(50, begun)).toEqual(["a1", "a3"]);
});

test("work whose request was cut off holds no turn for ever", async () => {
  const turns = new Turns({ atOnce: 1, waiting: 5 });
  const begun: Begun = new Map();
  for (const name of ["a1", "a2"]) void begin(turns, begun, name);
  expect(await after(30_000, begun)).toEqual(["a1"]);
  expect(await after(31_000, begun)).toEqual(["a1", "a2"]);
});
