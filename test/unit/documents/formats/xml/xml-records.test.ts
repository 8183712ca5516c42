import { describe, expect, it } from "vitest";

import { UNEXPANDED } from "../../../../../src/documents/formats/xml/entities.ts";
import { extract, reads } from "../../../../support/read-document.ts";

const markdownOf = async (xml: string) => (await extract("a.xml", xml)).markdown;

const sheet2003 = (rows: string) =>
  `<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Styles><Style ss:ID="p"/></Styles><Worksheet ss:Name="S"><Table>${rows}</Table></Worksheet></Workbook>`;

describe("records keep every value, whatever it is called", () => {
  reads("a.xml", {
    "of Excel 2003 are sheets, with merged cells and links": [
      sheet2003(
        '<Row ss:Height="15"><Cell ss:MergeAcross="1"><Data ss:Type="String">Oil</Data></Cell><Cell><Data ss:Type="String">Size</Data></Cell></Row>' +
          '<Row><Cell ss:MergeDown="1" ss:HRef="https://x.test/"><Data ss:Type="String">Tar</Data><Comment><ss:Data>x</ss:Data></Comment></Cell><Cell ss:Index="3" ss:StyleID="p"><Data ss:Type="Number">0.30000000000000004</Data></Cell></Row>' +
          '<Row><Cell ss:Index="2"><Data ss:Type="DateTime">1899-12-31T12:30:00.000</Data></Cell><Cell><Data ss:Type="Boolean">1</Data></Cell></Row>',
      ),
      "# S\n\n| Oil |  | Size |\n| --- | --- | --- |\n| [Tar](https://x.test/) |  | 0.3 |\n| [Tar](https://x.test/) | 12:30:00 | TRUE |",
    ],
    "of Excel 2003 have the format of their style, by its name or code": [
      sheet2003(
        `<Row>${["p", "k", "c", "n"].map((id) => `<Cell ss:StyleID="${id}"><Data ss:Type="Number">0.25</Data></Cell>`).join("")}</Row>`,
      ).replace(
        '<Style ss:ID="p"/>',
        '<Style ss:ID="p"><NumberFormat ss:Format="Percent"/></Style><Style ss:ID="k"><NumberFormat ss:Format="0.0&quot; kg&quot;"/></Style><Style ss:ID="c"><NumberFormat ss:Format="Short Date"/></Style><Style ss:ID="n"><NumberFormat ss:Format="__proto__"/></Style>',
      ),
      "# S\n\n| 25.00% | 0.3 kg | 0.25 | proto |\n| --- | --- | --- | --- |",
    ],
    "of Excel 2003 are left out of hidden sheets": [
      sheet2003("<Row><Cell><Data>x</Data></Cell></Row>").replace(
        "</Worksheet>",
        "<WorksheetOptions><Visible>SheetHidden</Visible></WorksheetOptions></Worksheet><Worksheet><Row><Cell><Data>y</Data></Cell></Row></Worksheet>",
      ),
      "y",
      "1 hidden sheet left out",
    ],
    "of a manual that shows a workbook stay those of a manual": [
      '<!-- > --><article><para>Write</para><code><![CDATA[<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">]]></code></article>',
      'Write\n\n```\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">\n```',
    ],
    "kinds of data that no sheet has": [
      '<log><Data Type="Humidity">55</Data></log>',
      "- Data (Type: Humidity): 55",
    ],
    "parts with nothing but attributes": [
      '<bom><part number="A-1" quantity="3"/></bom>',
      "- part (number: A-1, quantity: 3)",
    ],
    books: [
      '<shop><book category="cooking" isbn="978-3"><title lang="en" edition="2">Bread</title><price>9.90</price></book></shop>',
      "- book (category: cooking, isbn: 978-3):\n\n# Bread\n\nedition: 2\n\n- price: 9.90",
    ],
    "one task, the root": [
      '<task id="T-17" due="2026-01-01"><owner>Ada</owner></task>',
      "- id: T-17\n- due: 2026-01-01\n- owner: Ada",
    ],
    "values that objects have names for as well": [
      '<made x:constructor="Ada" xmlns:x="urn:x"><toString x:valueOf="7"/></made>',
      "- constructor: Ada\n- toString (valueOf: 7)",
    ],
    "values behind a heading, which are those of what it heads": [
      "<shop><book><isbn>978</isbn><title>Bread</title><price>9</price><of><by>Ada</by></of></book><book><isbn>979</isbn></book></shop>",
      "- book:\n   - isbn: 978\n\n# Bread\n\n- price: 9\n- of:\n   - by: Ada\n- book:\n   - isbn: 979",
    ],
    tasks: [
      '<tasks><task id="T-17" due="2026-01-01">Oil the lock</task><note to="Bo"/></tasks>',
      "- task (id: T-17, due: 2026-01-01): Oil the lock\n- note (to: Bo)",
    ],
    "paths and styles": [
      "<file><path>/srv/a.txt</path><style>Baroque</style></file>",
      "- path: /srv/a.txt\n- style: Baroque",
    ],
    "versions, measures and classes": [
      '<packages><package id="Newtonsoft.Json" version="13.0.1"/><box width="3" height="4" x="1" y="2" class="5b" style="IPA" d="9" fill="red"/></packages>',
      "- package (id: Newtonsoft.Json, version: 13.0.1)\n- box (width: 3, height: 4, x: 1, y: 2, class: 5b, style: IPA, d: 9, fill: red)",
    ],
    "media types of files": [
      '<files><file type="text/plain">a.txt</file></files>',
      "- file (type: text/plain): a.txt",
    ],
    "types as they are written in code": [
      "<log><entry>List&lt;a&gt; of every &lt;b&gt; item</entry></log>",
      "- entry: List<a> of every <b> item",
    ],
    "items of lists, with words and without": [
      '<list><item sku="1" qty="2"/><item sku="7">Bolt<part no="x"/></item><item>Nut</item></list>',
      "- sku: 1, qty: 2\n- Bolt (no: x) (sku: 7)\n- Nut",
    ],
    "rows that hold their values as attributes": [
      '<table><row id="1" qty="3"/><row id="2" qty="4"/></table>',
      "- row (id: 1, qty: 3)\n- row (id: 2, qty: 4)",
    ],
    "cells that say more": [
      '<table><row><cell unit="cm">4</cell><cell>5</cell></row></table>',
      "| 4 (unit: cm) | 5 |\n| --- | --- |",
    ],
    "what is marked within a sentence": [
      '<log><entry>See <ref page="12">the map</ref>, <b class="x">now</b></entry></log>',
      "- entry: See the map (page: 12), now",
    ],
  });
});

