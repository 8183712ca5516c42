import { describe } from "vitest";

import { docx, relationships, type Related } from "../../../../support/office-files.ts";
import { reads } from "../../../../support/read-document.ts";

const p = (runs: string, properties = "") => `<w:p><w:pPr>${properties}</w:pPr>${runs}</w:p>`;
const r = (text: string, properties = "") =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const code = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
const field = (instruction: string, result: string) =>
  mark("begin") + code(instruction) + mark("separate") + result + mark("end");
const styled = (style: string) => `<w:pStyle w:val="${style}"/>`;
const cell = (inside: string) => `<w:tc>${inside}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join("")}</w:tr>`;
const table = (rows: string, columns = 0) =>
  `<w:tbl><w:tblGrid>${"<w:gridCol/>".repeat(columns)}</w:tblGrid>${rows}</w:tbl>`;
const numbered = (list: number, at: number) =>
  `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr>`;
const runs = (inside: string) => docx(p(inside));

describe("runs", () => {
  const checkBox = "<w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>";
  const dropDown = (choice: string) =>
    `<w:ffData><w:ddList>${choice}${["daily", "often, ", "never"].map((entry) => `<w:listEntry w:val="${entry}"/>`).join("")}</w:ddList></w:ffData>`;

  reads("a.docx", {
    "tabs that are set from a margin": [
      runs(`${r("left")}<w:r><w:ptab/></w:r>${r("right")}`),
      "left right",
    ],
    "a large first letter": [
      docx(
        p(r("O"), '<w:framePr w:dropCap="drop"/>') + p(`<w:r>${p(r("Box"))}</w:r>${r("il it.")}`),
      ),
      "Box\n\nOil it.",
    ],
    "a large first letter alone": [docx(p(r("O"), '<w:framePr w:dropCap="margin"/>')), "O"],
    "how a name is pronounced": [
      runs(
        `<w:r><w:ruby><w:rt>${r("とうきょう")}</w:rt><w:rubyBase>${r("東京")}</w:rubyBase></w:ruby></w:r>${r("駅")}`,
      ),
      "東京駅",
    ],
    "letters of a symbol font": [
      runs(
        `<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>${r(" done")}`,
      ),
      "α✓ done",
    ],
    "links that fields make": [
      runs(field(' HYPERLINK "https://example.org/a" ', r("the plan"))),
      "[the plan](https://example.org/a)",
    ],
    "links of simple fields": [
      runs(`<w:fldSimple w:instr=' HYPERLINK "https://example.org/b" '>${r("it")}</w:fldSimple>`),
      "[it](https://example.org/b)",
    ],
    "places that fields refer to": [
      runs(r("see ") + field(" REF _Toc1 \\h ", r("Annex A"))),
      "see Annex A",
    ],
    "conditions, with what they compare": [
      runs(
        field(` IF ${field(" MERGEFIELD Sex ", r("f"))} = "f" "Ms" "Mr" `, r("Ms")) + r(" Lind"),
      ),
      "Ms Lind",
    ],
    "fields that never end": [
      runs(`${mark("begin")}${code(" TOC ")}</w:p><w:p>${r("Text")}`),
      "Text",
    ],
    "hundreds of fields that never end": [
      docx(p((mark("begin") + code("IF")).repeat(300) + r("x")) + p(r("seen"))),
      "seen",
    ],
    "check boxes of forms": [
      runs(
        mark("begin").replace("/>", `>${checkBox}</w:fldChar>`) +
          code(" FORMCHECKBOX ") +
          mark("end") +
          r(" agreed"),
      ),
      "☒ agreed",
    ],
    "the choice of a form's list": [
      runs(
        mark("begin").replace("/>", `>${dropDown('<w:result w:val="1"/>')}</w:fldChar>`) +
          code(" FORMDROPDOWN ") +
          mark("separate") +
          mark("end") +
          mark("begin").replace("/>", `>${dropDown('<w:default w:val="2"/>')}</w:fldChar>`) +
          code(" FORMDROPDOWN ") +
          mark("end"),
      ),
      "often, never",
    ],
    "letters drawn as a shape": [
      runs(`<w:r><w:pict><v:textpath string="Annual report"/></w:pict></w:r>`),
      "Annual report",
    ],
    formulas: [
      runs(
        "<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f><m:r><m:t>=</m:t></m:r><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>10</m:t></m:r></m:sup></m:sSup></m:oMath>",
      ),
      "(a+b)/2=x^10",
    ],
    "of alternatives, the choice": [
      runs(
        `<mc:AlternateContent><mc:Choice Requires="x">${r("new")}</mc:Choice><mc:Fallback>${r("old")}</mc:Fallback></mc:AlternateContent>${r(" end")}`,
      ),
      "new end",
    ],
    "of pages and texts that other programs add": [
      docx(
        `${p(r("before"))}<w:altChunk r:id="a.html"/><w:altChunk r:id="b.txt"/>${p(r("after"))}`,
        {
          "a.html": ["aFChunk", "<html><body><h2>Fees</h2><p>5 &amp; 6 euros</p></body></html>"],
          "b.txt": ["aFChunk", "Plain text."],
        },
      ),
      "before\n\n## Fees\n\n5 & 6 euros\n\nPlain text.\n\nafter",
    ],
    "around added texts that are none": [
      docx(`${p(r("before"))}<w:altChunk r:id="a.txt"/>${p(r("after"))}`, {
        "a.txt": ["aFChunk", "\0\u0001\u0002\0\0\0"],
      }),
      "before\n\nafter",
      "1 embedded part could not be read",
    ],
    "around parts that could not be read": [
      docx(`${p(r("before"))}<w:altChunk r:id="a"/><w:altChunk r:id="b.txt"/>${p(r("after"))}`, {
        "b.txt": ["aFChunk", "\0\u0001\u0002\0\0\0"],
      }),
      "before\n\nafter",
      "2 embedded parts could not be read",
    ],
  });
});

