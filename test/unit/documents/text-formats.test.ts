import { gzipSync } from "fflate";
import { describe, expect, it } from "vitest";

import { blocksOf } from "../../../src/documents/chunking/scan-blocks.ts";
import { docx } from "../../support/office-files.ts";
import { bytesOf, extract, reads } from "../../support/read-document.ts";

describe("HTML", () => {
  it("keeps headings, lists, tables, code, quotes and links; leaves navigation out", async () => {
    const html = `<html lang="de-AT"><head><title> Wartung &amp; Pflege </title></head><body>
      <nav><a href="/">Start</a></nav><div class="breadcrumb">Start / Pflege</div>
      <h1>Pflege</h1><p>Erst <b>lesen</b>, dann <a href="https://example.com/a">öffnen</a>.<p>Zweiter Absatz
      <ol start=3><li>drei<ul><li>innen</ul><li>vier</ol>
      <table><tr><th>Teil<th>Zahl<tr><td rowspan=2>Öl<td>1<tr><td>2 | 3</table>
      <pre>a = 1\n  b</pre><blockquote>Zitat</blockquote><footer><a href="/i">Impressum</a></footer></body></html>`;
    const document = await extract("a.html", html);
    expect(document).toMatchObject({ title: "Wartung & Pflege", language: "de-AT" });
    expect(document.markdown).toBe(
      [
        "# Pflege",
        "Erst lesen, dann [öffnen](https://example.com/a).",
        "Zweiter Absatz",
        "3. drei\n   - innen\n4. vier",
        "| Teil | Zahl |\n| --- | --- |\n| Öl | 1 |\n| Öl | 2 \\| 3 |",
        "```\na = 1\n  b\n```",
        "> Zitat",
      ].join("\n\n"),
    );
  });

  const long = "Oil the hinge in May, and once more in September, before it freezes. "
    .repeat(4)
    .trim();
  const rows = `<tr><td colspan=2>Doors Ltd<tr><td>Home<td>${`<p>${long}</p>`.repeat(5)}`;

  reads("a.html", {
    "reads a page that a table lays out as paragraphs": [
      `<table><tr><td><a href=a>Home</a><td><p>${long}</p><p>Then lock it.</p></table>`,
      `Home\n\n${long}\n\nThen lock it.`,
    ],
    "reads a page that a table of several rows lays out": [
      `<table>${rows}</table>`,
      ["Doors Ltd", "Home", long, long, long, long, long].join("\n\n"),
    ],
    "reads the rows of a long table to its end": [
      `<table>${"<tr><td>Bolt<td>7".repeat(1_500)}<tr><td>Nut<td><h2>Left</h2></table>`,
      new RegExp(
        `^(?:\\| Bolt \\| 7 \\|\\n(?:\\| --- \\| --- \\|\\n)?){1500}\\| Nut \\| Left \\|$`,
      ),
    ],
    "reads lists and code in their order within a cell that places them": [
      `<table><tr><td><ol><li>Oil<li>Paint</ol><pre>a = 1\nb = 2</pre><td>Then lock it.</table>`,
      "1. Oil\n2. Paint\n\n```\na = 1\nb = 2\n```\n\nThen lock it.",
    ],
    "reads a list around a table, and the table's own": [
      "<ul><li>Tools<table><tr><td>a<td><ul><li>b</ul><tr><td>c<td>d</table></ul>",
      "- Tools\n\n| a | b |\n| --- | --- |\n| c | d |",
    ],
    "reads tables that only place things as text": [
      "<table><tr><td><h2>Left</h2>menu<td><table><tr><td>a<td>b</table></table>",
      "## Left\n\nmenu\n\n| a | b |\n| --- | --- |",
    ],
  });
});

reads("a.csv", {
  "quotes with backslashes, as databases write them": [
    'said,by\n"He said \\"no\\", and left","Ann"\n"C:\\\\","Bo"\n',
    '| said | by |\n| --- | --- |\n| He said "no", and left | Ann |\n| C:\\ | Bo |',
  ],
  "a backslash at the end of a quoted cell": [
    'folder,by\n"C:\\","Ann"\n',
    "| folder | by |\n| --- | --- |\n| C:\\ | Ann |",
  ],
  "reads delimited text with quotes, line ends in cells and other delimiters": [
    'name;note\r\n"Okoye, I.";"said ""yes""\r\nagain"\r\nLi;\r\n',
    '| name | note |\n| --- | --- |\n| Okoye, I. | said "yes" again |\n| Li |  |',
  ],
});

