import type { Stretches } from "../../core/stretches.ts";
import { ZipArchive } from "./archive/zip-archive.ts";
import { decodeText, withLineFeeds } from "./text/decode-text.ts";
import { UnreadableDocument } from "./extracted-document.ts";
import type { Extraction } from "./extracted-document.ts";
import { readHtml } from "./html/html-reader.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";
import { resolvePart } from "./office/relationships.ts";
import { readXml } from "./xml/xml-stream.ts";

type Package = {
  title: string | null;
  language: string | null;
  /** Parts in reading order. */
  spine: string[];
};

/** Fonts may be scrambled without the book being protected (EPUB 3.3, §4.4). */
const FONT_SCRAMBLING = /idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc/;

/** Books (EPUB 2 and 3): the spine's chapters one after the other. */
export function* extractEpub(bytes: Uint8Array): Stretches<Extraction> {
  const archive = new ZipArchive(bytes);
  yield* refuseProtected(archive);
  const { title, language, spine } = yield* readPackage(archive, yield* packagePart(archive));
  const out = new MarkdownBuilder();
  let hidden = 0;
  for (const part of spine) {
    const chapter = yield* archive.read(part);
    if (chapter === null) continue;
    const text = withLineFeeds(decodeText(chapter, null));
    const { hiddenElements } = yield* readHtml(selfClosedAsPairs(text), out);
    hidden += hiddenElements;
  }
  const notes = hidden === 0 ? [] : [`${hidden} hidden element${hidden === 1 ? "" : "s"} removed`];
  return { text: out, title, language, pages: [], notes };
}

/** XHTML may close any element in itself; to an HTML parser `<title/>` would stay open. */
function selfClosedAsPairs(xhtml: string): string {
  return xhtml.replace(
    /<(title|script|style|a|p|div|span|td|th|li|i|b|em)(\s[^<>]*)?\/>/g,
    "<$1$2></$1>",
  );
}

function* refuseProtected(archive: ZipArchive): Stretches<void> {
  const part = "META-INF/encryption.xml";
  const algorithms: string[] = [];
  yield* readXml(archive.chunks(part), {
    open: (name, { Algorithm = "" }) => {
      if (name === "EncryptionMethod") algorithms.push(Algorithm);
    },
    close: () => undefined,
  });
  if (algorithms.some((algorithm) => !FONT_SCRAMBLING.test(algorithm))) {
    throw new UnreadableDocument("document is encrypted");
  }
}

function* packagePart(archive: ZipArchive): Stretches<string> {
  let part: string | null = null;
  yield* readXml(archive.chunks("META-INF/container.xml"), {
    open: (name, attributes) => {
      if (name === "rootfile") part ??= attributes["full-path"] ?? null;
    },
    close: () => undefined,
  });
  const found = part ?? archive.names().find((name) => name.endsWith(".opf"));
  if (found === undefined) throw new UnreadableDocument("EPUB has no package document");
  return found;
}

function* readPackage(archive: ZipArchive, part: string): Stretches<Package> {
  const folder = part.slice(0, part.lastIndexOf("/") + 1);
  const items = new Map<string, string>();
  const navigation = new Set<string>();
  const order: string[] = [];
  const facts: Record<string, string> = {};
  let current = "";
  yield* readXml(archive.chunks(part), {
    open: (name, attributes) => {
      current = name;
      if (name === "item") {
        const { id = "", href = "", properties = "" } = attributes;
        items.set(id, resolvePart(folder, decodeReference(href)));
        if (/\bnav\b/.test(properties)) navigation.add(id);
      } else if (name === "itemref") order.push(attributes["idref"] ?? "");
    },
    text: (data) => {
      if (current === "title" || current === "language") facts[current] ??= data.trim();
    },
    close: () => {
      current = "";
    },
  });
  const spine = order.filter((id) => !navigation.has(id)).map((id) => items.get(id) ?? "");
  return { title: facts["title"] || null, language: facts["language"] || null, spine };
}

function decodeReference(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
