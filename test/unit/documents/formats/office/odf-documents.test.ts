import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { extractDocument } from "../../../../../src/documents/extract-document.ts";

type Parts = { styles?: string; automatic?: string; objects?: Record<string, string> };

/** A package of this kind. */
function packaged(kind: string, body: string, { automatic = "", objects = {} }: Parts = {}) {
  const content = `<office:document-content><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`;
  const parts = {
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "content.xml": content,
    ...Object.fromEntries(
      Object.entries(objects).map(([name, part]) => [`${name}/content.xml`, part]),
    ),
  };
  const bytes = Object.entries(parts).map(([name, part]) => [name, strToU8(part)] as const);
  return zipSync(Object.fromEntries(bytes));
}

const read = async (kind: string, body: string, parts: Parts = {}) =>
  extractDocument({ name: "a", mimeType: null, bytes: packaged(kind, body, parts) });

const row = (...cells: string[]) =>
  `<table:table-row>${cells.map((cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`).join("")}</table:table-row>`;

const FORMULA =
  "<math><semantics><mrow><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac><mo>=</mo><msqrt><msub><mi>y</mi><mi>i</mi></msub></msqrt></mrow><annotation>{a+b} over 2</annotation></semantics></math>";
const CHART = `<office:document-content><office:body><office:chart><chart:title><text:p>Catch by month</text:p></chart:title><table:table>${row("", "Herring")}${row("May", "31")}</table:table></office:chart></office:body></office:document-content>`;

describe("text", () => {
  it("keeps links, and the words of links that lead nowhere", async () => {
    const { markdown } = await read(
      "text",
      '<text:p>See the <text:a xlink:href="https://example.org/tides">tide table</text:a> and <text:a xlink:href="#berths">the berths</text:a>.</text:p>',
    );
    expect(markdown).toBe("See the [tide table](https://example.org/tides) and the berths.");
  });

  it("writes formulas in one line in place", async () => {
    const { markdown } = await read(
      "text",
      '<text:p>Mean: <draw:object xlink:href="./Object 1"/>.</text:p>',
      { objects: { "Object 1": FORMULA } },
    );
    expect(markdown).toBe("Mean: (a+b)/2=√(y_i).");
  });

  it("shows a chart's title and data behind the paragraph it stands in", async () => {
    const { markdown } = await read(
      "text",
      '<text:p>Figures <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>below</text:p><text:p>After</text:p>',
      { objects: { "Object 1": CHART } },
    );
    expect(markdown).toBe(
      "Figures below\n\nCatch by month\n\n|  | Herring |\n| --- | --- |\n| May | 31 |\n\nAfter",
    );
  });

  it("refuses charts that say more than any document does", async () => {
    const texts = `<text:p>${"more ".repeat(1_000)}</text:p>`.repeat(2_000);
    const chart = `<office:document-content><office:body>${texts}</office:body></office:document-content>`;
    const figure = '<text:p>Figure <draw:object xlink:href="./Object 1"/></text:p>';
    const reading = read("text", figure, { objects: { "Object 1": chart } });
    await expect(reading).rejects.toThrow("charts, diagrams and formulas have too much text");
  });

  const level = (at: number, format: string, more = "") =>
    `<text:list-level-style-number text:level="${at}" style:num-format="${format}" ${more}/>`;
  const automatic = `<text:list-style style:name="L1">${level(1, "1", 'style:num-suffix="."')}${level(2, "1", 'style:num-suffix="." text:display-levels="2"')}${level(3, "a", 'style:num-prefix="(" style:num-suffix=")"')}</text:list-style>`;
  const item = (inside: string, more = "") => `<text:list-item ${more}>${inside}</text:list-item>`;
  const p = (text: string) => `<text:p>${text}</text:p>`;
  const list = (items: string, more = "") =>
    `<text:list text:style-name="L1" ${more}>${items}</text:list>`;

  it("numbers items as the list does: levels together, letters, and lists that go on", async () => {
    const inner = list(item(p("Rent") + list(item(p("by transfer")))) + item(p("Deposit")));
    const { markdown } = await read(
      "text",
      list(item(p("Tenant") + inner), 'xml:id="one"') +
        p("Between") +
        list(item(p("Landlord")), 'text:continue-list="one"') +
        p("Apart") +
        list(item(p("Seventh"), 'text:start-value="7"')),
      { automatic },
    );
    expect(markdown).toBe(
      "1. Tenant\n   - 1.1. Rent\n      - (a) by transfer\n   - 1.2. Deposit\n\nBetween\n\n2. Landlord\n\nApart\n\n7. Seventh",
    );
  });

  it("does not count items that only hold a list", async () => {
    const only = item(list(item(p("inner"))));
    const { markdown } = await read("text", list(only + item(p("first"))), { automatic });
    expect(markdown).toBe("   - 1.1. inner\n1. first");
  });

  it("numbers headings where the document does", async () => {
    const outline =
      '<text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>';
    const h = (at: number, text: string) => `<text:h text:outline-level="${at}">${text}</text:h>`;
    const { markdown } = await read(
      "text",
      h(1, "Scope") + h(1, "Duties") + h(2, "Care") + h(2, "Insurance"),
      { automatic: outline },
    );
    expect(markdown).toBe("# 1 Scope\n\n# 2 Duties\n\n## 2.1 Care\n\n## 2.2 Insurance");
  });

  it("gives notes numbers of their own, whatever they are cited with", async () => {
    const note = (citation: string, text: string) =>
      `<text:note><text:note-citation>${citation}</text:note-citation><text:note-body><text:p>${text}</text:p></text:note-body></text:note>`;
    const { markdown } = await read(
      "text",
      `<text:p>Mole${note("1", "At low tide.")} and pier${note("i", "Built 1911.")}.</text:p>`,
    );
    expect(markdown).toBe("Mole[^1] and pier[^2].\n\n[^1]: At low tide.\n\n[^2]: Built 1911.");
  });
});

describe("sheets", () => {
  const sheet = (name: string, inside: string) =>
    `<table:table table:name="${name}">${inside}</table:table>`;

  it("reads on after a chart among the rows, and shows its title at the sheet's end", async () => {
    const shapes =
      '<table:shapes><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></table:shapes>';
    const { markdown } = await read(
      "spreadsheet",
      sheet("Catch", shapes + row("Month", "Herring") + row("May", "31") + row("June", "28")),
      { objects: { "Object 1": CHART } },
    );
    expect(markdown).toBe(
      "# Catch\n\n| Month | Herring |\n| --- | --- |\n| May | 31 |\n| June | 28 |\n\nCatch by month",
    );
  });

  it("shows no heading for a sheet without text; a file of such sheets has no text", async () => {
    const { markdown, pages } = await read(
      "spreadsheet",
      sheet("Empty", row("")) + sheet("Full", row("a", "b")),
    );
    expect(markdown).toBe("# Full\n\n| a | b |\n| --- | --- |");
    expect(pages).toEqual([{ page: 2, start: 0 }]);
    await expect(read("spreadsheet", sheet("Empty", row("")))).rejects.toThrow("no text found");
  });

  it("leaves out what a cell's check would say of wrong input", async () => {
    const { markdown } = await read(
      "spreadsheet",
      `<table:content-validations><table:content-validation><table:help-message><text:p>Type a date</text:p></table:help-message></table:content-validation></table:content-validations>${sheet("Log", row("a", "b"))}`,
    );
    expect(markdown).not.toContain("Type a date");
  });
});

describe("slides", () => {
  const box = (kind: string, text: string) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;

  it("takes the title for the heading wherever it stands on the slide", async () => {
    const { markdown } = await read(
      "presentation",
      `<draw:page>${box("subtitle", "Spring tides")}${box("title", "Harbour")}</draw:page>`,
    );
    expect(markdown).toBe("# Harbour\n\nSpring tides");
  });

  it("shows a chart on its slide", async () => {
    const { markdown } = await read(
      "presentation",
      `<draw:page>${box("title", "Catch")}<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></draw:page>`,
      { objects: { "Object 1": CHART } },
    );
    expect(markdown).toContain("# Catch\n\nCatch by month\n\n|  | Herring |");
  });
});
