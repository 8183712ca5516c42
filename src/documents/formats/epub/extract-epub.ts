import { decodePercent } from "../../../core/input/web-address.ts";
import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { decodeText, withLineFeeds } from "../../decoding/decode-text.ts";
import { UnreadableDocument, type Extraction } from "../../extracted-document.ts";
import { countNote } from "../../notes.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { ZipArchive } from "../archive/zip-archive.ts";
import { readHtml } from "../html/extract-html.ts";
import { corePropertiesOf, resolvePart, type CoreProperties } from "../office/relationships.ts";
import { readXml } from "../xml/xml-stream.ts";

/** `spine`: parts in reading order. */
type Package = CoreProperties & { spine: string[] };

/** Fonts may be scrambled without the book being protected (EPUB 3.3, §4.4). */
const FONT_SCRAMBLING = /idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc/;

export function* readBytes(bytes: Uint8Array): CooperativeWork<Extraction> {
  const archive = new ZipArchive(bytes);
  yield* refuseProtected(archive);
  const { title, language, spine } = yield* readPackage(archive, yield* packagePart(archive));
  const out = new MarkdownBuilder();
  let missing = 0;
  const unread: unknown[] = [];
  for (const part of spine) {
    if (!archive.has(part)) {
      missing++;
      continue;
    }
    const text = yield* readChapter(archive, part, unread);
    if (text === null) continue;
    yield* readHtml(text, out, { isXhtml: true });
  }
  if (out.length === 0 && unread.length > 0) throw unread[0];
  const notes = [
    ...countNote(missing, "chapter", "missing from the file"),
    ...countNote(unread.length, "chapter", "could not be read"),
  ];
  return out.extraction({ title, language, notes });
}

/** Null for a chapter that is damaged or in no known encoding; `failures` gets the reason. */
function* readChapter(
  archive: ZipArchive,
  part: string,
  failures: unknown[],
): CooperativeWork<string | null> {
  try {
    const bytes = yield* archive.read(part);
    if (bytes === null) return null;
    return yield* withLineFeeds(yield* decodeText(bytes, null));
  } catch (error) {
    failures.push(error);
    return null;
  }
}

function* refuseProtected(archive: ZipArchive): CooperativeWork<void> {
  const part = "META-INF/encryption.xml";
  const algorithms: string[] = [];
  yield* readXml(archive.chunks(part), {
    open: (name, { Algorithm = "" }) => {
      if (name === "EncryptionMethod") algorithms.push(Algorithm);
    },
  });
  if (algorithms.some((algorithm) => !FONT_SCRAMBLING.test(algorithm))) {
    throw new UnreadableDocument("document is encrypted", "encrypted");
  }
}

function* packagePart(archive: ZipArchive): CooperativeWork<string> {
  let part: string | null = null;
  yield* readXml(archive.chunks("META-INF/container.xml"), {
    open: (name, attributes) => {
      if (name === "rootfile") part ??= attributes["full-path"] ?? null;
    },
  });
  const packagePart = part ?? archive.names().find((name) => name.endsWith(".opf"));
  if (packagePart === undefined) throw new UnreadableDocument("EPUB has no package document");
  return packagePart;
}

function* readPackage(archive: ZipArchive, part: string): CooperativeWork<Package> {
  const folder = part.slice(0, part.lastIndexOf("/") + 1);
  const items = new Map<string, string>();
  const leftOut = new Set<string>();
  const order: string[] = [];
  yield* readXml(archive.chunks(part), {
    open: (name, { id = "", idref = "", href = "", properties = "", "media-type": type = "" }) => {
      if (name === "itemref") order.push(idref);
      if (name !== "item") return;
      items.set(id, partFor(archive, folder, href));
      if (/\bnav\b/.test(properties) || /^(image|audio|video)\//.test(type)) leftOut.add(id);
    },
  });
  const spine = order.filter((id) => !leftOut.has(id)).map((id) => items.get(id) ?? "");
  return { ...(yield* corePropertiesOf(archive, part)), spine };
}

/** References are percent-encoded; some writers encode the part names in the archive as well. */
function partFor(archive: ZipArchive, folder: string, href: string): string {
  const [path = ""] = href.split("#", 1);
  const asWritten = resolvePart(folder, path);
  return archive.has(asWritten) ? asWritten : resolvePart(folder, decodePercent(path));
}
