import { brotliDecompressSync } from "node:zlib";
import type { getDocumentProxy } from "unpdf";

import type * as Collection from "#character-maps/gb1";
import { UnreadableDocument } from "../../extracted-document.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { foldTitle } from "./bounds/document-shape.ts";

export type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;
export type PdfPage = Awaited<ReturnType<Pdf["getPage"]>>;

const SILENT = 0;

/** pdf.js takes the bytes; `missingCmaps` gets names it did not find. @throws UnreadableDocument */
export async function openPdf(bytes: Uint8Array, missingCmaps: Set<string>): Promise<Pdf> {
  const { getDocument } = await import("#pdfjs");
  try {
    const loading = getDocument({
      data: bytes,
      useSystemFonts: true,
      verbosity: SILENT,
      useWorkerFetch: false,
      disableFontFace: true,
      isOffscreenCanvasSupported: false,
      isImageDecoderSupported: true,
      cMapUrl: "cmaps/",
      cMapPacked: true,
      BinaryDataFactory: cmapsFor(missingCmaps),
    });
    return await loading.promise;
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (name === "PasswordException") throw new UnreadableDocument("PDF is encrypted", "encrypted");
    throw new UnreadableDocument("PDF is damaged or incomplete", "damaged");
  }
}

/** Replaces pdf.js's own fetching, so that it makes no requests. */
const cmapsFor = (missingCmaps: Set<string>) =>
  class {
    async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
      const name = filename.replace(/\.bcmap$/, "");
      const cmap = kind === "cMapUrl" ? await predefinedCmap(name) : null;
      if (cmap !== null) return cmap;
      if (kind === "cMapUrl") missingCmaps.add(name);
      throw new Error(`${filename} is not part of this program`);
    }
  };

/**
 * Predefined CMaps (ISO 32000-2, §9.7.5.2) for pdf.js: legacy Chinese, Japanese and Korean
 * encodings, and maps from a collection's glyph numbers (CIDs) to Unicode. A collection is loaded
 * when a document names one of its CMaps. The build writes them from pdfjs-dist.
 */
const COLLECTIONS: [RegExp, () => Promise<typeof Collection>][] = [
  [/^(?:Adobe-GB1|UniGB|GB)/, () => import("#character-maps/gb1")],
  [/^(?:Adobe-CNS1|UniCNS|CNS|B5|ET|HK)/, () => import("#character-maps/cns1")],
  [/^(?:Adobe-Korea1|UniKS|KSC)/, () => import("#character-maps/korea1")],
  [/^/, () => import("#character-maps/japan1")],
];

async function predefinedCmap(name: string): Promise<Uint8Array | null> {
  const load = COLLECTIONS.find(([pattern]) => pattern.test(name))?.[1];
  const { ENDS = [], PACKED = "" } = (await load?.()) ?? {};
  const at = ENDS.findIndex(([entry]) => entry === name);
  if (at === -1) return null;
  const bytes = Uint8Array.from(atob(PACKED), (byte) => byte.charCodeAt(0));
  const [start, end] = [ENDS[at - 1]?.[1] ?? 0, ENDS[at]?.[1]];
  return new Uint8Array(brotliDecompressSync(bytes).subarray(start, end));
}

type OutlineItem = { title: string; items: OutlineItem[] };

const MAX_BOOKMARK_LEVEL = 4;

export async function bookmarksOf(pdf: Pdf): Promise<Map<string, number>> {
  const levels = new Map<string, number>();
  const outline = (await pdf.getOutline().catch(() => null)) as OutlineItem[] | null;
  const add = (items: OutlineItem[], level: number) => {
    for (const item of items) {
      const folded = foldTitle(item.title);
      if (folded !== "" && !levels.has(folded)) levels.set(folded, level);
      if (level < MAX_BOOKMARK_LEVEL) add(item.items, level + 1);
    }
  };
  add(outline ?? [], 1);
  return levels;
}

const USELESS_TITLE =
  /^(microsoft (word|powerpoint)|untitled|.*\.(docx?|pptx?|xlsx?|indd|tex|dvi|ps|html?)$)/i;

export async function factsOf(pdf: Pdf) {
  const metadata = await pdf.getMetadata().catch(() => null);
  const info: Record<string, unknown> = { ...metadata?.info };
  const raw = typeof info["Title"] === "string" ? foldSpace(info["Title"]) : "";
  const language = typeof info["Language"] === "string" ? info["Language"].trim() : "";
  return { title: USELESS_TITLE.test(raw) ? null : raw || null, language: language || null };
}
