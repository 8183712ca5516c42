import { describe, expect, it } from "vitest";

import { odf } from "../../../../support/office-files.ts";
import { extract, reads } from "../../../../support/read-document.ts";

const p = (text: string, style = "") => `<text:p text:style-name="${style}">${text}</text:p>`;
const span = (style: string, text: string) =>
  `<text:span text:style-name="${style}">${text}</text:span>`;
const rowOf = (cells: string, attributes = "") =>
  `<table:table-row ${attributes}>${cells}</table:table-row>`;
const cell = (inside: string, repeated = "1") =>
  `<table:table-cell table:number-columns-repeated="${repeated}">${inside}</table:table-cell>`;
const row = (...cells: string[]) => rowOf(cells.map((text) => cell(p(text))).join(""));
const sheet = (name: string, inside: string) =>
  `<table:table table:name="${name}">${inside}</table:table>`;
const note = (citation: string, text: string) =>
  `<text:note><text:note-citation>${citation}</text:note-citation><text:note-body>${p(text)}</text:note-body></text:note>`;
const style = (family: string, name: string, inside: string, more = "") =>
  `<style:style style:name="${name}" style:family="${family}" ${more}>${inside}</style:style>`;

const OBJECT = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>';
const FORMULA =
  "<math><semantics><mrow><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac><mo>=</mo><msqrt><msub><mi>y</mi><mi>i</mi></msub></msqrt></mrow><annotation>{a+b} over 2</annotation></semantics></math>";
const chartOf = (inside: string) =>
  `<office:document-content><office:body>${inside}</office:body></office:document-content>`;
const CHART = chartOf(
  `<office:chart><chart:title><text:h>Catch<text:s/>by month</text:h></chart:title><table:table>${rowOf(cell("", "2") + cell(p("Herring")))}${row("May", "", "31")}</table:table></office:chart>`,
);
const withObject = (kind: string, body: string, object = CHART) =>
  odf(kind, body, { objects: { "Object 1": object } });

describe("text", () => {
  reads("a.odt", {
    "keeps links, and the words of links that lead nowhere": [
      odf(
        "text",
        p(
          'See the <text:a xlink:href="https://example.org/tides">tide table</text:a> and <text:a xlink:href="#berths">the berths</text:a>.',
        ),
      ),
      "See the [tide table](https://example.org/tides) and the berths.",
    ],
    "writes formulas in one line in place": [
      withObject("text", p(`Mean: ${OBJECT}.`), FORMULA),
      "Mean: (a+b)/2=√(y_i).",
    ],
    "shows a chart's title and data behind the paragraph it stands in": [
      withObject("text", p(`Figures ${OBJECT}below`) + p("After")),
      "Figures below\n\nCatch by month\n\n|  | Herring |\n| --- | --- |\n| May | 31 |\n\nAfter",
    ],
    "is refused with charts that say more than any document does": [
      withObject("text", p(OBJECT), chartOf(p("more ".repeat(1_000)).repeat(2_000))),
      new Error("charts, diagrams and formulas have too much text"),
    ],
    "notes a file of another program": [
      odf("text", p('Prices<draw:object-ole xlink:href="./Object 3"/>')),
      "Prices",
      "1 embedded file left out: Object 3",
    ],
    "gives notes numbers of their own, whatever they are cited with": [
      odf("text", p(`Mole${note("1", "At low tide.")} and pier${note("i", "Built 1911.")}.`)),
      "Mole[^1] and pier[^2].\n\n[^1]: At low tide.\n\n[^2]: Built 1911.",
    ],
  });
});

