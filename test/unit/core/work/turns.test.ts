import { expect, test } from "vitest";

import { QuarryError } from "../../../../src/core/errors.ts";
import { Turns } from "../../../../src/core/work/turns.ts";

const { signal: stays } = new AbortController();

/** Begins work of a caller; `order` gets its name when it begins. */
const begun = (turns: Turns, order: string[], caller: string, name: string, signal = stays) =>
  turns.begin(caller, signal).then(() => order.push(name));

const settled = async () => {
  for (let at = 0; at < 5; at++) await Promise.resolve();
};

test("a caller's work waits behind its own, and nobody else's does", async () => {
  const turns = new Turns({ atOnce: 2, waiting: 10 });
  const order: string[] = [];
  const all = ["a1", "a2", "a3", "a4", "b1"].map((name) =>
    begun(turns, order, name.charAt(0), name),
  );
  await settled();
  expect(order).toEqual(["a1", "a2", "b1"]);
  turns.end("a");
  await settled();
  expect(order).toEqual(["a1", "a2", "b1", "a3"]);
  turns.end("a");
  await Promise.all(all);
  expect(order.at(-1)).toBe("a4");
});

test("too much waiting work of a caller is refused, with a time to come again", async () => {
  const turns = new Turns({ atOnce: 1, waiting: 1 });
  const order: string[] = [];
  const [, second] = [begun(turns, order, "a", "a1"), begun(turns, order, "a", "a2")];
  const refused = await begun(turns, order, "a", "a3").catch((thrown: unknown) => thrown);
  expect(refused).toBeInstanceOf(QuarryError);
  expect(refused).toMatchObject({ kind: "busy", retryAfterSeconds: 5 });
  turns.end("a");
  await second;
  expect(order).toEqual(["a1", "a2"]);
});

test("who goes away while waiting leaves its place to the next", async () => {
  const turns = new Turns({ atOnce: 1, waiting: 5 });
  const order: string[] = [];
  const gone = new AbortController();
  await begun(turns, order, "a", "a1");
  const left = begun(turns, order, "a", "a2", gone.signal).catch(() => "left");
  const third = begun(turns, order, "a", "a3");
  gone.abort();
  expect(await left).toBe("left");
  turns.end("a");
  await third;
  expect(order).toEqual(["a1", "a3"]);
});
