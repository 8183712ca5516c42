import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { extractDocument } from "../../../../../src/documents/extract-document.ts";

type Related = Record<string, [type: string, content: string | Uint8Array]>;

const extract = (name: string, bytes: Uint8Array) =>
  extractDocument({ name, mimeType: null, bytes });
const packed = (parts: Record<string, string | Uint8Array>) =>
  zipSync(
    Object.fromEntries(
      Object.entries(parts).map(
        ([name, part]) => [name, typeof part === "string" ? strToU8(part) : part] as const,
      ),
    ),
  );

/** `related`: parts by their names, which are their relationships' ids as well. */
const docx = (body: string, related: Related = {}) =>
  extract(
    "a.docx",
    packed({
      "_rels/.rels": '<r><Relationship Id="m" Type="x/officeDocument" Target="word/d.xml"/></r>',
      "word/d.xml": `<w:document><w:body>${body}</w:body></w:document>`,
      "word/_rels/d.xml.rels": `<r>${Object.entries(related)
        .map(([name, [type]]) => `<Relationship Id="${name}" Type="x/${type}" Target="${name}"/>`)
        .join("")}</r>`,
      ...Object.fromEntries(
        Object.entries(related).map(([name, [, content]]) => [`word/${name}`, content]),
      ),
    }),
  );
const p = (text: string, properties = "", runProperties = "") =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:rPr>${runProperties}</w:rPr><w:t>${text}</w:t></w:r></w:p>`;
const cell = (inside: string) => `<w:tc>${inside}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join("")}</w:tr>`;

describe("numbers of lists", () => {
  const numbering: Related = {
    "n.xml": [
      "numbering",
      '<n><abstractNum abstractNumId="0"><lvl ilvl="0"><start val="1"/><numFmt val="decimal"/><lvlText val="REQ-%1"/></lvl></abstractNum><num numId="1"><abstractNumId val="0"/></num><num numId="2"><abstractNumId val="0"/><lvlOverride ilvl="0"><startOverride val="7"/></lvlOverride></num></n>',
    ],
  };
  const item = (text: string, list = 1) => p(text, `<w:numPr><w:numId w:val="${list}"/></w:numPr>`);

  it("stand in the cells of a table, and the list counts on behind it", async () => {
    const table = row(p("No."), p("Requirement")) + row(item(""), p("start")) + row(item("stop"));
    const { markdown } = await docx(
      `${item("first")}<w:tbl>${table}</w:tbl>${item("last")}`,
      numbering,
    );
    expect(markdown).toBe(
      "- REQ-1 first\n\n| No. | Requirement |\n| --- | --- |\n| REQ-2 | start |\n| REQ-3 stop |  |\n\n- REQ-4 last",
    );
  });

  it("count empty paragraphs, and restart where an instance says so", async () => {
    const body = item("one") + item("") + item("three") + item("seven", 2) + item("eight", 2);
    expect((await docx(body, numbering)).markdown).toBe(
      "- REQ-1 one\n- REQ-3 three\n- REQ-7 seven\n- REQ-8 eight",
    );
  });

  it("stand in the cells of an OpenDocument's table as well", async () => {
    const list = (text: string) =>
      `<text:list text:style-name="L" text:continue-numbering="true"><text:list-item><text:p>${text}</text:p></text:list-item></text:list>`;
    const rowOf = (...cells: string[]) =>
      `<table:table-row>${cells.map((each) => `<table:table-cell>${each}</table:table-cell>`).join("")}</table:table-row>`;
    const content = `<office:document-content><office:automatic-styles><text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-prefix="REQ-"/></text:list-style></office:automatic-styles><office:body><office:text><table:table>${rowOf(list("start"), "<text:p>b</text:p>")}${rowOf(list(""), "<text:p>d</text:p>")}</table:table>${list("after")}${list("")}${list("last")}</office:text></office:body></office:document-content>`;
    const mimetype = "application/vnd.oasis.opendocument.text";
    expect((await extract("a.odt", packed({ mimetype, "content.xml": content }))).markdown).toBe(
      "| REQ-1 start | b |\n| --- | --- |\n| REQ-2 | d |\n\n- REQ-3 after\n- REQ-5 last",
    );
  });
});

describe("text that is shown against its style", () => {
  const styles: Related = {
    "s.xml": [
      "styles",
      '<s><style styleId="Hidden"><rPr><vanish/></rPr></style><style styleId="Shown"><basedOn val="Hidden"/><rPr><vanish val="0"/></rPr></style><style type="character" styleId="Visible"><rPr><vanish val="0"/></rPr></style></s>',
    ],
  };
  const of = (style: string) => `<w:pStyle w:val="${style}"/>`;

  it.each([
    ["a style based on a hidden one", p("seen", of("Shown")), []],
    ["a run", p("seen", of("Hidden"), '<w:vanish w:val="0"/>'), []],
    ["a run's style", p("seen", of("Hidden"), '<w:rStyle w:val="Visible"/>'), []],
    [
      "a run beside another",
      p("x</w:t></w:r><w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>seen", of("Hidden")),
      ["1 hidden text run removed"],
    ],
  ])("is read: %s", async (_what, body, notes) => {
    expect(await docx(body, styles)).toMatchObject({ markdown: "seen", notes });
  });
});

it("says that parts which a document takes in could not be read", async () => {
  const { markdown, notes } = await docx(p("before") + '<w:altChunk r:id="a"/>' + p("after"));
  expect(markdown).toBe("before\n\nafter");
  expect(notes).toEqual(["1 embedded part could not be read"]);
});

it("reads alternatives once: the choice", async () => {
  const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
  const { markdown } = await docx(
    `<w:p><mc:AlternateContent><mc:Choice Requires="x">${run("new")}</mc:Choice><mc:Fallback>${run("old")}</mc:Fallback></mc:AlternateContent>${run(" end")}</w:p>`,
  );
  expect(markdown).toBe("new end");
});

describe("chapters of a book", () => {
  const book = (first: string | Uint8Array, second: string | Uint8Array) =>
    extract(
      "a.epub",
      packed({
        mimetype: "application/epub+zip",
        "META-INF/container.xml": '<c><rootfile full-path="c.opf"/></c>',
        "c.opf":
          '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
        "a.xhtml": first,
        "b.xhtml": second,
      }),
    );
  const noise = Uint8Array.of(0x3c, 0x70, 0x3e, 0x81, 0x8d, 0x9d, 0xff, 0xfe, 0, 0x81);

  it("are read without the one whose encoding nothing tells", async () => {
    const { markdown, notes } = await book("<p>Good pages.</p>", noise);
    expect(markdown).toBe("Good pages.");
    expect(notes).toEqual(["1 chapter could not be read"]);
  });

  it("are all needed where there is no text without", async () => {
    await expect(book(noise, noise)).rejects.toThrow("text encoding is not recognised");
  });
});

describe("fields", () => {
  const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;

  it("that never end hide no paragraph but theirs, however many they are", async () => {
    const field = `${mark("begin")}<w:r><w:instrText>IF</w:instrText></w:r>`;
    const body = `<w:p>${field.repeat(300)}<w:r><w:t>x</w:t></w:r></w:p>${p("seen")}`;
    expect((await docx(body)).markdown).toBe("seen");
  });
});
