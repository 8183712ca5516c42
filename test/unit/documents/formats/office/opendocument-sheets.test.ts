import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import { extractDocument } from "../../../../../src/documents/extract-document.ts";

const cell = (text: string, repeated = "1") =>
  `<table:table-cell table:number-columns-repeated="${repeated}"><text:p>${text}</text:p></table:table-cell>`;
const gap = (repeated: number) => `<table:table-cell table:number-columns-repeated="${repeated}"/>`;
const row = (cells: string, attributes = "") =>
  `<table:table-row ${attributes}>${cells}</table:table-row>`;
const sheet = (...rows: string[]) =>
  extractDocument({
    name: "a.ods",
    mimeType: null,
    bytes: zipSync({
      mimetype: strToU8("application/vnd.oasis.opendocument.spreadsheet"),
      "content.xml": strToU8(
        `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet><table:table table:name="S">${rows.join("")}</table:table></office:spreadsheet></office:body></office:document-content>`,
      ),
    }),
  });

it("keeps the column of what follows hundreds of repeated cells", async () => {
  const { markdown } = await sheet(
    row(cell("first") + gap(249) + cell("far") + cell("last")),
    row(gap(250) + cell("under far") + gap(16_000)),
    row(cell("many", "250") + cell("also under far")),
  );
  const lines = markdown.split("\n").map((line) => line.split(" | "));
  const column = lines[2]?.indexOf("far");
  expect(lines[4]?.[column ?? 0]).toBe("under far");
  expect(lines[5]?.[column ?? 0]).toMatch(/^also under far/);
});

it("leaves out what is collapsed and says so, and keeps what a filter hides", async () => {
  const column = (attributes = "") => `<table:table-column ${attributes}/>`;
  const { markdown, notes } = await sheet(
    column() + column('table:visibility="collapse"') + column(),
    row(cell("a") + cell("x") + cell("c")),
    row(cell("x", "3"), 'table:visibility="collapse" table:number-rows-repeated="4"'),
    row("", 'table:visibility="collapse" table:number-rows-repeated="1000"'),
    row(cell("g") + cell("x") + cell("i"), 'table:visibility="filter"'),
  );
  expect(markdown).toBe("# S\n\n| a | c |\n| --- | --- |\n| g | i |");
  expect(notes).toEqual(["4 hidden rows left out", "1 hidden column left out"]);
});

it.each(["", "x", "-3", "0"])("keeps rows and cells that are repeated %j times", async (times) => {
  const { markdown } = await sheet(
    row(cell("a") + cell("b")),
    row(cell("c", times) + cell("d"), `table:number-rows-repeated="${times}"`),
  );
  expect(markdown).toBe("# S\n\n| a | b |\n| --- | --- |\n| c | d |");
});
