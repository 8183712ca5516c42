import { expect, test } from "vitest";

import { identifierFrom } from "../../../src/core/ids.ts";

test("an identifier keeps letters that are more than a plain one with a mark", () => {
  expect(
    ["Größe & Maß", "STRASSEN ẞ", "Smørrebrød", "Łódź – œuvre", "Été 2026", "研究"].map(
      identifierFrom,
    ),
  ).toEqual(["grosse-mass", "strassen-ss", "smorrebrod", "lodz-oeuvre", "ete-2026", ""]);
});
