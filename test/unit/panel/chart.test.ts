import { html } from "hono/html";
import { expect, test } from "vitest";

import { Chart, type Point } from "../../../src/panel/components/chart.tsx";
import { count, duration, relativeTime } from "../../../src/panel/components/figures.ts";

/** Units of the drawing; a digit of the 10 px font is a little wider than this. */
const CHARACTER_WIDTH = 6;

test.each([7, 105_266, 5_002_840, 1_234_567_890])(
  "a chart has room for its highest figure, %i",
  async (value) => {
    const points = [
      { label: "1", value: 0 },
      { label: "2", value },
    ];
    const drawn = await ticksOf(points, count);
    const highest = drawn.at(-1)?.text ?? "";
    expect(Number(highest.replaceAll(",", ""))).toBeGreaterThanOrEqual(value);
    for (const { x, text } of drawn)
      expect(x).toBeGreaterThanOrEqual(text.length * CHARACTER_WIDTH);
  },
);

test.each([
  [[1], (calls: number) => count(Math.round(calls)), ["0", "1"]],
  [[0, 0], count, ["0"]],
  [[130, 350], duration, ["0 ms", "200 ms", "400 ms"]],
])("ticks of %j are few, round and different", async (values, format, expected) => {
  const points = values.map((value, at) => ({ label: `${at}`, value }));
  expect((await ticksOf(points, format)).map(({ text }) => text)).toEqual(expected);
});

test.each([
  [72 * 3_600_000 - 1, "in 3 days"],
  [-(48 * 3_600_000 - 1), "1 day ago"],
])("a time %i ms away reads %s", (ms, words) => {
  expect(relativeTime(ms, 0)).toBe(words);
});

/** The figures at the left of the drawing, from the lowest. */
async function ticksOf(points: Point[], format: (value: number) => string) {
  const chart = Chart({ name: "Tokens", amount: "", points, format });
  const drawn = String(await html`${chart}`);
  const all = drawn.matchAll(/<text x="([\d.]+)" y="([\d.]+)" text-anchor="end">([\d,]+[^<:]*)</g);
  return [...all]
    .map(([, x, y, text = ""]) => ({ x: Number(x), y: Number(y), text }))
    .filter(({ x }) => x < 300)
    .sort((a, b) => b.y - a.y);
}