describe("documents and drawings say nothing of their looks", () => {
  it.each([
    [
      '<article xmlns="http://docbook.org/ns/docbook" version="5.0"><section xml:id="a" role="x"><title>Tides</title><para>High at nine</para></section></article>',
      "# Tides\n\nHigh at nine",
    ],
    [
      '<article article-type="other" dtd-version="1.2" xml:lang="en"><body><sec id="s1" sec-type="intro"><title>Tides</title><p>High</p></sec></body></article>',
      "# Tides\n\nHigh",
    ],
    [
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style>.a{}</style><path d="M0 0">x</path><text x="1" y="2" class="a">Pier</text></svg>',
      "Pier",
    ],
    ['<rss version="2.0"><channel><title>News</title></channel></rss>', "# News"],
    [
      "<rss><item><description>High &lt;b&gt;tide&lt;/b&gt; at nine&lt;br&gt;sharp</description></item></rss>",
      "- item:\n   - description: High tide at nine\n     sharp",
    ],
    [
      "<rss><item><description>Shown&lt;p hidden&gt;hidden</description></item></rss>",
      "- item:\n   - description: Shown",
    ],
  ])("%s", async (xml, expected) => {
    expect(await markdownOf(xml)).toBe(expected);
  });
});

describe("entities that a document declares", () => {
  const declared = (entities: string, body: string) => `<!DOCTYPE d [${entities}]><d>${body}</d>`;

  it.each<[string, string, string, string[]]>([
    [
      "text, and text within text",
      declared(`<!ENTITY co "Harbour &#38; Co"><!ENTITY full 'The &co; Ltd'>`, "By &full;, &co;"),
      "- d: By The Harbour & Co Ltd, Harbour & Co",
      [],
    ],
    ["markup", declared(`<!ENTITY by "<by>Ann</by>">`, "&by;"), "- by: Ann", []],
    [
      "no others",
      declared(`<!ENTITY x SYSTEM "file:///etc/passwd">`, "a &x; b"),
      "- d: a &x; b",
      [UNEXPANDED],
    ],
  ])("%s", async (_what, xml, markdown, notes) => {
    const document = await extract("a.xml", xml);
    expect(document.markdown).toBe(markdown);
    expect(document.notes).toEqual(notes);
  });

  it("grow within bounds", async () => {
    const levels = Array.from(
      { length: 30 },
      (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`,
    );
    const xml = declared(
      `<!ENTITY e0 "lol">${levels.join("")}`,
      `&e2; ${"&e3;".repeat(2_000)} &e30;`,
    );
    const markdown = await markdownOf(xml);
    expect(markdown).toContain("lol".repeat(100));
    expect(markdown.length).toBeLessThan(2_000_000);
  });

  it("are not looked for behind the first element", async () => {
    const xhtml = `<?xml version="1.0"?><!-- x --><html><script>"<!DOCTYPE a ["</script><p>[0]> b</p></html>`;
    expect((await extract("a.xhtml", xhtml)).markdown).toBe("[0]> b");
  });

  it("in XHTML", async () => {
    const xhtml = `<?xml version="1.0"?><!DOCTYPE html [<!ENTITY prod "Quarry 5">]><html><body><p>Install &prod;.</p></body></html>`;
    expect((await extract("a.xhtml", xhtml)).markdown).toBe("Install Quarry 5.");
  });
});
