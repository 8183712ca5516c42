import type { getDocumentProxy } from "unpdf";
import { MAX_CHARACTERS, UnreadableDocument } from "./extracted-document.ts";
import type { ExtractedDocument } from "./extracted-document.ts";
import { foldSpace, MarkdownBuilder } from "./markdown-builder.ts";
import { characterMap } from "./pdf/character-maps.ts";
import { foldTitle, headingLevel, shapeOf } from "./pdf/document-shape.ts";
import type { DocumentShape } from "./pdf/document-shape.ts";
import { partsOf, textOf } from "./pdf/page-blocks.ts";
import type { PagePart } from "./pdf/page-blocks.ts";
import { segmentsOf } from "./pdf/page-segments.ts";
import type { Segment, TextItem } from "./pdf/page-segments.ts";
import { repeatedLines } from "./pdf/repeated-lines.ts";
import type { RepeatedLines } from "./pdf/repeated-lines.ts";
import { checkStreams } from "./pdf/stream-bounds.ts";

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

const MAX_PAGES = 10_000;
const SAMPLED_PAGES = 24;
const PAGES_AN_OPENING = 250;
const SILENT = 0;

/** Portable Document Format by pdf.js: paragraphs, headings, lists and tables by their places. */
export async function extractPdf(bytes: Uint8Array): Promise<ExtractedDocument> {
  checkStreams(bytes);
  const reader = new PdfReader(bytes);
  try {
    return await readDocument(reader);
  } finally {
    await reader.close();
  }
}

/** Opens the document anew now and then: pdf.js keeps every page that it has seen. */
class PdfReader {
  readonly #bytes: Uint8Array;
  #pdf: Pdf | null = null;
  #pagesRead = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  async document(): Promise<Pdf> {
    this.#pdf ??= await open(this.#bytes);
    return this.#pdf;
  }

  /** The page's text in its order; null when the page cannot be read. */
  async segments(number: number): Promise<Segment[] | null> {
    if (++this.#pagesRead % PAGES_AN_OPENING === 0) await this.close();
    const pdf = await this.document();
    try {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      const viewport = page.getViewport({ scale: 1 }).transform;
      const texts = items.filter((item): item is typeof item & TextItem => "str" in item);
      page.cleanup();
      return segmentsOf(texts, viewport);
    } catch {
      return null;
    }
  }

  async close(): Promise<void> {
    const pdf = this.#pdf;
    this.#pdf = null;
    await pdf?.loadingTask.destroy();
  }
}

/** Gives pdf.js the character maps that it would fetch. */
class CharacterMaps {
  fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    if (kind !== "cMapUrl") return Promise.reject(new Error(`${filename} is not at hand`));
    return Promise.resolve(new TextEncoder().encode(characterMap(filename)));
  }
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  const { getDocumentProxy } = await import("unpdf");
  try {
    // pdf.js takes the buffer for itself.
    return await getDocumentProxy(bytes.slice(), {
      verbosity: SILENT,
      useWorkerFetch: false,
      disableFontFace: true,
      cMapUrl: "cmaps/",
      cMapPacked: false,
      BinaryDataFactory: CharacterMaps,
    });
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    const isEncrypted = name === "PasswordException";
    throw new UnreadableDocument(isEncrypted ? "PDF is encrypted" : "PDF is damaged or incomplete");
  }
}

async function readDocument(reader: PdfReader): Promise<ExtractedDocument> {
  const pdf = await reader.document();
  const { numPages } = pdf;
  if (numPages > MAX_PAGES) throw new UnreadableDocument(`PDF has more than ${MAX_PAGES} pages`);
  const [bookmarks, { title, language }] = [await bookmarksOf(pdf), await factsOf(pdf)];
  const sample = await samplePages(reader, numPages);
  const shape = shapeOf(sample, bookmarks);
  const repeated = repeatedLines(sample);
  const out = new MarkdownBuilder();
  const notes: string[] = [];
  for (let number = 1; number <= numPages; number++) {
    const segments = await reader.segments(number);
    if (segments === null) notes.push(`page ${number} could not be read`);
    else writePage(segments, shape, repeated, out, number);
    if (out.length > MAX_CHARACTERS) throw new UnreadableDocument("document holds too much text");
  }
  const markdown = out.toString();
  const heading = /^#{1,2} (.+)$/m.exec(markdown)?.[1] ?? null;
  return { markdown, title: title ?? heading, language, pages: out.pages, notes };
}

/** Pages spread over the document tell what its type looks like. */
async function samplePages(reader: PdfReader, numPages: number): Promise<Segment[][]> {
  const step = Math.max(1, Math.floor(numPages / SAMPLED_PAGES));
  const pages: Segment[][] = [];
  for (let number = 1; number <= numPages; number += step) {
    pages.push((await reader.segments(number)) ?? []);
  }
  return pages;
}

function writePage(
  segments: Segment[],
  shape: DocumentShape,
  repeated: RepeatedLines,
  out: MarkdownBuilder,
  number: number,
): void {
  out.page(number);
  const kept = segments.filter((segment) => !repeated.isRepeated(segment, segments, number));
  const parts = partsOf(kept);
  for (const [at, part] of parts.entries()) writePart(part, parts[at + 1], shape, out);
}

const BULLET = /^\s*[•◦▪‣●○■·]\s*/;
const NUMBER = /^\s*(\d{1,3})[.)]\s+/;

function writePart(
  part: PagePart,
  next: PagePart | undefined,
  shape: DocumentShape,
  out: MarkdownBuilder,
): void {
  if (part.kind === "table") {
    out.table(part.rows);
    return;
  }
  const text = textOf(part.block);
  const level = headingLevel(part.block, next, shape);
  const number = NUMBER.exec(text);
  if (level > 0) out.heading(level, text);
  else if (BULLET.test(text)) out.listItem(0, "-", text.replace(BULLET, ""));
  else if (number !== null) out.listItem(0, `${number[1]}.`, text.slice(number[0].length));
  else out.paragraph(text);
}

type OutlineItem = { title: string; items: OutlineItem[] };

const MAX_BOOKMARK_LEVEL = 4;

async function bookmarksOf(pdf: Pdf): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const outline = (await pdf.getOutline().catch(() => null)) as OutlineItem[] | null;
  const add = (items: OutlineItem[], level: number) => {
    for (const item of items) {
      const folded = foldTitle(item.title);
      if (folded !== "" && !found.has(folded)) found.set(folded, level);
      if (level < MAX_BOOKMARK_LEVEL) add(item.items, level + 1);
    }
  };
  add(outline ?? [], 1);
  return found;
}

/** Titles that writing programs make up from file names say nothing. */
const USELESS_TITLE =
  /^(microsoft (word|powerpoint)|untitled|.*\.(docx?|pptx?|xlsx?|indd|tex|dvi|ps|html?)$)/i;

async function factsOf(pdf: Pdf): Promise<{ title: string | null; language: string | null }> {
  const metadata = await pdf.getMetadata().catch(() => null);
  const info = (metadata?.info ?? {}) as Record<string, unknown>;
  const raw = typeof info["Title"] === "string" ? foldSpace(info["Title"]) : "";
  const language = typeof info["Language"] === "string" ? info["Language"].trim() : "";
  const title = raw === "" || USELESS_TITLE.test(raw) ? null : raw;
  return { title, language: language === "" ? null : language };
}
