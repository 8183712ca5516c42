import { expect, test } from "vitest";

import { formatCount } from "../../../../../src/documents/formats/office/list-labels.ts";

test.each([
  ["chineseCounting", "十 一百一十 一千零一十"],
  ["japaneseCounting", "十 百十 千十"],
  ["taiwaneseDigital", "一〇 一一〇 一〇一〇"],
])("%s counts 10, 110 and 1010 as its readers write them", (format, labels) => {
  expect([10, 110, 1_010].map((count) => formatCount(format, count)).join(" ")).toBe(labels);
});
