import { html } from "hono/html";
import { expect, test } from "vitest";

import { Chart } from "../../../src/panel/components/chart.tsx";
import { count } from "../../../src/panel/components/figures.ts";

/** Units of the drawing; a digit of the 10 px font is a little wider than this. */
const CHARACTER_WIDTH = 6;

test.each([7, 105_266, 5_002_840, 1_234_567_890])(
  "a chart has room for its highest figure, %i",
  async (value) => {
    const points = [
      { label: "1", value: 0 },
      { label: "2", value },
    ];
    const drawn = String(await html`${Chart({ label: "Tokens by hour", points, format: count })}`);
    const end = /<text x="([\d.]+)" y="[\d.]+" text-anchor="end">([\d,]+)</.exec(drawn);
    expect(end?.[2]).toBe(count(value));
    expect(Number(end?.[1])).toBeGreaterThanOrEqual(count(value).length * CHARACTER_WIDTH);
  },
);