describe("numbers", () => {
  const level = (at: number, format: string, more = "") =>
    `<text:list-level-style-number text:level="${at}" style:num-format="${format}" ${more}/>`;
  const outline = (at: number, more = "") =>
    `<text:outline-level-style text:level="${at}" style:num-format="1" ${more}/>`;
  const TWO = 'text:display-levels="2"';
  const END = 'style:num-suffix="."';
  const styles = `<text:list-style style:name="L1">${level(1, "1", END)}${level(2, "1", `${END} ${TWO}`)}${level(3, "a", 'style:num-prefix="(" style:num-suffix=")"')}</text:list-style><text:list-style style:name="L2">${level(1, "1", 'style:num-prefix="REQ-"')}</text:list-style><text:outline-style>${outline(1)}${outline(2, TWO)}</text:outline-style>`;
  const item = (inside: string, more = "") => `<text:list-item ${more}>${inside}</text:list-item>`;
  const list = (items: string, more = "") =>
    `<text:list text:style-name="L1" ${more}>${items}</text:list>`;
  const required = (text: string) =>
    `<text:list text:style-name="L2" text:continue-numbering="true">${item(p(text))}</text:list>`;
  const h = (at: number, text: string) => `<text:h text:outline-level="${at}">${text}</text:h>`;
  const text = (body: string) => odf("text", body, { styles });
  const inner = list(item(p("Rent") + list(item(p("by transfer")))) + item(p("Deposit")));

  reads("a.odt", {
    "of items are as the list has them: levels together, letters, and lists that go on": [
      text(
        list(item(p("Tenant") + inner), 'xml:id="one"') +
          p("Between") +
          list(item(p("Landlord")), 'text:continue-list="one"') +
          p("Apart") +
          list(item(p("Seventh"), 'text:start-value="7"')),
      ),
      "1. Tenant\n   - 1.1. Rent\n      - (a) by transfer\n   - 1.2. Deposit\n\nBetween\n\n2. Landlord\n\nApart\n\n7. Seventh",
    ],
    "do not count items that only hold a list": [
      text(list(item(list(item(p("inner")))) + item(p("first")))),
      "   - 1.1. inner\n1. first",
    ],
    "are those of other scripts": [
      odf("text", list(item(p("а")) + item(p("б"))), {
        styles: `<text:list-style style:name="L1">${level(1, "А, Б, .., Аа", END)}</text:list-style>`,
      }),
      "- А. а\n- Б. б",
    ],
    "of headings are as the document has them": [
      text(h(1, "Scope") + h(1, "Duties") + h(2, "Care") + h(2, "Insurance")),
      "# 1 Scope\n\n# 2 Duties\n\n## 2.1 Care\n\n## 2.2 Insurance",
    ],
    "stand in the cells of a table as well": [
      text(
        `<table:table>${rowOf(cell(required("start")) + cell(p("b")))}${rowOf(cell(required("")) + cell(p("d")))}</table:table>${required("after")}${required("")}${required("last")}`,
      ),
      "| REQ-1 start | b |\n| --- | --- |\n| REQ-2 | d |\n\n- REQ-3 after\n- REQ-5 last",
    ],
  });
});

describe("hidden text", () => {
  const HIDDEN = '<style:text-properties text:display="none"/>';
  const styles = [
    style("text", "T1", HIDDEN),
    style("text", "T2", '<style:text-properties text:display="true"/>'),
    style("paragraph", "P1", HIDDEN),
    style("paragraph", "P2", "", 'style:parent-style-name="P1"'),
    // A style of this name in another family says nothing of text.
    style("paragraph", "T1", ""),
  ].join("");
  const text = (body: string) => odf("text", body, { styles });
  const section = (attributes: string, inside: string) =>
    `<text:section ${attributes}>${inside}</text:section>`;
  const SECRET = "<text:h>x</text:h><text:p>x<text:span>x</text:span></text:p>";
  const ONE = "1 hidden text run removed";

  reads("a.odt", {
    "of a span is left out": [text(p(`seen ${span("T1", "x")}too`)), "seen too", ONE],
    "of a paragraph is left out": [text(p("seen too") + p("x", "P1")), "seen too", ONE],
    "of a style's parent is left out": [text(p("x", "P2") + p("seen too")), "seen too", ONE],
    "of all but a span is left out": [
      text(p(`x${span("T2", "seen too")}x`, "P1")),
      "seen too",
      ONE,
    ],
    "of a field is left out": [
      text(p('x<text:hidden-paragraph text:is-hidden="true"/>x') + p("seen too")),
      "seen too",
      ONE,
    ],
    "of a hidden span's note is left out": [
      text(p(`seen too${span("T1", `x${note("1", "x")}`)}`)),
      "seen too",
      "2 hidden text runs removed",
    ],
    "of a section is left out": [
      text(p("seen") + section('text:display="none"', SECRET) + p("too")),
      "seen\n\ntoo",
      "1 hidden section left out",
    ],
    "of a section whose condition holds is left out": [
      text(section('text:display="condition" text:is-hidden="true"', SECRET) + p("seen")),
      "seen",
      "1 hidden section left out",
    ],
    "is shown where no condition or style hides it": [
      text(section('text:display="condition"', p(`seen ${span("T2", "too")}`, "T1"))),
      "seen too",
    ],
  });
});

