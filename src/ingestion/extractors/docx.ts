import { ZipArchive } from "./archive/zip-archive.ts";
import type { Extraction } from "./extracted-document.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";
import { DocxReader, NoteMarks } from "./office/docx-reader.ts";
import type { DocxParts } from "./office/docx-reader.ts";
import { readNumbering, readStyles } from "./office/docx-styles.ts";
import { corePropertiesOf, mainPart, relationshipsOf } from "./office/relationships.ts";
import { readXml } from "./xml/xml-stream.ts";

/** Word documents (ECMA-376, transitional and strict): text, lists, tables, notes, text boxes. */
export function extractDocx(bytes: Uint8Array): Extraction {
  const archive = new ZipArchive(bytes);
  const main = mainPart(archive, "word/document.xml");
  const related = relationshipsOf(archive, main);
  const partOf = (type: string) => related.find((each) => each.type === type)?.target ?? null;
  const external = related.filter(({ isExternal }) => isExternal);
  const parts: DocxParts = {
    styles: readStyles(archive, partOf("styles")),
    numbering: readNumbering(archive, partOf("numbering")),
    links: new Map(external.map(({ id, target }) => [id, target])),
    noteMarks: new NoteMarks(),
  };
  const out = new MarkdownBuilder();
  out.page(1);
  const reader = new DocxReader(parts, out);
  readXml(archive.chunks(main), reader);
  reader.finish();
  for (const note of ["footnote", "endnote"]) {
    const part = partOf(`${note}s`);
    if (part === null) continue;
    const notes = new DocxReader(parts, out, note);
    readXml(archive.chunks(part), notes);
    notes.finish();
  }
  const { title, language } = corePropertiesOf(archive);
  const hidden = reader.hiddenRuns;
  return {
    text: out,
    title: title ?? out.firstHeading(),
    language,
    // One page means that nothing in the file tells where pages end.
    pages: out.pages.length > 1 ? out.pages : [],
    notes: hidden === 0 ? [] : [`${hidden} hidden text run${hidden === 1 ? "" : "s"} removed`],
  };
}
