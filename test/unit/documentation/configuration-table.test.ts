import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { variableNames } from "../../../src/config.ts";

test("the configuration page's table names every variable, and no other", () => {
  const page = readFileSync("docs/configuration.md", "utf8");
  const chapter = page.split("## Variables")[1]?.split("\n## ")[0] ?? "";
  const rows = chapter.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => row.split("|")[1]?.match(/[A-Z][A-Z_]+/g) ?? []);
  expect(named.sort()).toEqual([...variableNames].sort());
});