describe("JSON", () => {
  it("becomes a list of what it says", async () => {
    const json = `{"title": "Pump", "parts": [{"id": 1, "name": "seal"}, {"id": 2}], "ok": true}`;
    expect(await extract("a.json", json)).toMatchObject({
      title: "Pump",
      markdown: "- title: Pump\n- parts:\n\n   - id: 1\n   - name: seal\n\n   - id: 2\n- ok: true",
    });
  });

  reads("a.jsonl", { "is read line by line": ['{"a":1}\n{"a":2}\n', "- a: 1\n\n- a: 2"] });
  reads("a.json", {
    "is read as code where it has comments": ['{"a": 1, // why\n}', /^```json\n/],
    "is read as code where it is none": ['{"a": ', '```json\n{"a":\n```', "the file ends early"],
    "keeps keys without values": [
      '{"a": "", "list": [], "b": {"c": {}, "d": [[], {}], "e": " "}, "f": null, "g": 1}',
      "- a\n- list\n- b:\n   - c\n   - d\n   - e\n- f: null\n- g: 1",
    ],
    "keeps labels apart that lie in each other": [
      '{"a": {"b": [[1], [2]], "c": {"d": 3}}, "e": {"b": {"c": 4}}}',
      "- a:\n   - b:\n      - 1\n      - 2\n   - c:\n      - d: 3\n- e:\n   - b:\n      - c: 4",
    ],
  });
});

it("reads XML with the names of its elements", async () => {
  const xml = `<?xml version="1.0"?><feed xml:lang="en"><title>News</title><entry id="7"><p>Some <b>bold</b> words</p><price currency="EUR">12.50</price></entry></feed>`;
  const document = await extract("a.xml", xml);
  expect(document).toMatchObject({ title: "News", language: "en" });
  expect(document.markdown).toBe(
    "# News\n\n- entry (id: 7):\n\nSome bold words\n\n   - price (currency: EUR): 12.50",
  );
});

reads("a.xml", {
  "tells the records of an XML file apart by what holds them": [
    `<order no="17" xmlns:x="urn:x"><!-- no --><shipTo><name>Ada</name><street>Main <b>St</b>reet</street></shipTo>
    <billTo vat="none"><name>Bo</name></billTo><x:remark><![CDATA[a < b && c]]></x:remark><seal/>
    <line sku="R1"/><note>See <ref>3</ref>.</note><point><a>1</a><b>2</b></point></order>`,
    [
      "- no: 17",
      "- shipTo:",
      "   - name: Ada",
      "   - street: Main Street",
      "- billTo (vat: none):",
      "   - name: Bo",
      "- remark: a < b && c",
      "- line (sku: R1)",
      "- note: See 3.",
      "- point:",
      "   - a: 1",
      "   - b: 2",
    ].join("\n"),
  ],
});

reads("src/run.py", {
  "keeps source code as code of its language": [
    "def run():\n    return 1\n",
    "```python\ndef run():\n    return 1\n```",
  ],
});

it("takes no line of code within a paragraph for the fence around what follows", async () => {
  const markdown = "Run:\n```npm test```\n\n# Build\n\nText\n\n```sh\nmake\n```\n";
  const kinds = blocksOf(markdown).map(({ kind }) => kind);
  expect(kinds).toEqual(["paragraph", "heading", "paragraph", "code"]);
  expect((await extract("a.md", markdown)).title).toBe("Build");
});

it("keeps code that holds indented code of its own in one block", async () => {
  const yaml = `description: |
  \`\`\`json
  {"a": 1}
  \`\`\`

# Settings of the staging cluster
replicas: 1`;
  const { markdown } = await extract("a.yaml", yaml);
  const blocks = blocksOf(markdown);
  expect(blocks.map(({ kind }) => kind)).toEqual(["code"]);
  expect(markdown).toContain(yaml);
});

it.each([
  ["door.dtd", "dtd", '<?xml version="1.0"?>\n<!ELEMENT door (hinge+)>'],
  ["door.service", "ini", "# Opens the door\n[Service]\nExecStart=/bin/open"],
  ["nl.po", "po", '# Doors\nmsgid "door"\nmsgstr "deur"'],
])("takes %s for code", async (name, language, text) => {
  expect((await extract(name, text)).markdown).toBe(`\`\`\`${language}\n${text}\n\`\`\``);
});

it("reads RTF in its code pages, without hidden text and destinations", async () => {
  const rtf =
    "{\\rtf1\\ansi\\ansicpg1251{\\fonttbl{\\f0\\fcharset204 A;}{\\f1\\fcharset128 B;}}{\\info{\\title Plan}}" +
    "\\f0 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2 {\\f1 \\'93\\'fa\\'96\\'7b} \\u8364?{\\v secret}{\\*\\unknown no}\\par}";
  const document = await extract("a.rtf", rtf);
  expect(document).toMatchObject({ markdown: "Привет 日本 €", title: "Plan" });
  expect(document.notes).toEqual(["6 characters of hidden text removed"]);
});

it("reads a message with its attachments, and names those that it cannot", async () => {
  const book = docx("<w:p><w:r><w:t>Attached words</w:t></w:r></w:p>");
  const base64 = btoa(String.fromCharCode(...book));
  const mail = [
    "From: Ines Okoye <ines@example.com>",
    "To: jan@example.com",
    "Subject: =?utf-8?q?Pr=C3=BCfung?=",
    "Date: Fri, 14 Mar 2025 09:00:00 +0000",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain; charset=iso-8859-1",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "Gr=FC=DFe aus der Halle.",
    "--b",
    'Content-Type: application/octet-stream; name="plan.docx"',
    'Content-Disposition: attachment; filename="plan.docx"',
    "Content-Transfer-Encoding: base64",
    "",
    base64,
    "--b",
    'Content-Type: application/zip; name="x.bin"',
    'Content-Disposition: attachment; filename="x.bin"',
    "Content-Transfer-Encoding: base64",
    "",
    "H4sIAAAA",
    "--b--",
  ].join("\r\n");
  const document = await extract("message", mail);
  expect(document.title).toBe("Prüfung");
  expect(document.markdown).toContain("- From: Ines Okoye <ines@example.com>");
  expect(document.markdown).toContain("Grüße aus der Halle.\n\n## plan.docx\n\nAttached words");
  expect(document.notes).toEqual(["attachment x.bin left out: archive is damaged or incomplete"]);
});

it.each([
  ["notes.md.gz", "# Locks\n\nOil them.", "# Locks\n\nOil them."],
  ["lock.py.gz", "a = 1", "```python\na = 1\n```"],
  ["page", "<!doctype html><p>Oil</p>", "Oil"],
])("reads %s through its compression", async (name, text, expected) => {
  const { markdown } = await extract(name, gzipSync(bytesOf(text)), "application/gzip");
  expect(markdown).toBe(expected);
});

it("reads all parts of a packed file, up to the zeros that fill it up", async () => {
  const parts = ["One\n", "Two\n"].map((text) => gzipSync(bytesOf(text)));
  const { markdown } = await extract("a.log.gz", Buffer.concat([...parts, new Uint8Array(600)]));
  expect(markdown).toBe("One\nTwo\n");
});

reads("a.log", {
  "leaves out what only colours a terminal": [
    "\x1b[1;32mINFO\x1b(B\x1b[m \x1b]8;;https://x.test\x1b\\pump\x1b]8;;\x1b\\ was switched on today\n",
    "INFO pump was switched on today\n",
    "5 invisible characters removed",
  ],
});

it("leaves out what colours a terminal wherever a long text is cut", async () => {
  const lines = Array.from({ length: 3_000 }, (_line, at) => `\x1b[1;32mline ${at}\x1b[0m of it\n`);
  expect((await extract("a.log", lines.join(""))).markdown).not.toMatch(/\[|m\n/);
});

it("tells the language by its words", async () => {
  const text = "Die Pumpe wird von der Nachtschicht geprüft, und der Druck wird eingetragen.";
  expect((await extract("a.txt", text)).language).toBe("de");
  expect((await extract("a.txt", "Pump 12, 14 bar")).language).toBeNull();
});

it.each([
  [
    "Name,Sum\nAnn,5\n,\nBo,7\n\nCy,9\n",
    "| Name | Sum |\n| --- | --- |\n| Ann | 5 |\n| Bo | 7 |\n| Cy | 9 |",
  ],
  [
    "Name,Sum\nAnn,5\n,\nTown,Area\nAyl,7\n",
    "| Name | Sum |\n| --- | --- |\n| Ann | 5 |\n\n| Town | Area |\n| --- | --- |\n| Ayl | 7 |",
  ],
])("an empty row of a table ends it before a header alone: %j", async (csv, markdown) => {
  expect((await extract("a.csv", csv)).markdown).toBe(markdown);
});

it("control characters in names reach no title and no note", async () => {
  const mail = [
    "MIME-Version: 1.0",
    "Subject: =?utf-8?Q?Rent=00_and=07_fees?=",
    'Content-Type: multipart/mixed; boundary="x"',
    "",
    "--x\n\nHello to all.\n--x",
    "Content-Type: application/x-none; name*=utf-8''a%00b%1Bc.bin",
    "",
    "1\n--x--",
  ].join("\n");
  const { title, notes, markdown } = await extract("a.eml", mail);
  expect(title).toMatch(/^Rent ?\s?and\s? fees$/);
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  expect([title, markdown, ...notes].join("")).not.toMatch(/[\0-\x08\x0e-\x1f]/);
  expect(markdown).toContain("c.bin");
});
