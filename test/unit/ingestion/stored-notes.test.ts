import { expect, test } from "vitest";

import { shortenNotes } from "../../../src/ingestion/indexing/read-file.ts";

test("ten notes are kept as they are; of more, nine and how many there were besides", () => {
  const ten = Array.from({ length: 10 }, (_unused, at) => `note ${at}`);
  expect(shortenNotes(ten)).toEqual(ten);
  expect(shortenNotes([...ten, "note 10"])).toEqual([...ten.slice(0, 9), "2 more notes"]);
});

test("a note that quotes a long or a hidden name is short and printable", () => {
  expect(shortenNotes([`attachment ${"x".repeat(500)} left out`])).toEqual([
    `attachment ${"x".repeat(188)}…`,
  ]);
  expect(shortenNotes(["attachment \u202efdp.exe\u200b\n left out"])).toEqual([
    "attachment fdp.exe left out",
  ]);
  const [divided = ""] = shortenNotes(["😀".repeat(150)]);
  expect(divided.isWellFormed()).toBe(true);
});
