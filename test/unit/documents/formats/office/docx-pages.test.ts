import { expect, test } from "vitest";

import { docx } from "../../../../support/office-files.ts";
import { extract } from "../../../../support/read-document.ts";

const p = (runs: string, properties = "") => `<w:p><w:pPr>${properties}</w:pPr>${runs}</w:p>`;
const r = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const BREAK = '<w:r><w:br w:type="page"/></w:r>';
const DRAWN = "<w:r><w:lastRenderedPageBreak/></w:r>";
const CELL = `<w:tc>${p(r("Nut"))}</w:tc>`;
const TABLE = `<w:tbl><w:tr>${CELL + CELL}</w:tr><w:tr><w:tc>${p(DRAWN + r("5"))}</w:tc>${CELL}</w:tr></w:tbl>`;
test.each([
  [
    "once, where a break is set and where it was drawn",
    p(r("One") + BREAK) + p(DRAWN + r("Two")) + p(r("Three") + DRAWN + r("…")) + p(r("Four")),
    ["1: One", "2: Two", "3: Four"],
  ],
  [
    "within a cell that holds the document",
    `<w:tbl><w:tr><w:tc>${p(r("One")) + p(DRAWN + r("Two")) + p(r("Three") + DRAWN + r("…")) + p(r("Four"))}</w:tc></w:tr></w:tbl>`,
    ["1: One", "2: Two", "3: Four"],
  ],
  [
    "within tables in cells, one of them of values",
    `<w:tbl><w:tr><w:tc>${p(r("One"))}<w:tbl><w:tr><w:tc>${p(r("Still")) + p(DRAWN + r("Two"))}</w:tc></w:tr></w:tbl>${TABLE + p(r("Three"))}</w:tc></w:tr></w:tbl>`,
    ["1: One", "2: Two", "3: Three"],
  ],
  [
    "behind the values of a form in which they begin",
    `<w:tbl><w:tr>${CELL}<w:tc>${p(DRAWN + r("5"))}</w:tc></w:tr><w:tr>${CELL}<w:tc>${p(r("Long. ".repeat(180))) + p(r("a")) + p(r("b"))}</w:tc></w:tr></w:tbl>${p(r("End"))}`,
    ["1: | Nut | 5 |", "2: Nut"],
  ],
  [
    "behind the only row of a table",
    `<w:tbl><w:tr><w:tc>${p(r("One")) + p(DRAWN + r("Two"))}</w:tc>${CELL}</w:tr></w:tbl>${p(r("End"))}`,
    ["1: | One Two | Nut |", "2: End"],
  ],
  [
    "with paragraphs that want one",
    p(r("One")) + p(DRAWN + r("Two"), "<w:pageBreakBefore/>"),
    ["1: One", "2: Two"],
  ],
])("pages begin %s", async (_where, body, expected) => {
  const { markdown, pages } = await extract("a.docx", docx(body));
  const starts = pages.map(({ page, start }) => `${page}: ${markdown.slice(start).split("\n")[0]}`);
  expect(starts).toEqual(expected);
});