describe("lists and headings", () => {
  const level = (at: number, format: string, text: string, more = "") =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const list = (id: number, levels: string) =>
    `<w:abstractNum w:abstractNumId="${id}">${levels}</w:abstractNum>`;
  const instance = (id: number, abstractId: number, start = 0) =>
    `<w:num w:numId="${id}"><w:abstractNumId w:val="${abstractId}"/>${start > 0 ? `<w:lvlOverride w:ilvl="0"><w:startOverride w:val="${start}"/></w:lvlOverride>` : ""}</w:num>`;
  const numbering: Related = {
    n: [
      "numbering",
      `<w:numbering>${[
        list(
          0,
          level(0, "decimal", "%1.") +
            level(1, "decimal", "%1.%2") +
            level(2, "lowerLetter", "(%3)"),
        ),
        list(1, level(0, "upperRoman", "Article %1") + level(1, "decimal", "%1.%2", "<w:isLgl/>")),
        list(2, level(0, "decimal", "REQ-%1")),
        instance(1, 0) + instance(2, 0) + instance(3, 0, 1) + instance(4, 1),
        list(3, level(0, "lowerLetter", "%1)")),
        instance(5, 2) + instance(6, 2, 7) + instance(7, 3, 26) + instance(8, 4, 32),
        list(4, level(0, "chineseCountingThousand", "") + level(1, "decimal", "第%1条")),
      ].join("")}</w:numbering>`,
    ],
  };
  const item = (id: number, at: number, text: string) => p(r(text), numbered(id, at));
  const heading = (at: number, text: string) =>
    p(r(text), styled(`Heading${at + 1}`) + numbered(4, at));
  const required = (text: string, id = 5) => item(id, 0, text);

  reads("a.docx", {
    "show the document's numbers: several levels, letters, continued and restarted": [
      docx(
        item(1, 0, "Tenant") +
          item(1, 1, "Rent") +
          item(1, 2, "by transfer") +
          item(1, 2, "or cash") +
          item(1, 1, "Deposit") +
          item(2, 0, "Landlord") +
          item(3, 0, "Anew"),
        numbering,
      ),
      "1. Tenant\n   - 1.1 Rent\n      - (a) by transfer\n      - (b) or cash\n   - 1.2 Deposit\n2. Landlord\n1. Anew",
    ],
    "repeat the letter behind z, as Word does": [
      docx(["z", "aa", "bb"].map((text) => item(7, 0, text)).join(""), numbering),
      "- z) z\n- aa) aa\n- bb) bb",
    ],
    "count a level that is left out, and letters of other scripts": [
      docx(
        item(1, 0, "Tenant") + item(1, 2, "Rent") + item(1, 1, "Deposit") + item(8, 1, "Care"),
        numbering,
      ),
      "1. Tenant\n      - (a) Rent\n   - 1.2 Deposit\n   - 第三十二条 Care",
    ],
    "number headings": [
      docx(heading(0, "Scope") + heading(0, "Duties") + heading(1, "Care"), numbering),
      "# Article I Scope\n\n# Article II Duties\n\n## 2.1 Care",
    ],
    "are known of writers that define no styles": [
      docx(p(r("Scope"), styled("Heading2")) + p(r("Text"))),
      "## Scope\n\nText",
    ],
    "stand in the cells of a table, and the list counts on behind it": [
      docx(
        required("first") +
          table(
            row(p(r("No.")), p(r("Requirement"))) +
              row(required(""), p(r("start"))) +
              row(required("stop")),
          ) +
          required("last"),
        numbering,
      ),
      "- REQ-1 first\n\n| No. | Requirement |\n| --- | --- |\n| REQ-2 | start |\n| REQ-3 stop |  |\n\n- REQ-4 last",
    ],
    "count empty paragraphs, and restart where an instance says so": [
      docx(
        required("one") +
          required("") +
          required("three") +
          required("seven", 6) +
          required("eight", 6),
        numbering,
      ),
      "- REQ-1 one\n- REQ-3 three\n- REQ-7 seven\n- REQ-8 eight",
    ],
  });
});

