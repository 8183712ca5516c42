import { ITEM_COST, Pace } from "../../../core/work/cooperative.ts";
import type { CooperativeWork, YieldToOthers } from "../../../core/work/cooperative.ts";
import type { Reading } from "../../document-format.ts";
import { UnreadableDocument, type Extraction, type RawDocument } from "../../extracted-document.ts";
import { countNote } from "../../notes.ts";
import { decodeInTurn, UnusablePicture, type Picture } from "../../pictures/picture.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { shapeOf } from "./bounds/document-shape.ts";
import type { ObjectSigns } from "./bounds/object-signs.ts";
import { checkRecovery } from "./bounds/recovery-bounds.ts";
import { checkStreams } from "./bounds/stream-bounds.ts";
import { MonospacedFonts } from "./fonts/monospaced-fonts.ts";
import { UnmappedFonts } from "./fonts/unmapped-fonts.ts";
import { hiddenLayersOf, type HiddenLayers } from "./hidden-layers.ts";
import { partsOf, type PagePart } from "./layout/page-blocks.ts";
import { segmentsOf } from "./layout/page-segments.ts";
import { RunningHeads } from "./layout/running-heads.ts";
import type { Segment, TextItem } from "./layout/segment.ts";
import { bookmarksOf, factsOf, openPdf, type Pdf, type PdfPage } from "./open-pdf.ts";
import { PageWriter } from "./page-writer.ts";
import { pictureOfPage } from "./pictures/page-picture.ts";
import { cmapReason, fontNotes, unreadNotes } from "./reading-notes.ts";
import { insertFormValues } from "./structure/form-values.ts";
import { structureOf, type PageStructure, type TreeNode } from "./structure/structure-tree.ts";
import { isPageCovered, partsOfStructure } from "./structure/tagged-parts.ts";
import { textItems } from "./text-items.ts";

/** `isMapped`: the page has enough text, most of it in fonts with a map to characters. */
type PageText = {
  segments: Segment[];
  structure: PageStructure | null;
  isMapped: boolean;
  mayBeScan: boolean;
};

/** Everything of a page that pdf.js reads for its text. */
type LoadedPage = { items: TextItem[]; viewport: number[]; tree: TreeNode | null };

const MAX_PAGES = 10_000;
const SAMPLED_PAGES = 24;
const SAMPLED_SEGMENTS = 1 << 12;
const PAGES_KEPT = 100;
/** Characters of the sample's pages that are kept until they are read again. */
const MAX_SAMPLED_CHARACTERS = 1 << 20;
/** In characters: what a page takes beside its text. */
const PAGE_COST = 1 << 12;
const PICTURE_COST = 1 << 15;
/** A page with fewer usable letters and digits may be a scan. */
const SCAN_CHARACTERS = 20;
const MIN_MAPPED_CHARACTERS = 200;
/** With more pages, the tree is not used: each page takes time for all of its children. */
const MAX_TAGGED_PAGES = 500;
const LACKS_CONTENT = "a part of the pages' content is not in the file: text may be missing";
const FORM = "PDF is a form in Adobe's own format (XFA), which is not read; print it to a PDF";
const UNMAPPED = "PDF's fonts do not say which characters they show";

export function readFile(
  file: RawDocument,
  { yieldToOthers, pictures, depth }: Pick<Reading, "yieldToOthers" | "pictures" | "depth">,
): Promise<Extraction> {
  return withPages(file.bytes, yieldToOthers, async (reader) => {
    const { signs, pdf } = reader;
    if (signs.needsRendering && pdf.numPages === 1)
      throw new UnreadableDocument(FORM, "unsupported");
    const extraction = await readDocument(reader, async ({ mayBeScan }, number) => {
      const place = depth === 0 ? number : null;
      return mayBeScan ? await pictures.add(() => reader.picture(number), place) : "";
    });
    if (signs.lacksContent) extraction.notes.push(LACKS_CONTENT);
    const layers = (await reader.hiddenLayers)?.leftOut.size ?? 0;
    extraction.notes.push(...countNote(layers, "hidden layer", "left out"));
    extraction.notes.push(...countNote(signs.embeddedFiles, "embedded file", "left out"));
    return extraction;
  });
}

/** The picture of a page as a model gets it; null: none. @throws UnusablePicture, UnreadableDocument */
export const pageOfPdf = (bytes: Uint8Array, number: number, yieldToOthers: YieldToOthers) =>
  withPages(bytes, yieldToOthers, async (reader) =>
    number > reader.pdf.numPages ? null : await reader.picture(number),
  );

