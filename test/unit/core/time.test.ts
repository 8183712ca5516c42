import { expect, test } from "vitest";

import { timeIn } from "../../../src/core/time.ts";

test.each([
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ["2026-01-31T10:00:00+0530", "2026-01-31T04:30:00.000Z"],
  ["2026-01-31t10:00:00.5z", "2026-01-31T10:00:00.500Z"],
  ["2026-01-31 10:00:00-08:00", "2026-01-31T18:00:00.000Z"],
  ["0050-01-01 00:00Z", "0050-01-01T00:00:00.000Z"],
  ["2026-01-31T24:00Z", "2026-02-01T00:00:00.000Z"],
])("%s is a point in time", (text, time) => {
  expect(new Date(timeIn(text) ?? Number.NaN).toISOString()).toBe(time);
});

test.each(["2027-02-29", "2026-01-31T10:00:00", "2026-01-31 10:00:00+2500", "2026-01-31T10Z", ""])(
  "%j is none",
  (text) => {
    expect(timeIn(text)).toBeNull();
  },
);
