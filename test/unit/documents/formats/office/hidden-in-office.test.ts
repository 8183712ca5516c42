import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { extractDocument } from "../../../../../src/documents/extract-document.ts";

const extract = (name: string, bytes: Uint8Array) =>
  extractDocument({ name, mimeType: null, bytes });
const archive = (parts: Record<string, string>) =>
  zipSync(
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, strToU8(part)] as const)),
  );

describe("OpenDocument", () => {
  const opened = (kind: string, styles: string, body: string) =>
    archive({
      mimetype: `application/vnd.oasis.opendocument.${kind}`,
      "content.xml": `<office:document-content xmlns:office="o" xmlns:style="s" xmlns:text="t" xmlns:draw="d" xmlns:presentation="p">
        <office:automatic-styles>${styles}</office:automatic-styles>
        <office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    });
  const style = (family: string, name: string, properties: string, more = "") =>
    `<style:style style:name="${name}" style:family="${family}" ${more}>${properties}</style:style>`;
  const HIDDEN = '<style:text-properties text:display="none"/>';
  const styles = [
    style("text", "T1", HIDDEN),
    style("text", "T2", '<style:text-properties text:display="true"/>'),
    style("paragraph", "P1", HIDDEN),
    style("paragraph", "P2", "", 'style:parent-style-name="P1"'),
    // The same name in another family says nothing of text.
    style("paragraph", "T1", ""),
  ].join("");
  const odt = (body: string) => extract("a.odt", opened("text", styles, body));

  it.each([
    ["a span", '<text:p>seen <text:span text:style-name="T1">x</text:span>too</text:p>', 1],
    ["a paragraph", '<text:p>seen too</text:p><text:p text:style-name="P1">x</text:p>', 1],
    ["a style's parent", '<text:p text:style-name="P2">x</text:p><text:p>seen too</text:p>', 1],
    [
      "all but a span of it",
      '<text:p text:style-name="P1">x<text:span text:style-name="T2">seen too</text:span>x</text:p>',
      1,
    ],
    [
      "a field",
      '<text:p>x<text:hidden-paragraph text:is-hidden="true"/>x</text:p><text:p>seen too</text:p>',
      1,
    ],
    [
      "the note of a hidden span",
      '<text:p>seen too<text:span text:style-name="T1">x<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>x</text:p></text:note-body></text:note></text:span></text:p>',
      2,
    ],
  ])("leaves out hidden text: %s", async (_what, body, count) => {
    const document = await odt(body);
    expect(document.markdown).toBe("seen too");
    expect(document.notes).toEqual([`${count} hidden text run${count === 1 ? "" : "s"} removed`]);
  });

  it.each([
    ["none", 'text:display="none"'],
    ["a condition that holds", 'text:display="condition" text:is-hidden="true"'],
  ])("leaves out sections that are hidden: %s", async (_how, attributes) => {
    const section = `<text:section ${attributes}><text:h>x</text:h><text:p>x<text:span>x</text:span></text:p></text:section>`;
    const document = await odt(`<text:p>seen</text:p>${section}<text:p>too</text:p>`);
    expect(document.markdown).toBe("seen\n\ntoo");
    expect(document.notes).toEqual(["1 hidden section left out"]);
  });

  it("shows text, sections and styles that are not hidden", async () => {
    const document = await odt(
      '<text:section text:display="condition"><text:p text:style-name="T1">seen <text:span text:style-name="T2">too</text:span></text:p></text:section>',
    );
    expect(document).toMatchObject({ markdown: "seen too", notes: [] });
  });

  it("leaves out hidden slides, and counts them as pages", async () => {
    const hidden = style(
      "drawing-page",
      "dp1",
      '<style:drawing-page-properties presentation:visibility="hidden"/>',
    );
    const slide = (text: string, name: string) =>
      `<draw:page draw:style-name="${name}"><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame><presentation:notes><text:p>${text} notes</text:p></presentation:notes></draw:page>`;
    const body = slide("One", "dp2") + slide("x", "dp1") + slide("Three", "dp2");
    const document = await extract("a.odp", opened("presentation", hidden, body));
    expect(document.markdown).toBe("# One\n\n> One notes\n\n# Three\n\n> Three notes");
    expect(document.pages.map(({ page }) => page)).toEqual([1, 3]);
    expect(document.notes).toEqual(["1 hidden slide left out"]);
  });
});

const rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const relations = (...entries: [id: string, type: string, target: string][]) =>
  `<Relationships>${entries.map(([id, type, target]) => `<Relationship Id="${id}" Type="${rel}/${type}" Target="${target}"/>`).join("")}</Relationships>`;

describe("PowerPoint", () => {
  const text = (words: string) => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`;
  const shape = (words: string, hidden = "") =>
    `<p:sp><p:nvSpPr><p:cNvPr id="2" ${hidden}/></p:nvSpPr><p:txBody>${text(words)}</p:txBody></p:sp>`;
  const table = (words: string, hidden = "") =>
    `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" ${hidden}/></p:nvGraphicFramePr><a:tbl><a:tr><a:tc>${text(words)}</a:tc></a:tr></a:tbl></p:graphicFrame>`;
  const chart = (hidden = "") =>
    `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" ${hidden}/></p:nvGraphicFramePr><c:chart r:id="c1"/></p:graphicFrame>`;
  const HIDDEN = 'hidden="1"';
  const group = (inside: string) =>
    `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="5" ${HIDDEN}/></p:nvGrpSpPr>${inside}</p:grpSp>`;
  const picture = `<p:pic><p:nvPicPr><p:cNvPr id="6" ${HIDDEN}/></p:nvPicPr></p:pic>`;
  const pptx = (shapes: string) =>
    extract(
      "a.pptx",
      archive({
        "_rels/.rels": relations(["r1", "officeDocument", "ppt/presentation.xml"]),
        "ppt/presentation.xml": `<p:presentation xmlns:r="${rel}"><p:sldIdLst><p:sldId r:id="s1"/></p:sldIdLst></p:presentation>`,
        "ppt/_rels/presentation.xml.rels": relations(["s1", "slide", "slides/slide1.xml"]),
        "ppt/slides/slide1.xml": `<p:sld xmlns:p="p" xmlns:a="a" xmlns:r="${rel}"><p:spTree>${shapes}</p:spTree></p:sld>`,
        "ppt/slides/_rels/slide1.xml.rels": relations(["c1", "chart", "../charts/c1.xml"]),
        "ppt/charts/c1.xml": "<c:chart><a:p><a:t>Costs</a:t></a:p></c:chart>",
      }),
    );

  it.each([
    ["a shape", shape("x", HIDDEN) + chart(), "# Seen\n\nCosts", 1],
    ["a table", table("x", HIDDEN) + chart(), "# Seen\n\nCosts", 1],
    ["a group's shapes", group(shape("x") + table("x")) + chart(), "# Seen\n\nCosts", 2],
    ["a chart", chart(HIDDEN), "# Seen", 1],
  ])("leaves hidden shapes out, and says so: %s", async (_what, shapes, markdown, count) => {
    const document = await pptx(shape("Seen") + shapes);
    expect(document.markdown).toBe(markdown);
    expect(document.notes).toEqual([`${count} hidden shape${count === 1 ? "" : "s"} left out`]);
  });

  it("shows the table that follows a hidden picture", async () => {
    const document = await pptx(shape("Seen") + picture + table("Also seen"));
    expect(document.markdown).toContain("Also seen");
    expect(document.notes).toEqual([]);
  });
});

describe("Word", () => {
  const run = (words: string, properties = "") =>
    `<w:r><w:rPr>${properties}</w:rPr><w:t>${words}</w:t></w:r>`;
  const paragraph = (inside: string, style = "") =>
    `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${inside}</w:p>`;
  const docx = (body: string, footnotes = "") =>
    extract(
      "a.docx",
      archive({
        "_rels/.rels": relations(["r1", "officeDocument", "word/document.xml"]),
        "word/_rels/document.xml.rels": relations(
          ["r2", "styles", "styles.xml"],
          ["r3", "footnotes", "footnotes.xml"],
        ),
        "word/document.xml": `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
        "word/footnotes.xml": `<w:footnotes xmlns:w="w">${footnotes}</w:footnotes>`,
        "word/styles.xml": `<w:styles xmlns:w="w"><w:style w:type="paragraph" w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style><w:style w:type="character" w:styleId="Unseen"><w:name w:val="Unseen"/><w:rPr><w:vanish/></w:rPr></w:style></w:styles>`,
      }),
    );
  const seen = paragraph(run("seen"));
  const note = (id: string, inside: string) =>
    `<w:footnote w:id="${id}">${paragraph(inside)}</w:footnote>`;
  const reference = (properties = "") =>
    `<w:r><w:rPr>${properties}</w:rPr><w:footnoteReference w:id="1"/></w:r>`;

  it.each([
    ["a paragraph's style", paragraph(run("x"), "Secret") + seen, "1 hidden paragraph removed"],
    [
      "a paragraph's style in a table",
      `${seen}<w:tbl><w:tr><w:tc>${paragraph(run("x"), "Secret")}</w:tc></w:tr></w:tbl>`,
      "1 hidden paragraph removed",
    ],
    [
      "a character style",
      paragraph(run("seen") + run("x", '<w:rStyle w:val="Unseen"/>')),
      "1 hidden text run removed",
    ],
  ])("leaves hidden text out, and says so: %s", async (_what, body, told) => {
    const document = await docx(body);
    expect(document.markdown).toBe("seen");
    expect(document.notes).toEqual([told]);
  });

  it("counts hidden runs of footnotes", async () => {
    const document = await docx(
      paragraph(run("seen") + reference()),
      note("1", run("told") + run("x", "<w:vanish/>")),
    );
    expect(document.markdown).toBe("seen[^1]\n\n[^1]: told");
    expect(document.notes).toEqual(["1 hidden text run removed"]);
  });

  it("leaves out the footnote of a hidden reference", async () => {
    const document = await docx(
      paragraph(run("seen") + reference("<w:vanish/>")),
      note("1", run("x")),
    );
    expect(document.markdown).toBe("seen");
    expect(document.notes).toEqual(["1 hidden paragraph removed"]);
  });

  it("shows what was hidden only before a change, or is shown against its style", async () => {
    const document = await docx(
      paragraph(
        run("seen ", "<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>") +
          run("too", '<w:rStyle w:val="Unseen"/><w:vanish w:val="0"/>'),
      ),
    );
    expect(document).toMatchObject({ markdown: "seen too", notes: [] });
  });
});
