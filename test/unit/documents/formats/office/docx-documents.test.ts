import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { extractDocument } from "../../../../../src/documents/extract-document.ts";

type Parts = {
  styles?: string;
  numbering?: string;
  /** Type and content of further parts, by relationship id and file name. */
  more?: Record<string, [type: string, content: string, name?: string]>;
  /** Relationships of the notes. */
  noteLinks?: string;
};

/** A document of this body, with what its parts hold. */
function docx(
  body: string,
  { styles = "", numbering = "", more = {}, noteLinks = "" }: Parts = {},
): Uint8Array {
  const parts = {
    s: ["styles", `<w:styles>${styles}</w:styles>`],
    n: ["numbering", `<w:numbering>${numbering}</w:numbering>`],
    ...more,
  } satisfies Parts["more"];
  const related = Object.entries(parts).map(
    ([id, [type, , name = `${id}.xml`]]) =>
      `<Relationship Id="${id}" Type="x/${type}" Target="${name}"/>`,
  );
  const files = Object.entries({
    "_rels/.rels": '<r><Relationship Id="m" Type="x/officeDocument" Target="word/d.xml"/></r>',
    "word/d.xml": `<w:document><w:body>${body}</w:body></w:document>`,
    "word/_rels/d.xml.rels": `<r>${related.join("")}</r>`,
    "word/_rels/notes.xml.rels": `<r>${noteLinks}</r>`,
    ...Object.fromEntries(
      Object.entries(parts).map(([id, [, content, name = `${id}.xml`]]) => [
        `word/${name}`,
        content,
      ]),
    ),
  });
  return zipSync(Object.fromEntries(files.map(([name, text]) => [name, strToU8(text)] as const)));
}

const read = (body: string, parts: Parts = {}) =>
  extractDocument({ name: "a.docx", mimeType: null, bytes: docx(body, parts) });

const p = (runs: string, properties = "") => `<w:p><w:pPr>${properties}</w:pPr>${runs}</w:p>`;
const r = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const code = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
const field = (instruction: string, result: string) =>
  mark("begin") + code(instruction) + mark("separate") + result + mark("end");

describe("runs", () => {
  it.each([
    [
      "tabs that are set from a margin",
      "<w:r><w:t>left</w:t><w:ptab/><w:t>right</w:t></w:r>",
      "left right",
    ],
    [
      "how a name is pronounced",
      `<w:r><w:ruby><w:rt>${r("とうきょう")}</w:rt><w:rubyBase>${r("東京")}</w:rubyBase></w:ruby></w:r>${r("駅")}`,
      "東京駅",
    ],
    [
      "letters of a symbol font",
      `<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>${r(" done")}`,
      "α✓ done",
    ],
    [
      "links that fields make",
      field(' HYPERLINK "https://example.org/a" ', r("the plan")),
      "[the plan](https://example.org/a)",
    ],
    [
      "links of simple fields",
      `<w:fldSimple w:instr=' HYPERLINK "https://example.org/b" '>${r("it")}</w:fldSimple>`,
      "[it](https://example.org/b)",
    ],
    [
      "places that fields refer to",
      r("see ") + field(" REF _Toc1 \\h ", r("Annex A")),
      "see Annex A",
    ],
    [
      "conditions, with what they compare",
      field(` IF ${field(" MERGEFIELD Sex ", r("f"))} = "f" "Ms" "Mr" `, r("Ms")) + r(" Lind"),
      "Ms Lind",
    ],
    ["fields that never end", `${mark("begin")}${code(" TOC ")}</w:p><w:p>${r("Text")}`, "Text"],
    [
      "check boxes of forms",
      mark("begin").replace(
        "/>",
        "><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData></w:fldChar>",
      ) +
        code(" FORMCHECKBOX ") +
        mark("end") +
        r(" agreed"),
      "☒ agreed",
    ],
    [
      "formulas",
      `<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f><m:r><m:t>=</m:t></m:r><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>10</m:t></m:r></m:sup></m:sSup></m:oMath>`,
      "(a+b)/2=x^10",
    ],
  ])("reads %s", async (_what, runs, expected) => {
    const { markdown } = await read(p(runs));
    expect(markdown).toBe(expected);
  });
});

describe("lists and headings", () => {
  const level = (at: number, format: string, text: string, more = "") =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const numbering = `<w:abstractNum w:abstractNumId="0">${level(0, "decimal", "%1.")}${level(1, "decimal", "%1.%2")}${level(2, "lowerLetter", "(%3)")}</w:abstractNum>
    <w:abstractNum w:abstractNumId="1">${level(0, "upperRoman", "Article %1")}${level(1, "decimal", "%1.%2", "<w:isLgl/>")}</w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
    <w:num w:numId="2"><w:abstractNumId w:val="0"/></w:num>
    <w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
    <w:num w:numId="4"><w:abstractNumId w:val="1"/></w:num>`;
  const item = (list: number, at: number, text: string) =>
    p(r(text), `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr>`);

  it("shows the document's numbers: several levels, letters, continued and restarted", async () => {
    const { markdown } = await read(
      item(1, 0, "Tenant") +
        item(1, 1, "Rent") +
        item(1, 2, "by transfer") +
        item(1, 2, "or cash") +
        item(1, 1, "Deposit") +
        item(2, 0, "Landlord") +
        item(3, 0, "Anew"),
      { numbering },
    );
    expect(markdown).toBe(
      "1. Tenant\n   - 1.1 Rent\n      - (a) by transfer\n      - (b) or cash\n   - 1.2 Deposit\n2. Landlord\n1. Anew",
    );
  });

  it("numbers headings", async () => {
    const heading = (at: number, text: string) =>
      p(
        r(text),
        `<w:pStyle w:val="Heading${at + 1}"/><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="4"/></w:numPr>`,
      );
    const { markdown } = await read(
      heading(0, "Scope") + heading(0, "Duties") + heading(1, "Care"),
      { numbering },
    );
    expect(markdown).toBe("# Article I Scope\n\n# Article II Duties\n\n## 2.1 Care");
  });

  it("knows the headings of writers that define no styles", async () => {
    const { markdown } = await read(p(r("Scope"), '<w:pStyle w:val="Heading2"/>') + p(r("Text")));
    expect(markdown).toBe("## Scope\n\nText");
  });
});

