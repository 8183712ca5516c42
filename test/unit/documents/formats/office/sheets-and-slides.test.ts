import { describe, expect, it } from "vitest";

import { pptx, relationships, xlsx, zipped } from "../../../../support/office-files.ts";
import { extract, reads } from "../../../../support/read-document.ts";

describe("sheets", () => {
  /** Cells of style n have the nth format. */
  const formatted = (formats: string[]) =>
    `<numFmts>${formats.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code}"/>`).join("")}</numFmts><cellXfs>${formats.map((_code, at) => `<xf numFmtId="${200 + at}"/>`).join("")}<xf numFmtId="31"/></cellXfs>`;
  const number = (value: number, style = 0) => `<c s="${style}"><v>${value}</v></c>`;
  const words = (text: string, at = "") => `<c r="${at}" t="str"><v>${text}</v></c>`;
  const DRAWING = {
    "xl/_rels/s.rels": relationships(["d", "drawing", "d.xml"]),
    "xl/d.xml": "<wsDr><sp><a:p><a:r><a:t>Read with care</a:t></a:r></a:p></sp></wsDr>",
    "xl/_rels/d.xml.rels": relationships(["c", "chart", "c.xml"]),
    "xl/c.xml":
      "<c><title><a:p><a:t>Catch</a:t></a:p></title><ser><val><pt><v>1</v></pt></val></ser></c>",
  };

  reads("a.xlsx", {
    "leave a cell of shared text empty that names none": [
      xlsx('<row><c t="s"><v>1</v></c><c t="s"><v></v></c><c t="s"><v>1</v></c></row>', {
        strings: "<si><t>Wrong</t></si><si><t>Gate</t></si>",
      }),
      "# Log\n\n| Gate | Gate |\n| --- | --- |",
    ],
    "show truth however it is written, and none where there is none": [
      xlsx(
        `<row><c t="b"><v>True</v></c><c t="b"><v> 1 </v></c><c t="b"><v>0</v></c><c t="b"/>${words("Gate", "E1")}</row>`,
      ),
      "# Log\n\n| TRUE | TRUE | FALSE | Gate |\n| --- | --- | --- | --- |",
    ],
    "note files of other programs": [
      xlsx(`<row>${words("Gate")}</row>`, {
        more: { "xl/_rels/s.rels": relationships(["o", "oleObject", "o"], ["p", "package", "p"]) },
      }),
      "# Log\n\nGate",
      "2 embedded files left out: o, p",
    ],
    "are read whose parts stand outside of their usual folder": [
      zipped({
        "[Content_Types].xml":
          '<Types><Override PartName="/w.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
        "_rels/.rels": relationships(["m", "officeDocument", "w.xml"]),
        "w.xml": '<workbook><sheets><sheet name="Log" r:id="s"/></sheets></workbook>',
        "_rels/w.xml.rels": relationships(["s", "worksheet", "s.xml"]),
        "s.xml": `<worksheet><sheetData><row>${words("Gate")}</row></sheetData></worksheet>`,
      }),
      /Gate/,
    ],
    "show plainly the cells of formats beyond those that a workbook can have": [
      xlsx(`<row>${number(0.5)}${number(0.5, 69_999)}</row>`, {
        styles: `<cellXfs>${'<xf numFmtId="9"/>'.repeat(70_000)}</cellXfs>`,
      }),
      /\n\| 50% \| 0\.5 \|/,
    ],
    "know the dates that Excel formats by number in Chinese and Japanese": [
      xlsx(`<row>${number(45123)}</row>`, { styles: formatted([]) }),
      /2023-07-16/,
    ],
    "have escaped characters, and cells of ISO dates": [
      xlsx('<row><c t="s"><v>0</v></c><c t="d"><v>2024-05-01T00:00:00.000Z</v></c></row>', {
        strings: "<si><t>one_x000D_\ntwo _x005F_x</t></si>",
      }),
      /\| one two _x \| 2024-05-01 \|/,
    ],
    "order cells that stand in no order, and take the last of two in one place": [
      xlsx(
        `<row>${words("c", "C1")}${words("x", "A1")}${words("a", "A1")}<c t="str"><v>b</v></c></row>`,
      ),
      /\| a \| b \| c \|/,
    ],
    "say how many formulas hold no value": [
      xlsx(`<row><c><f>A1*2</f><v></v></c><c t="str"><f>""</f><v></v></c>${words("x")}</row>`),
      /x/,
      "1 formula cell without a stored value",
    ],
    "say how many cells of an array formula hold no value": [
      xlsx(
        `<row r="1">${words("x")}<c r="B1"><f t="array" ref="B1:C3">A1:A3*2</f></c><c r="D1"><f t="array" ref="D1">SUM(A1)</f></c></row>`,
      ),
      /x/,
      "7 formula cells without a stored value",
    ],
    "have no text where no cell has any": [xlsx("<row><c/></row>"), new Error("no text found")],
    "show text boxes and titles of charts": [
      xlsx(`<row>${number(1)}${words("x")}</row>`, { more: DRAWING }),
      /\| x \|\n\| --- \| --- \|\n\nRead with care\n\nCatch$/,
    ],
  });

  it.each([
    ["0.0 &quot;kg&quot;", 12.25, "12.3 kg"],
    ["&quot;EUR&quot; #,##0.00", 1234.5, "EUR 1234.50"],
    ["[$€-407] #,##0.00", -99.5, "-€ 99.50"],
    [
      "_(&quot;$&quot;* #,##0.00_);_(&quot;$&quot;* \\(#,##0.00\\);_(&quot;$&quot;* &quot;-&quot;??_);_(@_)",
      -12.5,
      "-$ 12.50",
    ],
    ["#,##0,&quot;k&quot;", 1234567, "1235k"],
    ["00000", 42, "00042"],
    ["0.###", 1.5, "1.5"],
    ["&quot;&lt;&quot;0.0#", 2, "<2.0"],
    ["[$-411]ggge&quot;年&quot;", 45123, "2023-07-16"],
    ["# ?/?", 5.25, "5.25"],
    ["?/8", 0.375, "0.375"],
    ["&quot;open&quot;;&quot;open&quot;;&quot;shut&quot;", 0, "shut"],
    ["[Red]0.00;[Red]-0.00", -3.5, "-3.50"],
    ["0.0%", 0.1234, "12.3%"],
    ["[h]:mm:ss", 1.5, "36:00:00"],
    ["h:mm", 2.25, "06:00:00"],
    ["dd\\.mm\\.yyyy;@", 45123, "2023-07-16"],
    ["General", 1234567890123456, "1234567890123456"],
    // Halves of what the cell shows, not of its binary value.
    ["0%", 0.145, "15%"],
    ["0.00", 1.005, "1.01"],
    ["0.00", 2.675, "2.68"],
    ["0.00", -1.005, "-1.01"],
    ["0.00", 0.004, "0.00"],
    ["0", 0.5, "1"],
    ["0", -0.4, "0"],
    ["0.00", 999.995, "1000.00"],
    ["0.00", 1e20, "100000000000000000000"],
    ["0.0%", 1e-20, "0.0%"],
    // The section that a number's condition chooses.
    ["[&lt;1]0.00%;0.0", 0.5, "0.5"],
    ["0&quot; a;b&quot;;&quot;less&quot;", 7, "7 a;b"],
    ["0&quot; a;b&quot;;&quot;less&quot;", -7, "less"],
    // A number that a section of its format would hide is shown.
    ["0;;&quot;zero&quot;", -5, "-5"],
    ["0;;&quot;zero&quot;", 0, "zero"],
    [";;;", 3.25, "3.25"],
    ["mm", 45123, "2023-07-16"],
    ["mm:ss", 0.5, "12:00:00"],
    ["yyyy", 2958466, "2958466"],
    ["# ?/100000000000000000000", 0.5, "0.5"],
  ])("shows what %s makes of %s", async (format, value, expected) => {
    const rows = `<row>${number(value)}${words("x")}</row>`;
    const { markdown } = await extract("a.xlsx", xlsx(rows, { styles: formatted([format]) }));
    expect(markdown.split("\n")[2]).toBe(`| ${expected} | x |`);
  });

  it("keep hidden rows and columns, also those of a filter", async () => {
    const rows =
      `<row r="1">${words("a", "A1")}${words("b", "B1")}</row>` +
      `<row r="2" hidden="1">${words("c", "A2")}${words("d", "B2")}</row>`;
    const head = '<sheetPr filterMode="1"/><cols><col min="2" max="2" hidden="1"/></cols>';
    const { markdown, notes } = await extract("a.xlsx", xlsx(rows, { head }));
    expect(markdown).toBe("# Log\n\n| a | b |\n| --- | --- |\n| c | d |");
    expect(notes).toEqual([]);
  });
});

describe("slides", () => {
  const PICTURE = "<p:pic/>";
  const shape = (kind: string, paragraphs: string) =>
    `<p:sp><p:nvPr><p:ph type="${kind}"/></p:nvPr>${paragraphs}</p:sp>`;
  const p = (text: string, properties = "") =>
    `<a:p><a:pPr>${properties}</a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const title = shape("title", p("Steps"));
  const bullet = (scheme: string, start = "1") =>
    `<a:buAutoNum type="${scheme}" startAt="${start}"/>`;
  const LINK = '<a:r><a:rPr><a:hlinkClick r:id="h"/></a:rPr><a:t>the tides</a:t></a:r>';
  const HALF =
    "<a14:m><m:oMath><m:f><m:num><m:r><m:t>h</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></a14:m>";
  const charted = (shapes: string, chart: string) =>
    pptx([shapes], {
      "ppt/_rels/s0.rels": relationships(["c", "chart", "c.xml"]),
      "ppt/c.xml": `<c>${chart}</c>`,
    });

  reads("a.pptx", {
    "of pictures alone hold no text": [pptx([PICTURE, PICTURE]), new Error("no text found")],
    "number their items by letter and from where they say": [
      pptx([
        title +
          shape(
            "body",
            p("Moor", bullet("arabicPeriod", "4")) +
              p("bow first", bullet("alphaLcParenR")).replace("<a:pPr>", '<a:pPr lvl="1">') +
              p("Unload", bullet("arabicPeriod", "4")) +
              p("Rest", "<a:buNone/>") +
              p("Again", bullet("arabicPeriod")),
          ),
      ]),
      "# Steps\n\n4. Moor\n   - a) bow first\n5. Unload\n\nRest\n\n1. Again",
    ],
    "keep links and formulas": [
      pptx(
        [
          title +
            shape(
              "body",
              `<a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>See </a:t></a:r>${LINK}<a:r><a:t>: </a:t></a:r>${HALF}</a:p>`,
            ),
        ],
        { "ppt/_rels/s0.rels": relationships(["h", "hyperlink", "https://example.org/t"]) },
      ),
      "# Steps\n\nSee [the tides](https://example.org/t): h/2",
    ],
    "show the data of charts that Excel knows since 2016, and note embedded files": [
      pptx([`${title}<cx:chart r:id="c"/><p:oleObj r:id="o"/>`], {
        "ppt/_rels/s0.rels": relationships(["c", "chartEx", "c.xml"], ["o", "package", "o"]),
        "ppt/c.xml": `<cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl><cx:pt idx="0">Gross</cx:pt><cx:pt idx="1">Net</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl formatCode="0%"><cx:pt idx="0">1</cx:pt><cx:pt idx="1">0.7</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:series><cx:tx><cx:txData><cx:v>Share</cx:v></cx:txData></cx:tx></cx:series>`,
      }),
      "# Steps\n\nShare\n\n| Gross | 100% |\n| --- | --- |\n| Net | 70% |",
      "1 embedded file left out: o",
    ],
    "show a chart's data as a table": [
      charted(
        title,
        "<title><a:p><a:t>Catch</a:t></a:p></title><ser><tx><v>Cod</v></tx><cat><pt><v>May</v></pt></cat><val><pt><v>31</v></pt></val></ser>",
      ),
      "# Steps\n\nCatch\n\n|  | Cod |\n| --- | --- |\n| May | 31 |",
    ],
  });

  it("count as pages where they hold no text", async () => {
    const document = await extract("a.pptx", pptx([PICTURE, title]));
    expect(document).toMatchObject({ markdown: "# Steps", pages: [{ page: 2, start: 0 }] });
  });

  /** A slide without text, its layout and the layout's master. */
  const underneath = (layout: string, below: string) => {
    const related = (type: string, target: string) =>
      `<Relationships><Relationship Id="m" Type="http://x/${type}" Target="${target}"/></Relationships>`;
    return pptx([""], {
      "ppt/_rels/s0.rels": related("slideLayout", "layout.xml"),
      "ppt/layout.xml": `<p:sldLayout>${layout}</p:sldLayout>`,
      "ppt/_rels/layout.xml.rels": related("slideMaster", "master.xml"),
      "ppt/master.xml": `<p:sldMaster>${below}</p:sldMaster>`,
    });
  };
  const master = (text: string, placeholder = "") =>
    `<p:sp><p:nvSpPr>${placeholder}</p:nvSpPr><p:txBody>${p(text)}</p:txBody></p:sp>`;
  const prompt = master("Click to edit the title", '<p:nvPr><p:ph type="title"/></p:nvPr>');

  reads("a.pptx", {
    "say that only their masters have text": [
      underneath(prompt, prompt + master("Confidential")),
      new Error("no text found; 1 slide master with text left out"),
    ],
    "say nothing of prompts": [underneath(prompt, prompt), new Error("no text found")],
  });

  const HIDDEN = 'hidden="1"';
  const box = "<p:sp><p:nvSpPr/><p:txBody><a:p><a:r><a:t>Seen</a:t></a:r></a:p></p:txBody></p:sp>";
  const secret = (attribute = "") =>
    `<p:sp><p:nvSpPr><p:cNvPr id="2" ${attribute}/></p:nvSpPr><p:txBody>${p("x")}</p:txBody></p:sp>`;
  const table = (text: string, attribute = "") =>
    `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" ${attribute}/></p:nvGraphicFramePr><a:tbl><a:tr><a:tc>${p(text)}</a:tc></a:tr></a:tbl></p:graphicFrame>`;
  const chart = (attribute = "") =>
    `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" ${attribute}/></p:nvGraphicFramePr><c:chart r:id="c"/></p:graphicFrame>`;
  const group = `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="5" ${HIDDEN}/></p:nvGrpSpPr>${secret()}${table("x")}</p:grpSp>`;
  const picture = `<p:pic><p:nvPicPr><p:cNvPr id="6" ${HIDDEN}/></p:nvPicPr></p:pic>`;
  const costly = (shapes: string) => charted(box + shapes, "<a:p><a:t>Costs</a:t></a:p>");
  const ONE = "1 hidden shape left out";

  reads("a.pptx", {
    "leave out a hidden shape": [costly(secret(HIDDEN) + chart()), "# Seen\n\nCosts", ONE],
    "leave out a hidden table": [costly(table("x", HIDDEN) + chart()), "# Seen\n\nCosts", ONE],
    "leave out a hidden group's shapes": [
      costly(group + chart()),
      "# Seen\n\nCosts",
      "2 hidden shapes left out",
    ],
    "leave out a hidden chart": [costly(chart(HIDDEN)), "# Seen", ONE],
    "show the table that follows a hidden picture": [pptx([box + picture + table("Also")]), /Also/],
  });

  const points = (...values: string[]) =>
    values.map((value, at) => `<pt idx="${at}"><v>${value}</v></pt>`).join("");
  const share = `<val><numRef><numCache><formatCode>0%</formatCode>${points("0.25", "0.5", "1")}</numCache></numRef></val>`;

  it.each([
    [
      "innermost level of categories",
      `<multiLvlStrCache><lvl>${points("Cod", "Eel", "Oak")}</lvl><lvl>${points("Fish", "", "Wood").replace('<pt idx="1"><v></v></pt>', "")}</lvl></multiLvlStrCache>`,
      ["Cod", "Eel", "Oak"],
    ],
    [
      "dates",
      `<numCache><formatCode>yyyy\\-mm\\-dd</formatCode>${points("45292", "45323", "45352")}</numCache>`,
      ["2024-01-01", "2024-02-01", "2024-03-01"],
    ],
    [
      "elements called like properties of every object",
      `<constructor/><toString></toString><strCache>${points("Cod", "Eel", "Oak")}</strCache>`,
      ["Cod", "Eel", "Oak"],
    ],
  ])("show a chart's numbers as their format says, and its %s", async (_what, cat, names) => {
    const file = charted(title, `<ser><tx><v>Share</v></tx><cat>${cat}</cat>${share}</ser>`);
    const { markdown } = await extract("a.pptx", file);
    const rows = names.map((name, at) => `| ${name} | ${["25%", "50%", "100%"][at]} |`);
    expect(markdown).toBe(`# Steps\n\n|  | Share |\n| --- | --- |\n${rows.join("\n")}`);
  });
});
