import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { kindByName } from "../../../../src/documents/media-type/media-types.ts";
import { FORMATS } from "../../../../src/documents/registry.ts";

const PAGE = join(import.meta.dirname, "../../../../docs/documents.md");

/** The cells of the table of formats that name files: `.docx`, and `…` where some are left out. */
const [table = ""] = readFileSync(PAGE, "utf8").split("## What is left out");
const rows = table
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split("|")[2] ?? "")
  .filter((files) => files.includes("`.") || files.includes("endings"));
const endingsIn = (files: string) =>
  [...files.matchAll(/`\.([a-z0-9]+)`/g)].map(([, ending = ""]) => ending);

it("each format that is read has a row on the page of documents, with its endings", () => {
  for (const { kind, files } of FORMATS) {
    if (kind === "code") continue;
    const endings = Object.values(files).flatMap((each) => each.match(/\S+/g) ?? []);
    const documentedRows = rows.filter((row) =>
      endingsIn(row).some((ending) => endings.includes(ending)),
    );
    if (documentedRows.some((row) => row.includes("…") || row.includes("templates"))) continue;
    expect({ kind, named: endingsIn(documentedRows.join()) }).toEqual({
      kind,
      named: expect.arrayContaining(endings),
    });
  }
});

it("each ending on the page of documents is read", () => {
  const unread = rows.flatMap(endingsIn).filter((ending) => kindByName(`a.${ending}`) === null);
  // Sections of manual pages are told by the content, too.
  expect(unread).toEqual(["1", "9", "png", "jpg", "webp", "gif"]);
});
