import { expect, it } from "vitest";

import { docx, odf, pptx, relationships, xlsx } from "../../../../support/office-files.ts";
import { extract, reads } from "../../../../support/read-document.ts";

const merged = (...ranges: string[]) =>
  `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join("")}</mergeCells>`;
const rowsOf = (...rows: string[][]) =>
  rows
    .map((cells) => cells.map((text) => `<c t="str"><v>${text}</v></c>`))
    .map((cells) => `<row>${cells.join("")}</row>`)
    .join("");

reads("a.xlsx", {
  "merged cells stand in each row that they cover, and across columns once": [
    xlsx(
      rowsOf(
        ["Area", "Town", "Fee"],
        ["North", "Ayl", "5"],
        ["", "Bex", "6"],
        ["", "", ""],
        ["", "Cay", ""],
        ["", "Dee", "7"],
      ),
      { tail: merged("A2:A5", "B5:C5", "B3:B3", "C1:D1", "?", "A9999999:B1", "C2:A1") },
    ),
    "# Log\n\n| Area | Town | Fee |\n| --- | --- | --- |\n| North | Ayl | 5 |\n| North | Bex | 6 |\n| North | Cay |  |\n|  | Dee | 7 |",
  ],
  "cells keep the targets of formulas": [
    xlsx(
      '<row><c t="str"><f>HYPERLINK("https://x.test/1",A2)</f><v>Tides</v></c></row><row><c t="str"><f>HYPERLINK("https://x.test/"&amp;A2)</f><v>Made</v></c></row>',
      {
        tail: '<hyperlinks><hyperlink ref="A1" r:id="h"/></hyperlinks>',
        more: { "xl/_rels/s.rels": relationships(["h", "hyperlink", "https://x.test/2"]) },
      },
    ),
    "# Log\n\n[Tides](https://x.test/1)\n\nMade",
  ],
  "rows of figures behind rows that the file leaves out stay under their header": [
    xlsx(
      rowsOf(["Town", "Fee"], ["Ayl", "5"]) +
        '<row r="4"><c r="A4" t="str"><v>Total</v></c><c r="B4"><v>5</v></c></row>',
    ),
    "# Log\n\n| Town | Fee |\n| --- | --- |\n| Ayl | 5 |\n| Total | 5 |",
  ],
  "cells keep the targets of their links": [
    xlsx(rowsOf(["Port", "Page"], ["Ayl", "Tides"], ["Bex", "Fees"]), {
      tail: '<hyperlinks><hyperlink ref="B2" r:id="h"/><hyperlink ref="A3" location="Log!A1"/><hyperlink ref="B3:C3" r:id="h"/></hyperlinks>',
      more: { "xl/_rels/s.rels": relationships(["h", "hyperlink", "https://example.org/t"]) },
    }),
    "# Log\n\n| Port | Page |\n| --- | --- |\n| Ayl | [Tides](https://example.org/t) |\n| Bex | [Fees](https://example.org/t) |",
  ],
});

it("more and longer merged ranges than any sheet needs are read", async () => {
  const many = Array.from({ length: 20_000 }, (_range, at) => `C${at + 1}:C1048576`);
  const rows = [["North", "Ayl", "x"], ...Array.from({ length: 1_000 }, () => ["", "Bex"])];
  const tail = merged("A1:A1048576", ...many);
  const { markdown } = await extract("a.xlsx", xlsx(rowsOf(...rows), { tail }));
  expect(markdown.match(/^\| North \| Bex \| x \|$/gm)).toHaveLength(1_000);
});

const COVERED = "<table:covered-table-cell/>";
const COVERED_TWICE = '<table:covered-table-cell table:number-columns-repeated="2"/>';
const cell = (text: string, rows = 1) =>
  `<table:table-cell table:number-rows-spanned="${rows}"><text:p>${text}</text:p></table:table-cell>`;
const sheet = (...rows: string[][]) =>
  `<table:table table:name="S">${rows.map((cells) => `<table:table-row>${cells.join("")}</table:table-row>`).join("")}</table:table>`;

reads("a.ods", {
  "cells that span rows stand in each of them, and across columns once": [
    odf(
      "spreadsheet",
      sheet(
        [cell("Area"), cell("Town"), cell("Fee")],
        [cell("North", 3), cell("Ayl"), cell("5", 2)],
        [COVERED, cell("Bex"), COVERED],
        [COVERED, cell("Cay"), COVERED],
        [cell("South", 2), COVERED, cell("7")],
        [COVERED_TWICE, cell("")],
        [cell("West"), COVERED, cell("8")],
      ),
    ),
    "# S\n\n| Area | Town | Fee |\n| --- | --- | --- |\n| North | Ayl | 5 |\n| North | Bex | 5 |\n| North | Cay |  |\n| South |  | 7 |\n| West |  | 8 |",
  ],
  "cells keep the targets of formulas": [
    odf(
      "spreadsheet",
      sheet([
        cell("Tides").replace(
          "<table:table-cell",
          '$& table:formula=\'of:=HYPERLINK("https://x.test/1";"Tides")\'',
        ),
        cell("High"),
      ]),
    ),
    "# S\n\n| [Tides](https://x.test/1) | High |\n| --- | --- |",
  ],
  "a table in a cell of merged cells keeps its rows": [
    odf(
      "spreadsheet",
      sheet([
        cell("a"),
        `<table:table-cell>${sheet([cell("in", 2)], [COVERED, cell("side")])}</table:table-cell>`,
      ]),
    ),
    "# S\n\n| a | in in side |\n| --- | --- |",
  ],
});

const slideRow = (vMerge: string, area: string, town: string) =>
  `<a:tr><a:tc vMerge="${vMerge}"><a:p><a:t>${area}</a:t></a:p></a:tc><a:tc><a:p><a:t>${town}</a:t></a:p></a:tc></a:tr>`;

reads("a.pptx", {
  "a merged cell of a slide stands in each row that it covers": [
    pptx([`<a:tbl>${slideRow("0", "North", "Ayl")}${slideRow("1", "", "Bex")}</a:tbl>`]),
    /\| North \| Ayl \|\n\| --- \| --- \|\n\| North \| Bex \|$/,
  ],
});

const wordRow = (merge: string, area: string, town: string) =>
  `<w:tr><w:tc><w:tcPr>${merge}</w:tcPr><w:p><w:r><w:t>${area}</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>${town}</w:t></w:r></w:p></w:tc></w:tr>`;

reads("a.docx", {
  "a cell that goes on over rows stands in each of them": [
    docx(
      `<w:tbl>${wordRow("", "Area", "Town")}${wordRow('<w:vMerge w:val="restart"/>', "North", "Ayl")}${wordRow("<w:vMerge/>", "", "Bex")}${wordRow("<w:vMerge/>", "", "")}</w:tbl>`,
    ),
    "| Area | Town |\n| --- | --- |\n| North | Ayl |\n| North | Bex |",
  ],
});