describe("sheets", () => {
  const gap = (repeated: number) =>
    `<table:table-cell table:number-columns-repeated="${repeated}"/>`;
  const column = (attributes = "") => `<table:table-column ${attributes}/>`;
  const COLLAPSED = 'table:visibility="collapse"';
  const check = `<table:content-validations><table:content-validation><table:help-message>${p("Type a date")}</table:help-message></table:content-validation></table:content-validations>`;
  const repeated = (times: string) =>
    sheet(
      "S",
      row("a", "b") +
        rowOf(cell(p("c"), times) + cell(p("d")), `table:number-rows-repeated="${times}"`),
    );
  const table = "# S\n\n| a | b |\n| --- | --- |\n| c | d |";
  const ods = (body: string) => odf("spreadsheet", body);

  const value = (type: string, attributes: string) =>
    `<table:table-cell office:value-type="${type}" ${attributes}/>`;

  reads("a.ods", {
    "show values that no text stands for, but none of a text that is empty": [
      ods(
        sheet(
          "S",
          rowOf(
            value("string", 'office:string-value="Pen"') +
              value("float", 'office:value="12.5"') +
              value("date", 'office:date-value="2024-03-05"') +
              value("boolean", 'office:boolean-value="true"') +
              cell("<text:p/>").replace(">", ' office:value="3">'),
          ),
        ),
      ),
      "# S\n\n| Pen | 12.5 | 2024-03-05 | true |\n| --- | --- | --- | --- |",
    ],
    "read on after a chart among the rows, and show its title at the end": [
      withObject(
        "spreadsheet",
        sheet(
          "Catch",
          `<table:shapes>${OBJECT}</table:shapes>${row("Month", "Herring")}${row("May", "31")}`,
        ),
      ),
      "# Catch\n\n| Month | Herring |\n| --- | --- |\n| May | 31 |\n\nCatch by month",
    ],
    "leave out what a cell's check would say of wrong input": [
      ods(check + sheet("Log", row("a", "b"))),
      "# Log\n\n| a | b |\n| --- | --- |",
    ],
    "keep what is collapsed or hidden by a filter": [
      ods(
        sheet(
          "S",
          column() +
            column(COLLAPSED) +
            row("a", "x") +
            rowOf(cell(p("c"), "2"), `${COLLAPSED} table:number-rows-repeated="2"`) +
            rowOf(cell(p("g")) + cell(p("i")), 'table:visibility="filter"'),
        ),
      ),
      "# S\n\n| a | x |\n| --- | --- |\n| c | c |\n| c | c |\n| g | i |",
    ],
    "keep cells that are repeated no times": [ods(repeated("0")), table],
    "keep cells that are repeated nobody knows how often": [ods(repeated("x")), table],
    "keep cells that are repeated less than never": [ods(repeated("-3")), table],
    "keep cells whose repetition is empty": [ods(repeated("")), table],
    "without text have no text": [ods(sheet("Empty", row(""))), new Error("no text found")],
  });

  it("have no heading without text, and count as pages", async () => {
    const body = sheet("Empty", row("")) + sheet("Full", row("a", "b"));
    expect(await extract("a.ods", ods(body))).toMatchObject({
      markdown: "# Full\n\n| a | b |\n| --- | --- |",
      pages: [{ page: 2, start: 0 }],
    });
  });

  it("keep the column of what follows hundreds of repeated cells", async () => {
    const rows = [
      cell(p("first")) + gap(249) + cell(p("far")) + cell(p("last")),
      gap(250) + cell(p("under far")) + gap(16_000),
      cell(p("many"), "250") + cell(p("also under far")),
    ].map((cells) => rowOf(cells));
    const { markdown } = await extract("a.ods", ods(sheet("S", rows.join(""))));
    const lines = markdown.split("\n").map((line) => line.split(" | "));
    const column = lines[2]?.indexOf("far");
    expect(lines[4]?.[column ?? 0]).toMatch(/^under far/);
    expect(lines[5]?.[column ?? 0]).toMatch(/^also under far/);
  });
});

describe("slides", () => {
  const box = (kind: string, text: string) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box>${p(text)}</draw:text-box></draw:frame>`;
  const page = (inside: string, name = "") =>
    `<draw:page draw:style-name="${name}">${inside}</draw:page>`;

  reads("a.odp", {
    "take the title for the heading wherever it stands on the slide": [
      odf("presentation", page(box("subtitle", "Spring tides") + box("title", "Harbour"))),
      "# Harbour\n\nSpring tides",
    ],
    "begin where the body does, not with a template's style of a table's body": [
      odf("presentation", page(box("title", "Harbour")), {
        styles: `<table:table-template><table:body/></table:table-template>${p("Click to edit")}`,
      }),
      "# Harbour",
    ],
    "show a chart": [
      withObject("presentation", page(box("title", "Catch") + OBJECT)),
      /^# Catch\n\nCatch by month\n\n\| {2}\| Herring \|/,
    ],
  });

  it("are left out where they are hidden, and count as pages", async () => {
    const styles = style(
      "drawing-page",
      "dp1",
      '<style:drawing-page-properties presentation:visibility="hidden"/>',
    );
    const slide = (text: string, name: string) =>
      page(`${box("", text)}<presentation:notes>${p(`${text} notes`)}</presentation:notes>`, name);
    const body = slide("One", "dp2") + slide("x", "dp1") + slide("Three", "dp2");
    const document = await extract("a.odp", odf("presentation", body, { styles }));
    expect(document.markdown).toBe("# One\n\n> One notes\n\n# Three\n\n> Three notes");
    expect(document.pages.map(({ page: each }) => each)).toEqual([1, 3]);
    expect(document.notes).toEqual(["1 hidden slide left out"]);
  });
});
