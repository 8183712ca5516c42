import { expect, it } from "vitest";

import { BlockList } from "../../../../../src/documents/writing/block-list.ts";
import { docx, odf } from "../../../../support/office-files.ts";
import { reads } from "../../../../support/read-document.ts";

const p = (text: string, properties = "") =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const heading = (text: string) => p(text, '<w:outlineLvl w:val="1"/>');
const item = (text: string) =>
  p(text, '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>');
const cell = (inside: string) => `<w:tc>${inside}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join("")}</w:tr>`;
const texts = (...cells: string[]) => row(...cells.map((text) => p(text)));
const table = (...rows: string[]) => `<w:tbl>${rows.join("")}</w:tbl>`;
const LIST: [string, string] = [
  "numbering",
  '<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>',
];
const file = (...blocks: string[]) => docx(blocks.join(""), { "numbering.xml": LIST });

const PRICES = table(texts("Part", "Price"), texts("Bolt", "7"));
const PRICES_READ = "| Part | Price |\n| --- | --- |\n| Bolt | 7 |";
const NAMED_READ =
  "| Name | Life |\n| --- | --- |\n| Ada | Part Price Bolt 7 |\n| Bo | Part Price Bolt 7 |";
const LONG = "Kept the harbour's books for eleven years, and taught two clerks. ".repeat(9).trim();
const LIFE = p(LONG) + p(LONG) + p("Speaks Dutch.");
const LIFE_READ = `${LONG}\n\n${LONG}\n\nSpeaks Dutch.`;
const LIFE_IN_ROW = LIFE_READ.replaceAll("\n\n", " ");

reads("a.docx", {
  "a document within a cell keeps its headings, lists and tables": [
    file(table(row(heading("Offer") + item("Oil") + item("Paint") + PRICES + p("Until May")))),
    `## Offer\n\n1. Oil\n2. Paint\n\n${PRICES_READ}\n\nUntil May`,
  ],
  "columns that a table places are read one after the other": [
    file(table(row(p("Ada") + p("Amsterdam") + p("Born in May"), heading("Work") + p("Clerk")))),
    "Ada\n\nAmsterdam\n\nBorn in May\n\n## Work\n\nClerk",
  ],
  "a form keeps rows of values; its passages are paragraphs below their labels": [
    file(table(texts("Name", "Ada", "Town", "Bex"), row(p("Life"), LIFE), texts("Signed", "Ada"))),
    `| Name | Ada | Town | Bex |\n| --- | --- | --- | --- |\n\nLife\n\n${LIFE_READ}\n\n|  |  |\n| --- | --- |\n| Signed | Ada |`,
  ],
  "a table of values keeps its rows, whatever a few of its cells hold": [
    file(table(texts("Part", "Is"), texts("Nut", "M6"), row(p("Set"), PRICES), texts("Pin", "6"))),
    "| Part | Is |\n| --- | --- |\n| Nut | M6 |\n| Set | Part Price Bolt 7 |\n| Pin | 6 |",
  ],
  "a table of names and long descriptions keeps its rows": [
    file(table(texts("Clerk", "Life"), row(p("Ada"), LIFE), row(p("Bo"), LIFE))),
    `| Clerk | Life |\n| --- | --- |\n| Ada | ${LIFE_IN_ROW} |\n| Bo | ${LIFE_IN_ROW} |`,
  ],
  "a table of minutes keeps its rows, though a few have no value in a column": [
    file(
      table(
        texts("Point", "Talk", "Who"),
        row(p("Roof"), LIFE, p("Ada")),
        row(p("Boats"), LIFE, p("")),
        row(p("Locks"), LIFE, p("Bo")),
      ),
    ),
    `| Point | Talk | Who |\n| --- | --- | --- |\n| Roof | ${LIFE_IN_ROW} | Ada |\n| Boats | ${LIFE_IN_ROW} |  |\n| Locks | ${LIFE_IN_ROW} | Bo |`,
  ],
  "a table that says which row is its header stays a table": [
    file(
      table(
        `<w:tr><w:trPr><w:tblHeader/></w:trPr>${cell(heading("Name"))}${cell(p("Life"))}</w:tr>`,
        row(p("Ada"), PRICES),
        row(p("Bo"), PRICES),
      ),
    ),
    NAMED_READ,
  ],
  "rows that only a number counts keep it": [
    file(table(texts("No", "Name"), row(item(""), p("")), row(item(""), p("")))),
    "| No | Name |\n| --- | --- |\n| 1. |  |\n| 2. |  |",
  ],
});

const odfRow = (...cells: string[]) =>
  `<table:table-row>${cells.map((each) => `<table:table-cell>${each}</table:table-cell>`).join("")}</table:table-row>`;