describe("tables", () => {
  const grid = (columns: number) => `<w:tblGrid>${"<w:gridCol/>".repeat(columns)}</w:tblGrid>`;
  const cell = (inside: string) => `<w:tc>${inside}</w:tc>`;

  it("reads a frame around paragraphs as what it holds", async () => {
    const inner = `<w:tbl>${grid(2)}<w:tr>${cell(p(r("a")))}${cell(p(r("b")))}</w:tr></w:tbl>`;
    const { markdown } = await read(
      `<w:tbl>${grid(1)}<w:tr>${cell(p(r("Boxed"), '<w:pStyle w:val="Heading2"/>') + p(r("One.")) + inner + p(r("Two.")))}</w:tr></w:tbl>`,
    );
    expect(markdown).toBe("## Boxed\n\nOne.\n\n| a | b |\n| --- | --- |\n\nTwo.");
  });

  it("keeps cells in their columns behind those that a row leaves out", async () => {
    const row = (...cells: string[]) =>
      `<w:tr>${cells.map((text) => cell(p(r(text)))).join("")}</w:tr>`;
    const late = `<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>${cell(p(r("31")))}</w:tr>`;
    const { markdown } = await read(`<w:tbl>${grid(2)}${row("Month", "Catch")}${late}</w:tbl>`);
    expect(markdown).toBe("| Month | Catch |\n| --- | --- |\n|  | 31 |");
  });
});

describe("pages", () => {
  const BREAK = '<w:r><w:br w:type="page"/></w:r>';
  const DRAWN = "<w:r><w:lastRenderedPageBreak/></w:r>";
  const pagesOf = async (body: string) => {
    const { markdown, pages } = await read(body);
    return pages.map(({ page, start }) => `${page}: ${markdown.slice(start).split("\n")[0]}`);
  };

  it("begin once, where a break is set and where it was drawn", async () => {
    expect(
      await pagesOf(
        p(r("One") + BREAK) +
          p(`${DRAWN}${r("Two")}`) +
          p(r("Three") + DRAWN + r("…")) +
          p(r("Four")),
      ),
    ).toEqual(["1: One", "2: Two", "3: Four"]);
  });

  it("begin with paragraphs that want one", async () => {
    expect(await pagesOf(p(r("One")) + p(DRAWN + r("Two"), "<w:pageBreakBefore/>"))).toEqual([
      "1: One",
      "2: Two",
    ]);
  });
});

describe("drawings", () => {
  const value = (at: number, text: string) => `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>`;
  const chart = `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Catch by month</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:ser><c:tx><c:strRef><c:strCache>${value(0, "Herring")}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${value(0, "May")}${value(1, "June")}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>General</c:formatCode>${value(0, "31")}${value(1, "0.30000000000000004")}</c:numCache></c:numRef></c:val></c:ser><c:valAx><c:title><c:tx><c:strRef><c:strCache>${value(0, "tonnes")}</c:strCache></c:strRef></c:tx></c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>`;
  const diagram =
    "<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>Moor</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>Unload</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>";

  it("shows a chart's titles and data, and a diagram's labels, behind their paragraph", async () => {
    const { markdown } = await read(
      p(`${r("Figure 1")}<w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r>`) +
        p('<w:r><w:drawing><dgm:relIds r:dm="g"/></w:drawing></w:r>') +
        p(r("After")),
      { more: { c: ["chart", chart], g: ["diagramData", diagram] } },
    );
    expect(markdown).toBe(
      "Figure 1\n\nCatch by month\n\ntonnes\n\n|  | Herring |\n| --- | --- |\n| May | 31 |\n| June | 0.3 |\n\nMoor\n\nUnload\n\nAfter",
    );
  });
});

it("takes the links of notes from where the notes have them", async () => {
  const link = (id: string) => `<w:hyperlink r:id="${id}">${r("there")}</w:hyperlink>`;
  const target = (id: string, page: string) =>
    `<Relationship Id="${id}" Type="x/hyperlink" Target="https://example.org/${page}" TargetMode="External"/>`;
  const { markdown } = await read(p(`${r("See")}<w:r><w:footnoteReference w:id="1"/></w:r>`), {
    more: {
      f: [
        "footnotes",
        `<w:footnotes><w:footnote w:id="1">${p(link("L"))}</w:footnote></w:footnotes>`,
        "notes.xml",
      ],
    },
    noteLinks: target("L", "note"),
  });
  expect(markdown).toBe("See[^1]\n\n[^1]: [there](https://example.org/note)");
});

it("a Word document in one XML file says how to save it", async () => {
  const text = `<?xml version="1.0"?>\n<w:wordDocument xmlns:w="w"><w:body/></w:wordDocument>`;
  const file = { name: "a.xml", mimeType: null, bytes: new TextEncoder().encode(text) };
  await expect(extractDocument(file)).rejects.toThrow("save it as DOCX");
});