/** pdf.js takes the file's buffer. */
async function withPages<T>(
  bytes: Uint8Array,
  yieldToOthers: YieldToOthers,
  work: (reader: PdfPages) => Promise<T>,
): Promise<T> {
  const pace = new Pace(yieldToOthers);
  await pace.run(checkRecovery(bytes));
  const signs = await pace.run(checkStreams(bytes));
  const missingCmaps = new Set<string>();
  const pdf = await openPdf(bytes, missingCmaps);
  try {
    return await work(new PdfPages(pdf, pace, signs, missingCmaps));
  } finally {
    await pdf.loadingTask.destroy();
  }
}

/** Reads pages, and regularly makes pdf.js drop its caches: it keeps all that it has read. */
class PdfPages {
  readonly pdf: Pdf;
  readonly pace: Pace;
  readonly signs: ObjectSigns;
  readonly missingCmaps: Set<string>;
  readonly fonts: UnmappedFonts;
  readonly #monospaced = new MonospacedFonts();
  readonly #isTagged: Promise<boolean>;
  readonly hiddenLayers: Promise<HiddenLayers | null>;
  /** Pages are not loaded again after the sample, and only laid out again if their fonts changed. */
  readonly #sampled = new Map<number, LoadedPage & { text: PageText; textCount: number }>();
  #sampledCharacters = 0;
  #pagesRead = 0;

  constructor(pdf: Pdf, pace: Pace, signs: ObjectSigns, missingCmaps: Set<string>) {
    this.pdf = pdf;
    this.signs = signs;
    this.missingCmaps = missingCmaps;
    this.fonts = new UnmappedFonts(signs.fonts);
    this.pace = pace;
    this.#isTagged = isTagged(pdf, signs);
    this.hiddenLayers = hiddenLayersOf(pdf);
  }

