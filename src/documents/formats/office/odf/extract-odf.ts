import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { UnreadableDocument, type Extraction } from "../../../extracted-document.ts";
import { HEADERS_ALONE } from "../../../notes.ts";
import { DrawnText } from "../../../writing/bounded-text.ts";
import { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { declaredType } from "../../archive/declared-type.ts";
import { ZipArchive } from "../../archive/zip-archive.ts";
import { readXml } from "../../xml/xml-stream.ts";
import { corePropertiesOf } from "../relationships.ts";
import { odfObjectReader, type OdfObject } from "./odf-objects.ts";
import { OdfReader } from "./odf-reader.ts";

const utf8 = new TextDecoder();
const KINDS = ["spreadsheet", "presentation"] as const;

export function* readBytes(bytes: Uint8Array): CooperativeWork<Extraction> {
  const archive = new ZipArchive(bytes);
  const declared = declaredType(archive);
  const kind = KINDS.find((each) => declared.includes(each)) ?? "text";
  const manifest = yield* archive.read("META-INF/manifest.xml");
  if (manifest !== null && utf8.decode(manifest).includes("encryption-data")) {
    throw new UnreadableDocument("document is encrypted", "encrypted");
  }
  const out = new MarkdownBuilder();
  const reader = new OdfReader(kind, out, yield* readObjects(archive));
  yield* readXml(archive.chunks("styles.xml"), reader);
  yield* readXml(archive.chunks("content.xml"), reader);
  const notes = kind === "text" ? yield* readHeaders(archive, reader, out) : [];
  reader.finish();
  const { title, language } = yield* corePropertiesOf(archive, "meta.xml");
  return out.extraction({
    title: title ?? (kind === "spreadsheet" ? null : out.firstHeading()),
    language,
    notes,
    // A single page of text means that the file does not record page ends.
    pages: kind === "text" && out.pages.length === 1 ? [] : out.pages,
  });
}

/** Behind an empty body, the headers among the styles are read as text. */
function* readHeaders(archive: ZipArchive, reader: OdfReader, out: MarkdownBuilder) {
  if (out.length > 0) return [];
  yield* readXml(archive.chunks("styles.xml"), reader);
  return out.length > 0 ? [HEADERS_ALONE] : [];
}

function* readObjects(archive: ZipArchive): CooperativeWork<Map<string, OdfObject>> {
  const objects = new Map<string, OdfObject>();
  const drawn = new DrawnText();
  for (const name of archive.names()) {
    const folder = /^(.+)\/content\.xml$/.exec(name)?.[1];
    if (folder === undefined) continue;
    const object: OdfObject = { formula: "", texts: [], rows: [] };
    yield* readXml(archive.chunks(name), odfObjectReader(object, drawn));
    objects.set(folder, object);
  }
  return objects;
}
