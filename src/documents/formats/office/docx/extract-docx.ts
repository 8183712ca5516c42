import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { Extraction } from "../../../extracted-document.ts";
import type { Pictures } from "../../../pictures/pictures.ts";
import { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { DocxReader } from "./docx-reader.ts";
import { readNumbering } from "./docx-numbering.ts";
import { readStyles } from "./docx-styles.ts";
import { drawingsOf } from "../drawings.ts";
import { NoteMarks } from "../note-marks.ts";
import { corePropertiesOf, linksOf, openPackage, relationshipsOf } from "../relationships.ts";
import { readXml } from "../../xml/xml-stream.ts";

/** Word documents (ECMA-376, transitional and strict): text, lists, tables, notes, text boxes. */
export function* readBytes(bytes: Uint8Array, pictures: Pictures): CooperativeWork<Extraction> {
  const { archive, main, partOf } = yield* openPackage(bytes, "word/document.xml");
  const shared = {
    styles: yield* readStyles(archive, partOf("styles")),
    numbering: yield* readNumbering(archive, partOf("numbering")),
    noteMarks: new NoteMarks(),
  };
  const out = new MarkdownBuilder();
  out.page(1);
  const readPart = function* (
    part: string | null,
    noteElement: string | null,
  ): CooperativeWork<void> {
    if (part === null) return;
    const related = yield* relationshipsOf(archive, part, out.leftOut);
    const drawings = yield* drawingsOf(archive, related, pictures);
    const parts = { ...shared, links: linksOf(related), drawings };
    const reader = new DocxReader(parts, out, noteElement);
    yield* readXml(archive.chunks(part), reader);
    reader.finish();
  };
  yield* readPart(main, null);
  for (const note of ["footnote", "endnote"]) yield* readPart(partOf(`${note}s`), note);
  const { title, language } = yield* corePropertiesOf(archive);
  // A single page means that the file does not record page ends.
  const pages = out.pages.length > 1 ? out.pages : [];
  return out.extraction({ title: title ?? out.firstHeading(), language, pages });
}