describe("tables", () => {
  const inner = table(row(p(r("a")), p(r("b"))), 2);
  const late = (columns: number) =>
    `<w:tr><w:trPr><w:gridBefore w:val="${columns}"/></w:trPr>${cell(p(r("31")))}</w:tr>`;
  const wide = cell(`<w:tcPr><w:gridSpan w:val="99999"/></w:tcPr>${p(r("May"))}`);
  reads("a.docx", {
    "of one cell are what they hold": [
      docx(table(row(p(r("Boxed"), styled("Heading2")) + p(r("One.")) + inner + p(r("Two."))), 1)),
      "## Boxed\n\nOne.\n\n| a | b |\n| --- | --- |\n\nTwo.",
    ],
    "keep cells in their columns behind those that a row leaves out": [
      docx(table(row(p(r("Month")), p(r("Catch"))) + late(1), 2)),
      "| Month | Catch |\n| --- | --- |\n|  | 31 |",
    ],
    "keep cells behind more columns than a table can have": [
      docx(table(`${late(99_999)}<w:tr>${wide}${cell(p(r("32")))}</w:tr>`)),
      "|  | 31 |\n| --- | --- |\n| May | 32 |",
    ],
  });
});

describe("parts", () => {
  const value = (at: number, text: string) => `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>`;
  const chart = `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Catch by month</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:ser><c:tx><c:strRef><c:strCache>${value(0, "Herring")}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${value(0, "May")}${value(1, "June")}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>General</c:formatCode>${value(0, "31")}${value(1, "0.30000000000000004")}</c:numCache></c:numRef></c:val></c:ser><c:valAx><c:title><c:tx><c:strRef><c:strCache>${value(0, "tonnes")}</c:strCache></c:strRef></c:tx></c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>`;
  const diagram =
    "<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>Moor</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>Unload</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>";
  const note = p(`<w:hyperlink r:id="L">${r("there")}</w:hyperlink>`);

  reads("a.docx", {
    "show a chart's titles and data, and a diagram's labels, behind their paragraph": [
      docx(
        p(`${r("Figure 1")}<w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r>`) +
          p('<w:r><w:drawing><dgm:relIds r:dm="g"/></w:drawing></w:r>') +
          p(r("After")),
        { c: ["chart", chart], g: ["diagramData", diagram] },
      ),
      "Figure 1\n\nCatch by month\n\ntonnes\n\n|  | Herring |\n| --- | --- |\n| May | 31 |\n| June | 0.3 |\n\nMoor\n\nUnload\n\nAfter",
    ],
    "are noted where they are files of another program": [
      docx(p(`${r("Prices")}<w:r><w:object><o:OLEObject r:id="o"/></w:object></w:r>`), {
        "a/prices.xlsx": ["package", "x"],
        b: ["oleObject", "x"],
      }),
      "Prices",
      "2 embedded files left out: prices.xlsx, b",
    ],
    "are named where they are all that a document has": [
      docx('<w:altChunk r:id="a"/>'),
      new Error("no text found; 1 embedded part could not be read"),
    ],
    "have links of their own": [
      docx(
        p(`${r("See")}<w:r><w:footnoteReference w:id="1"/></w:r>`),
        {
          f: ["footnotes", `<w:footnotes><w:footnote w:id="1">${note}</w:footnote></w:footnotes>`],
        },
        { "word/_rels/f.rels": relationships(["L", "hyperlink", "https://example.org/note"]) },
      ),
      "See[^1]\n\n[^1]: [there](https://example.org/note)",
    ],
  });
});

reads("a.xml", {
  "a Word document in one XML file says how to save it": [
    '<?xml version="1.0"?>\n<w:wordDocument xmlns:w="w"><w:body/></w:wordDocument>',
    new Error("save it as DOCX"),
  ],
});