  /** @param isSample the page is read again later */
  async page(number: number, isSample = false): Promise<PageText | null> {
    await this.pace.count(PAGE_COST);
    if (++this.#pagesRead % PAGES_KEPT === 0) await this.pdf.cleanup();
    try {
      const sampled = this.#sampled.get(number);
      this.#sampled.delete(number);
      const loaded = sampled ?? (await this.#load(number));
      const { items } = loaded;
      const isChanged = this.#monospaced.mark(items);
      const texts = await this.pace.run(this.fonts.withoutUnreadable(items));
      const isSame = !isChanged && texts.length === sampled?.textCount;
      const text = isSame ? sampled.text : await this.#textOf(loaded, texts);
      if (isSample) this.#sampledCharacters += charactersOf(items) + items.length * ITEM_COST;
      if (isSample && this.#sampledCharacters <= MAX_SAMPLED_CHARACTERS)
        this.#sampled.set(number, { ...loaded, text, textCount: texts.length });
      return text;
    } catch (error) {
      if (error instanceof UnreadableDocument) throw error;
      return null;
    }
  }

  async #textOf({ items, viewport, tree }: LoadedPage, texts: TextItem[]): Promise<PageText> {
    const structure = tree === null ? null : structureIn(tree, texts);
    const segments = await this.pace.run(segmentsOf(texts, viewport, structure?.blockOf));
    return { segments, structure, ...signsOf(texts, items) };
  }

  async #load(number: number): Promise<LoadedPage> {
    const page = await this.pdf.getPage(number);
    const { transform: viewport } = page.getViewport({ scale: 1 });
    const items = await this.#items(page);
    const tree = (await this.#isTagged) ? await structureTree(page) : null;
    page.cleanup();
    return { items, viewport, tree };
  }

  /** The picture that the page is, if it is one. @throws UnusablePicture */
  async picture(number: number): Promise<Picture | null> {
    const page = await this.pdf.getPage(number);
    try {
      const layers = await this.hiddenLayers;
      const picture = await decodeInTurn(() => pictureOfPage(page, layers)).catch(
        (error: unknown) => {
          if (error instanceof UnreadableDocument || error instanceof UnusablePicture) throw error;
          throw new UnusablePicture("the page's content is damaged or too large");
        },
      );
      if (picture !== null) await this.pace.count(PICTURE_COST);
      return picture;
    } finally {
      page.cleanup();
    }
  }

  async #items(page: PdfPage): Promise<TextItem[]> {
    const items = await textItems(page, await this.#isTagged, await this.hiddenLayers, this.pace);
    if (!this.signs.hasForms) return items;
    const annotations = (await page.getAnnotations().catch(() => [])) as unknown[];
    return await this.pace.run(insertFormValues(items, annotations));
  }

  keep(segments: Segment[], heads: RunningHeads, number: number): Segment[] {
    const body = heads.removeFrom(segments, number);
    if (this.#monospaced.isBodyMonospaced) for (const segment of body) segment.isMonospaced = false;
    return body;
  }
}

function signsOf(texts: TextItem[], all: TextItem[]) {
  const mapped = charactersOf(texts);
  const isMapped = mapped >= MIN_MAPPED_CHARACTERS && mapped * 2 > charactersOf(all);
  let usable = 0;
  for (const { str } of texts) {
    if (usable >= SCAN_CHARACTERS) break;
    usable += str.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  }
  return { isMapped, mayBeScan: usable < SCAN_CHARACTERS };
}

const charactersOf = (items: TextItem[]) =>
  items.reduce((sum, { str }) => sum + str.trim().length, 0);

async function isTagged(pdf: Pdf, { isTreeLarge }: ObjectSigns): Promise<boolean> {
  if (isTreeLarge || pdf.numPages > MAX_TAGGED_PAGES) return false;
  const info = (await pdf.getMarkInfo().catch(() => null)) as Record<string, unknown> | null;
  return info?.["Marked"] === true && info["Suspects"] !== true;
}

const structureTree = (page: PdfPage) =>
  page.getStructTree().catch(() => null) as Promise<TreeNode | null>;

function structureIn(tree: TreeNode, texts: TextItem[]): PageStructure | null {
  const structure = structureOf(tree);
  return isPageCovered(structure, texts) ? structure : null;
}

/** `scan` gives what stands for the picture that a page is, or nothing. */
async function readDocument(
  reader: PdfPages,
  scan: (page: PageText, number: number) => Promise<string>,
): Promise<Extraction> {
  const { pdf } = reader;
  const { numPages } = pdf;
  if (numPages > MAX_PAGES) throw new UnreadableDocument(`PDF has more than ${MAX_PAGES} pages`);
  const [bookmarks, { title, language }] = [await bookmarksOf(pdf), await factsOf(pdf)];
  const sample = await samplePages(reader, numPages);
  const shape = shapeOf([...sample.values()], bookmarks);
  const heads = new RunningHeads(sample, shape);
  const out = new MarkdownBuilder();
  const writer = new PageWriter(out, shape);
  const unread: number[] = [];
  let hasUsablePage = false;
  for (let number = 1; number <= numPages; number++) {
    const page = await reader.page(number);
    if (page === null) unread.push(number);
    else {
      const segments = reader.keep(page.segments, heads, number);
      const { structure } = page;
      const parts = await reader.pace.run(
        structure === null ? partsOf(segments) : partsOfStructure(segments, structure),
      );
      out.page(number);
      const scanned = await scan(page, number);
      hasUsablePage ||= page.isMapped || scanned !== "";
      out.raw(scanned);
      await reader.pace.run(writeParts(parts, writer, out));
    }
  }
  if (numPages > 0 && unread.length === numPages) {
    throw new UnreadableDocument("no page can be read", "damaged");
  }
  const notes = [...unreadNotes(unread), ...fontNotes(reader.fonts, reader.missingCmaps)];
  const facts = { title: title ?? out.firstHeading(2), language, notes };
  if (reader.fonts.isMost && !hasUsablePage)
    return { ...facts, text: "", pages: [], reason: UNMAPPED };
  return out.extraction({ ...facts, ...cmapReason(reader.missingCmaps) });
}

function* writeParts(
  parts: PagePart[],
  writer: PageWriter,
  out: MarkdownBuilder,
): CooperativeWork<void> {
  for (const [at, part] of parts.entries()) {
    const { length } = out;
    writer.write(part, parts[at + 1]);
    yield out.length - length + ITEM_COST;
  }
}

async function samplePages(reader: PdfPages, numPages: number): Promise<Map<number, Segment[]>> {
  const step = Math.max(1, Math.floor(numPages / SAMPLED_PAGES));
  const pages = new Map<number, Segment[]>();
  for (let number = 1; number <= numPages; number += step) {
    pages.set(number, (await reader.page(number, true))?.segments.slice(0, SAMPLED_SEGMENTS) ?? []);
  }
  return pages;
}
