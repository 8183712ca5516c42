import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { declaredEncoding, decodeText } from "../../../decoding/decode-text.ts";
import { reasonOf, textOf, type Extraction } from "../../../extracted-document.ts";
import { HEADERS_ALONE } from "../../../notes.ts";
import type { Pictures } from "../../../pictures/pictures.ts";
import { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import type { ZipArchive } from "../../archive/zip-archive.ts";
import { readPage } from "../../html/extract-html.ts";
import { readXml } from "../../xml/xml-stream.ts";
import { drawingsOf } from "../drawings.ts";
import { NoteMarks } from "../note-marks.ts";
import { linksOf, openPackage, relationshipsOf, type Relationship } from "../relationships.ts";
import { Numbering } from "./docx-numbering.ts";
import { DocxReader } from "./docx-reader.ts";
import { readStyles } from "./docx-styles.ts";

/** Word documents (ECMA-376, transitional and strict): text, lists, tables, notes, text boxes. */
export function* readBytes(bytes: Uint8Array, pictures: Pictures): CooperativeWork<Extraction> {
  const document = yield* openPackage(bytes, "word/document.xml");
  const { archive, main, related, partOf } = document;
  const { title, language } = document.properties;
  const styles = yield* readStyles(archive, partOf("styles"));
  const shared = { styles, numbering: new Numbering(), noteMarks: new NoteMarks() };
  yield* readXml(archive.chunks(partOf("numbering") ?? ""), shared.numbering);
  const out = new MarkdownBuilder();
  out.page(1);
  const readPart = function* (
    part: string | null,
    noteElement: string | null,
  ): CooperativeWork<void> {
    if (part === null) return;
    const around = yield* relationshipsOf(archive, part, out.leftOut);
    const drawings = yield* drawingsOf(archive, around, pictures);
    const added = yield* readAddedTexts(archive, around);
    const parts = { ...shared, links: linksOf(around), drawings, added };
    const reader = new DocxReader(parts, out, noteElement);
    yield* readXml(archive.chunks(part), reader);
    reader.finish();
  };
  yield* readPart(main, null);
  for (const note of ["footnote", "endnote"]) yield* readPart(partOf(`${note}s`), note);
  const isEmpty = out.length === 0;
  for (const { type, target } of isEmpty ? related : [])
    if (type === "header" || type === "footer") yield* readPart(target, null);
  const notes = isEmpty && out.length > 0 ? [HEADERS_ALONE] : [];
  // A single page means that the file does not record page ends.
  const pages = out.pages.length > 1 ? out.pages : [];
  return out.extraction({ title: title ?? out.firstHeading(), language, pages, notes });
}

/** By id: the pages and texts that a document adds (ECMA-376 part 1, §17.17.2). */
function* readAddedTexts(
  archive: ZipArchive,
  related: Relationship[],
): CooperativeWork<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { id, type, target } of related) {
    const [, ending] = /\.(x?html?|txt)$/i.exec(target) ?? [];
    if (type !== "aFChunk" || ending === undefined) continue;
    try {
      const bytes = yield* archive.read(target);
      if (bytes === null) continue;
      const { text } = yield* decodeText(bytes, declaredEncoding(bytes, null));
      const isPlain = ending.toLowerCase() === "txt";
      texts.set(id, isPlain ? text : textOf(yield* readPage(text, { keepNavigation: true })));
    } catch (error) {
      // Its place is noted as that of a part that could not be read.
      reasonOf(error);
    }
  }
  return texts;
}
