import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { ZipArchive } from "../../archive/zip-archive.ts";
import { DrawnText } from "../../../writing/bounded-text.ts";
import type { Extraction } from "../../../extracted-document.ts";
import { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { countNote } from "../../../notes.ts";
import { DocxReader, type DocxParts } from "./docx-reader.ts";
import { readNumbering } from "./docx-numbering.ts";
import { readStyles } from "./docx-styles.ts";
import { readDrawing, type Drawing } from "../drawings.ts";
import { NoteMarks } from "../note-marks.ts";
import { corePropertiesOf, openPackage, relationshipsOf } from "../relationships.ts";
import { readXml } from "../../xml/xml-stream.ts";

const DRAWINGS = new Set(["chart", "diagramData"]);

/** Word documents (ECMA-376, transitional and strict): text, lists, tables, notes, text boxes. */
export function* readBytes(bytes: Uint8Array): CooperativeWork<Extraction> {
  const { archive, main, partOf } = yield* openPackage(bytes, "word/document.xml");
  const shared = {
    styles: yield* readStyles(archive, partOf("styles")),
    numbering: yield* readNumbering(archive, partOf("numbering")),
    noteMarks: new NoteMarks(),
  };
  const out = new MarkdownBuilder();
  out.page(1);
  const hidden = { runs: 0, paragraphs: 0 };
  let unreadParts = 0;
  const read = function* (part: string | null, noteElement: string | null): CooperativeWork<void> {
    if (part === null) return;
    const parts = { ...shared, ...(yield* readRelated(archive, part)) };
    const reader = new DocxReader(parts, out, noteElement);
    yield* readXml(archive.chunks(part), reader);
    reader.finish();
    hidden.runs += reader.hiddenRuns;
    hidden.paragraphs += reader.hiddenParagraphs;
    unreadParts += reader.unreadParts;
  };
  yield* read(main, null);
  for (const note of ["footnote", "endnote"]) yield* read(partOf(`${note}s`), note);
  const { title, language } = yield* corePropertiesOf(archive);
  return {
    text: out,
    title: title ?? out.firstHeading(),
    language,
    // A single page means that the file does not record page ends.
    pages: out.pages.length > 1 ? out.pages : [],
    notes: [
      ...countNote(hidden.runs, "hidden text run", "removed"),
      ...countNote(hidden.paragraphs, "hidden paragraph", "removed"),
      ...countNote(unreadParts, "embedded part", "could not be read"),
    ],
  };
}

/** Reads the parts that a part refers to; every part has relationships of its own. */
function* readRelated(
  archive: ZipArchive,
  part: string,
): CooperativeWork<Pick<DocxParts, "links" | "drawings">> {
  const found = {
    links: new Map<string, string>(),
    drawings: new Map<string, Drawing>(),
  };
  const drawn = new DrawnText();
  for (const { id, type, target, isExternal } of yield* relationshipsOf(archive, part)) {
    if (isExternal) found.links.set(id, target);
    else if (DRAWINGS.has(type)) found.drawings.set(id, yield* readDrawing(archive, target, drawn));
  }
  return found;
}
