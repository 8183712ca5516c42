import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { extractDocument } from "../../../../../src/documents/extract-document.ts";

const read = (parts: Record<string, string>) =>
  extractDocument({
    name: "a",
    mimeType: null,
    bytes: zipSync(
      Object.fromEntries(
        Object.entries(parts).map(([name, part]) => [name, strToU8(part)] as const),
      ),
    ),
  });

const relationships = (...related: [id: string, type: string, target: string][]) =>
  `<r>${related.map(([id, type, target]) => `<Relationship Id="${id}" Type="x/${type}" Target="${target}" ${target.startsWith("http") ? 'TargetMode="External"' : ""}/>`).join("")}</r>`;

describe("sheets", () => {
  type Book = { formats?: string[]; strings?: string; more?: Record<string, string> };

  /** A workbook of one sheet; cells of style n have the nth format. */
  const book = (sheet: string, { formats = [], strings = "", more = {} }: Book = {}) =>
    read({
      "_rels/.rels": relationships(["m", "officeDocument", "xl/w.xml"]),
      "xl/w.xml": '<workbook><sheets><sheet name="Log" r:id="s"/></sheets></workbook>',
      "xl/_rels/w.xml.rels": relationships(
        ["s", "worksheet", "s.xml"],
        ["t", "sharedStrings", "t.xml"],
        ["f", "styles", "f.xml"],
      ),
      "xl/s.xml": `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
      "xl/t.xml": `<sst>${strings}</sst>`,
      "xl/f.xml": `<styleSheet><numFmts>${formats.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code}"/>`).join("")}</numFmts><cellXfs>${formats.map((_code, at) => `<xf numFmtId="${200 + at}"/>`).join("")}<xf numFmtId="31"/></cellXfs></styleSheet>`,
      ...more,
    });
  it("leaves a cell of shared text empty that names none", async () => {
    const strings = "<si><t>Wrong</t></si><si><t>Gate</t></si>";
    const row = '<row><c t="s"><v>1</v></c><c t="s"><v></v></c><c t="s"><v>1</v></c></row>';
    const { markdown } = await book(row, { strings });
    expect(markdown).toContain("Gate");
    expect(markdown).not.toContain("Wrong");
  });

  it("reads a workbook whose parts stand outside of its usual folder", async () => {
    const { markdown } = await read({
      "[Content_Types].xml":
        '<Types><Override PartName="/w.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
      "_rels/.rels": relationships(["m", "officeDocument", "w.xml"]),
      "w.xml": '<workbook><sheets><sheet name="Log" r:id="s"/></sheets></workbook>',
      "_rels/w.xml.rels": relationships(["s", "worksheet", "s.xml"]),
      "s.xml":
        '<worksheet><sheetData><row><c t="str"><v>Gate</v></c></row></sheetData></worksheet>',
    });
    expect(markdown).toContain("Gate");
  });

  const number = (value: number, style = 0) => `<c s="${style}"><v>${value}</v></c>`;

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
    ["# ?/?", 5.25, "5.25"],
    ["?/8", 0.375, "0.375"],
    ["&quot;open&quot;;&quot;open&quot;;&quot;shut&quot;", 0, "shut"],
    ["[Red]0.00;[Red]-0.00", -3.5, "-3.50"],
    ["0.0%", 0.1234, "12.3%"],
    ["[h]:mm:ss", 1.5, "36:00:00"],
    ["h:mm", 2.25, "06:00:00"],
    ["dd\\.mm\\.yyyy;@", 45123, "2023-07-16"],
    ["General", 0.1, "0.1"],
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
    // What a section hides is not lost.
    ["0;;&quot;zero&quot;", -5, "-5"],
    ["0;;&quot;zero&quot;", 0, "zero"],
    [";;;", 3.25, "3.25"],
    ["mm", 45123, "2023-07-16"],
    ["mm:ss", 0.5, "12:00:00"],
    ["yyyy", 2958466, "2958466"],
    ["# ?/100000000000000000000", 0.5, "0.5"],
  ])("shows what %s makes of %s", async (format, value, expected) => {
    const { markdown } = await book(`<row>${number(value)}<c t="str"><v>x</v></c></row>`, {
      formats: [format],
    });
    expect(markdown.split("\n")[2]).toBe(`| ${expected} | x |`);
  });

  it("shows plainly the cells of formats beyond those that a workbook can have", async () => {
    const styles = `<styleSheet><cellXfs>${'<xf numFmtId="9"/>'.repeat(70_000)}</cellXfs></styleSheet>`;
    const { markdown } = await book(`<row>${number(0.5)}${number(0.5, 69_999)}</row>`, {
      more: { "xl/f.xml": styles },
    });
    expect(markdown.split("\n")[2]).toBe("| 50% | 0.5 |");
  });

  it("knows the dates that Excel formats by number in Chinese and Japanese", async () => {
    const { markdown } = await book(`<row>${number(45123)}</row>`);
    expect(markdown).toContain("2023-07-16");
  });

  it("reads escaped characters, and cells of ISO dates", async () => {
    const { markdown } = await book(
      '<row><c t="s"><v>0</v></c><c t="d"><v>2024-05-01T00:00:00.000Z</v></c></row>',
      { strings: "<si><t>one_x000D_\ntwo _x005F_x</t></si>" },
    );
    expect(markdown).toContain("| one two _x | 2024-05-01 |");
  });

  it("orders cells that stand in no order, and takes the last of two in one place", async () => {
    const { markdown } = await book(
      '<row><c r="C1" t="str"><v>c</v></c><c r="A1" t="str"><v>x</v></c><c r="A1" t="str"><v>a</v></c><c t="str"><v>b</v></c></row>',
    );
    expect(markdown).toContain("| a | b | c |");
  });

  const text = (words: string, at: string) => `<c r="${at}" t="str"><v>${words}</v></c>`;
  const rows =
    `<row r="1">${text("a", "A1")}${text("x", "B1")}${text("c", "C1")}</row>` +
    `<row r="2" hidden="1">${text("d", "A2")}${text("x", "B2")}${text("f", "C2")}</row>` +
    '<row r="3" hidden="1"/>' +
    `<row r="4">${text("g", "A4")}${text("x", "B4")}${text("i", "C4")}</row>`;
  /** `head` stands before the rows, `table` in a part of its own. */
  const hiding = (head: string, relation = "", table = "") =>
    book("", {
      more: {
        "xl/s.xml": `<worksheet>${head}<sheetData>${rows}</sheetData></worksheet>`,
        "xl/_rels/s.xml.rels": relation,
        "xl/t1.xml": table,
      },
    });

  it("leaves out hidden rows and columns, and says so", async () => {
    const columns =
      '<cols><col min="2" max="2" hidden="1"/><col min="9" max="16384" hidden="1"/></cols>';
    const { markdown, notes } = await hiding(columns);
    expect(markdown).toBe("# Log\n\n| a | c |\n| --- | --- |\n| g | i |");
    expect(notes).toEqual(["1 hidden row left out", "1 hidden column left out"]);
  });

  it.each([
    ["the sheet's", '<sheetPr filterMode="1"/>', ""],
    ["a table's", "", '<table><autoFilter><filterColumn colId="0"/></autoFilter></table>'],
  ])("keeps the rows that %s filter does not choose", async (_whose, head, table) => {
    const { markdown, notes } = await hiding(head, relationships(["t", "table", "t1.xml"]), table);
    expect(markdown).toContain("| d | x | f |");
    expect(notes).toEqual([]);
  });

  it("says how many formulas hold no value", async () => {
    const { notes } = await book(
      '<row><c><f>A1*2</f><v></v></c><c t="str"><f>""</f><v></v></c><c t="str"><v>x</v></c></row>',
    );
    expect(notes).toEqual(["1 formula cell without a stored value"]);
  });

  it("has no text where no cell has any", async () => {
    await expect(book("<row><c/></row>")).rejects.toThrow("no text found");
  });

  it("shows text boxes and titles of charts", async () => {
    const { markdown } = await book(`<row>${number(1)}<c t="str"><v>x</v></c></row>`, {
      more: {
        "xl/_rels/s.xml.rels": relationships(["d", "drawing", "d.xml"]),
        "xl/d.xml": "<wsDr><sp><a:p><a:r><a:t>Read with care</a:t></a:r></a:p></sp></wsDr>",
        "xl/_rels/d.xml.rels": relationships(["c", "chart", "c.xml"]),
        "xl/c.xml":
          "<c><title><a:p><a:t>Catch</a:t></a:p></title><ser><val><pt><v>1</v></pt></val></ser></c>",
      },
    });
    expect(markdown).toMatch(/\| x \|\n\| --- \| --- \|\n\nRead with care\n\nCatch$/);
  });
});