const odfTable = (...rows: string[]) => `<table:table>${rows.join("")}</table:table>`;
const odfTexts = (...cells: string[]) => odfRow(...cells.map((text) => `<text:p>${text}</text:p>`));
const ODF_PRICES = odfTable(odfTexts("Part", "Price"), odfTexts("Bolt", "7"));
const NAMES = odfRow('<text:h text:outline-level="2">Name</text:h>', "<text:p>Life</text:p>");
const LIVES = ["Ada", "Bo"].map((name) => odfRow(`<text:p>${name}</text:p>`, ODF_PRICES)).join("");

const rtfRow = (name: string) =>
  String.raw`\trowd\intbl ${name}\cell\pard\intbl\itap2 Part\nestcell Price\nestcell{\*\nesttableprops\trowd\nestrow}\pard\intbl\itap2 Bolt\nestcell 7\nestcell{\*\nesttableprops\trowd\nestrow}\pard\intbl\itap1\cell\row `;

reads("a.odt", {
  "a document within a cell of LibreOffice keeps its headings and tables": [
    odf(
      "text",
      '<table:table><table:table-row><table:table-cell><text:h text:outline-level="2">Offer</text:h><text:list><text:list-item><text:p>Oil</text:p></text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>Bolt</text:p></table:table-cell><table:table-cell><text:p>7</text:p></table:table-cell></table:table-row></table:table></table:table-cell></table:table-row></table:table>',
    ),
    "## Offer\n\n- Oil\n\n| Bolt | 7 |\n| --- | --- |",
  ],
  "a table of LibreOffice that says which row is its header stays a table": [
    odf("text", odfTable(`<table:table-header-rows>${NAMES}</table:table-header-rows>`, LIVES)),
    NAMED_READ,
  ],
});

reads("a.rtf", {
  "a table of RTF that says which row is its header stays a table": [
    `{\\rtf1\\ansi\\trowd\\trhdr\\intbl Name\\cell Life\\cell\\row${["Ada", "Bo"].map(rtfRow).join("")}}`,
    NAMED_READ,
  ],
});

const HTML_PRICES = "<table><tr><td>Part<td>Price<tr><td>Bolt<td>7</table>";
const CODE = "<tr><td>a<td><pre>b\nc</pre>";

reads("a.html", {
  "a table with header cells stays a table": [
    `<table><tr><th><h2>Name</h2><th>Life${["Ada", "Bo"].map((name) => `<tr><td>${name}<td>${HTML_PRICES}`).join("")}</table>`,
    NAMED_READ,
  ],
  "header cells that place the columns of a mail are no header": [
    `<table><tr><th>${LONG}<th><p>Until</p><p>May</p></table>`,
    `${LONG}\n\nUntil\n\nMay`,
  ],
  "a page in the middle of three columns keeps its headings and code": [
    "<table><tr><td colspan=3>Ferry<tr><td>Menu<td><h2>Times</h2><p>At six and at nine on all days</p><pre>a\nb</pre><td>News<tr><td colspan=3>Imprint</table>",
    "Ferry\n\nMenu\n\n## Times\n\nAt six and at nine on all days\n\n```\na\nb\n```\n\nNews\n\nImprint",
  ],
  "a page within a cell is read": [
    `<table><tr><td>a<td><table><tr><td>b<iframe srcdoc="<p>c</p>"></iframe>d</table></table>`,
    "a\n\nb\n\nc\n\nd",
  ],
  "articles side by side below a menu keep their headings": [
    `<table><tr><td>Home<td>Shop<td>Fees${"<tr><td><h3>Oil</h3>7<td><h3>Nut</h3>8<td><h3>Pin</h3>9".repeat(2)}</table>`,
    `| Home | Shop | Fees |\n| --- | --- | --- |${"\n\n### Oil\n\n7\n\n### Nut\n\n8\n\n### Pin\n\n9".repeat(2)}`,
  ],
  "text of cells without end tags is kept": [
    "<table><tr><td><b>Part<td><b>Price<tr><td><i>Nut<td>5</table>",
    "| Part | Price |\n| --- | --- |\n| Nut | 5 |",
  ],
  "a row in the middle of a long table is no header": [
    `<table>${CODE.repeat(1_000)}<tr><td>d<td>e<tr><td>f<td>g</table>`,
    /\n```\n\n\|  \|  \|\n\| --- \| --- \|\n\| d \| e \|\n\| f \| g \|$/,
  ],
  "a cell of thousands of paragraphs is no value": [
    `<table><tr><th>Town<th>Life<tr><td>${"<p>a</p>".repeat(4_000)}<td>b</table>`,
    /a\n\na\n\nb$/,
  ],
});

it("blocks of a cell are bounded, however little they say", () => {
  const blocks = new BlockList();
  const addPages = () => {
    for (let page = 0; page < 300_000; page++) blocks.page(page);
  };
  expect(addPages).toThrow("more than 32 MiB of text");
});
