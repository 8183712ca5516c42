import { expect, it } from "vitest";
import { extractDocument } from "../../../../../src/documents/extract-document.ts";

const read = (text: string, name = "a.xml") =>
  extractDocument({ name, mimeType: null, bytes: new TextEncoder().encode(text) });

const WORD_2003 = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<?mso-application progid="Word.Document"?>
<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:aml="http://schemas.microsoft.com/aml/2001/core" xmlns:o="urn:schemas-microsoft-com:office:office">
<o:DocumentProperties><o:Title>Lock rules</o:Title><o:Author>Ann</o:Author></o:DocumentProperties>
<w:lists><w:listDef w:listDefId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:nfc w:val="4"/><w:lvlText w:val="%1)"/></w:lvl></w:listDef><w:list w:ilfo="1"><w:ilst w:val="0"/></w:list></w:lists>
<w:styles><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>
<w:body><w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Gates</w:t></w:r></w:p>
<w:p><w:r><w:t>Closed at night; see </w:t></w:r><w:hlink w:dest="https://example.com/tides"><w:r><w:t>the tides</w:t></w:r></w:hlink><aml:annotation w:type="Word.Deletion"><aml:content><w:r><w:delText>never</w:delText><w:t>never</w:t></w:r></aml:content></aml:annotation><w:r><w:t>.</w:t></w:r></w:p>
<w:p><w:pPr><w:listPr><w:ilvl w:val="0"/><w:ilfo w:val="1"/></w:listPr></w:pPr><w:r><w:t>Ring</w:t></w:r></w:p>
<w:p><w:r><w:pict><w:binData w:name="a.png">aGlkZGVu</w:binData></w:pict></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Gate</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Hour</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>North</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>6</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:sectPr><w:hdr w:type="odd"><w:p><w:r><w:t>Running head</w:t></w:r></w:p></w:hdr></w:sectPr></w:body></w:wordDocument>`;

it.each(["a.xml", "a.doc", "a"])("reads Word 2003 XML named %s as a document", async (name) => {
  expect(await read(WORD_2003, name)).toMatchObject({
    markdown:
      "# Gates\n\nClosed at night; see [the tides](https://example.com/tides).\n\n- a) Ring\n\n| Gate | Hour |\n| --- | --- |\n| North | 6 |",
    title: "Lock rules",
    notes: [],
  });
});

const part = (name: string, xml: string) =>
  `<pkg:part pkg:name="${name}" pkg:contentType="application/xml"><pkg:xmlData>${xml}</pkg:xmlData></pkg:part>`;
const flat = (...parts: string[]) =>
  `<?xml version="1.0"?>\n<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">${parts.join("")}</pkg:package>`;
const relationship = (type: string, target: string) =>
  `<Relationships><Relationship Id="r1" Type="http://x/${type}" Target="${target}"/></Relationships>`;

it("reads a flat package of Word as a document", async () => {
  const file = flat(
    part("/_rels/.rels", relationship("officeDocument", "word/document.xml")),
    part("/word/_rels/document.xml.rels", relationship("styles", "styles.xml")),
    part(
      "/word/document.xml",
      `<w:document><w:body><w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:r><w:t>Gates</w:t></w:r></w:p><w:p><w:r><w:t>Größer.</w:t></w:r></w:p></w:body></w:document>`,
    ),
    `<pkg:part pkg:name="/word/media/a.png" pkg:compression="store"><pkg:binaryData>aGlkZGVu</pkg:binaryData></pkg:part>`,
    part(
      "/word/styles.xml",
      `<w:styles><w:style w:styleId="H"><w:name w:val="heading 2"/></w:style></w:styles>`,
    ),
  );
  expect(await read(file)).toMatchObject({ markdown: "## Gates\n\nGrößer.", notes: [] });
  const cut = await read(file.replace("</pkg:package>", ""));
  expect(cut.notes).toEqual(["the file ends early"]);
});