describe("slides", () => {
  const deck = (shapes: string, more: Record<string, string> = {}) =>
    read({
      "_rels/.rels": relationships(["m", "officeDocument", "ppt/p.xml"]),
      "ppt/p.xml": '<p:presentation><p:sldId r:id="a"/><p:sldId r:id="b"/></p:presentation>',
      "ppt/_rels/p.xml.rels": relationships(["a", "slide", "a.xml"], ["b", "slide", "b.xml"]),
      "ppt/a.xml": "<p:sld><p:pic/></p:sld>",
      "ppt/b.xml": `<p:sld>${shapes}</p:sld>`,
      ...more,
    });
  const shape = (kind: string, paragraphs: string) =>
    `<p:sp><p:nvPr><p:ph type="${kind}"/></p:nvPr>${paragraphs}</p:sp>`;
  const title = shape("title", "<a:p><a:r><a:t>Steps</a:t></a:r></a:p>");
  const p = (text: string, properties = "") =>
    `<a:p><a:pPr>${properties}</a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`;

  it("of pictures alone hold no text", async () => {
    await expect(deck("<p:pic/>")).rejects.toThrow("no text found");
    const { markdown, pages } = await deck(title);
    expect(markdown).toBe("# Steps");
    expect(pages).toEqual([{ page: 2, start: 0 }]);
  });

  it("number their items by letter and from where they say", async () => {
    const counted = (scheme: string, start = "1") =>
      `<a:buAutoNum type="${scheme}" startAt="${start}"/>`;
    const { markdown } = await deck(
      title +
        shape(
          "body",
          p("Moor", counted("arabicPeriod", "4")) +
            `<a:p><a:pPr lvl="1">${counted("alphaLcParenR")}</a:pPr><a:r><a:t>bow first</a:t></a:r></a:p>` +
            p("Unload", counted("arabicPeriod", "4")) +
            p("Rest", "<a:buNone/>") +
            p("Again", counted("arabicPeriod")),
        ),
    );
    expect(markdown).toBe("# Steps\n\n4. Moor\n   - a) bow first\n5. Unload\n\nRest\n\n1. Again");
  });

  it("keep links and formulas", async () => {
    const { markdown } = await deck(
      title +
        shape(
          "body",
          `<a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>See </a:t></a:r><a:r><a:rPr><a:hlinkClick r:id="h"/></a:rPr><a:t>the tides</a:t></a:r><a:r><a:t>: </a:t></a:r><a14:m><m:oMath><m:f><m:num><m:r><m:t>h</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></a14:m></a:p>`,
        ),
      { "ppt/_rels/b.xml.rels": relationships(["h", "hyperlink", "https://example.org/t"]) },
    );
    expect(markdown).toBe("# Steps\n\nSee [the tides](https://example.org/t): h/2");
  });

  it("show a chart's data as a table", async () => {
    const chart =
      "<c><title><a:p><a:t>Catch</a:t></a:p></title><ser><tx><v>Cod</v></tx><cat><pt><v>May</v></pt></cat><val><pt><v>31</v></pt></val></ser></c>";
    const { markdown } = await deck(title, {
      "ppt/_rels/b.xml.rels": relationships(["c", "chart", "c.xml"]),
      "ppt/c.xml": chart,
    });
    expect(markdown).toBe("# Steps\n\nCatch\n\n|  | Cod |\n| --- | --- |\n| May | 31 |");
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
    const { markdown } = await deck(title, {
      "ppt/_rels/b.xml.rels": relationships(["c", "chart", "c.xml"]),
      "ppt/c.xml": `<c><ser><tx><v>Share</v></tx><cat>${cat}</cat>${share}</ser></c>`,
    });
    const rows = names.map((name, at) => `| ${name} | ${["25%", "50%", "100%"][at]} |`);
    expect(markdown).toBe(`# Steps\n\n|  | Share |\n| --- | --- |\n${rows.join("\n")}`);
  });
});
