import type { Stretches } from "../../core/stretches.ts";
import { ZipArchive } from "./archive/zip-archive.ts";
import { UnreadableDocument } from "./extracted-document.ts";
import type { Extraction } from "./extracted-document.ts";
import { foldSpace } from "./fold-space.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";
import { countNote } from "./notes.ts";
import { corePropertiesOf, mainPart, relationshipsOf } from "./office/relationships.ts";
import type { Relationship } from "./office/relationships.ts";
import { SlideReader } from "./office/slide-reader.ts";
import type { SlideBlock } from "./office/slide-reader.ts";
import { readXml } from "./xml/xml-stream.ts";

const MAX_SLIDES = 20_000;
const TITLE_MAX_CHARACTERS = 200;

/** Presentations (ECMA-376): a slide becomes a heading, its text, its diagrams and its notes. */
export function* extractPptx(bytes: Uint8Array): Stretches<Extraction> {
  const archive = new ZipArchive(bytes);
  const main = yield* mainPart(archive, "ppt/presentation.xml");
  const related = yield* relationshipsOf(archive, main);
  const targets = new Map(related.map(({ id, target }) => [id, target]));
  const out = new MarkdownBuilder();
  const hidden = { slides: 0, shapes: 0 };
  for (const [index, id] of (yield* slideIds(archive, main)).entries()) {
    const part = targets.get(id);
    if (part === undefined) continue;
    const slide = new SlideReader();
    yield* readXml(archive.chunks(part), slide);
    if (slide.isHiddenSlide) hidden.slides++;
    else hidden.shapes += yield* writeSlide(archive, part, slide, out, index + 1);
  }
  const notes = [
    ...countNote(hidden.slides, "hidden slide", "left out"),
    ...countNote(hidden.shapes, "hidden shape", "left out"),
  ];
  const { title, language } = yield* corePropertiesOf(archive);
  return {
    text: out,
    title: usefulTitle(title) ?? out.firstHeading(),
    language,
    pages: out.pages,
    notes,
  };
}

/** What programs write when nobody gave a title. */
const usefulTitle = (title: string | null) =>
  title !== null && /^(powerpoint presentation|presentation|slide 1)$/i.test(title) ? null : title;

function* slideIds(archive: ZipArchive, part: string): Stretches<string[]> {
  const ids: string[] = [];
  yield* readXml(archive.chunks(part), {
    open: (name, attributes) => {
      if (name === "sldId") ids.push(attributes["r:id"] ?? "");
      if (ids.length > MAX_SLIDES) {
        throw new UnreadableDocument(`presentation has more than ${MAX_SLIDES} slides`);
      }
    },
    close: () => undefined,
  });
  return ids;
}

/** Returns how many hidden shapes with text the slide and its notes have. */
function* writeSlide(
  archive: ZipArchive,
  part: string,
  { blocks, hiddenShapes, hiddenDrawings }: SlideReader,
  out: MarkdownBuilder,
  page: number,
): Stretches<number> {
  out.page(page);
  const title = titleOf(blocks);
  out.heading(1, title?.text ?? `Slide ${page}`);
  writeBlocks(
    blocks.filter((block) => block !== title),
    out,
  );
  const related = yield* relationshipsOf(archive, part);
  const parts = (type: string) => related.filter((each) => each.type === type);
  for (const { id, target } of [...parts("diagramData"), ...parts("chart")]) {
    if (hiddenDrawings.has(id)) continue;
    for (const text of yield* drawnTexts(archive, target)) out.paragraph(text);
  }
  return hiddenShapes + (yield* writeNotes(archive, parts("notesSlide"), out));
}

/** The title, or what a slide without one begins with, if that is short enough to head it. */
function titleOf(blocks: SlideBlock[]) {
  const title = blocks.find((block) => block.kind === "title");
  if (title !== undefined) return title;
  const first = blocks.find((block) => block.kind !== "table");
  return first !== undefined && first.text.length <= TITLE_MAX_CHARACTERS ? first : undefined;
}

function writeBlocks(blocks: SlideBlock[], out: MarkdownBuilder): void {
  const counters: number[] = [];
  for (const block of blocks) {
    if (block.kind === "table") out.table(block.rows);
    else if (block.kind === "item") {
      counters.length = Math.min(counters.length, block.depth + 1);
      const count = (counters[block.depth] ?? 0) + 1;
      counters[block.depth] = count;
      out.listItem(block.depth, block.isOrdered ? `${count}.` : "-", block.text);
    } else out.paragraph(block.text);
  }
}

/** Returns how many hidden shapes with text they have. */
function* writeNotes(
  archive: ZipArchive,
  notes: Relationship[],
  out: MarkdownBuilder,
): Stretches<number> {
  let hidden = 0;
  for (const { target } of notes) {
    const reader = new SlideReader();
    yield* readXml(archive.chunks(target), reader);
    for (const block of reader.blocks) if (block.kind !== "table") out.quote(block.text);
    hidden += reader.hiddenShapes;
  }
  return hidden;
}

/** Texts of a diagram or chart: labels, titles, categories; each once. */
function* drawnTexts(archive: ZipArchive, part: string): Stretches<string[]> {
  const texts = new Set<string>();
  let collects = false;
  let inStrings = 0;
  let current = "";
  yield* readXml(archive.chunks(part), {
    open: (name) => {
      if (name === "strCache") inStrings++;
      if (name === "p") current = "";
      if (name === "v") current = "";
      collects = name === "t" || (name === "v" && inStrings > 0);
    },
    text: (data) => {
      if (collects) current += data;
    },
    close: (name) => {
      if (name === "strCache") inStrings--;
      if (name === "t" || name === "v") collects = false;
      if ((name === "p" || name === "v") && foldSpace(current) !== "")
        texts.add(foldSpace(current));
      if (name === "p" || name === "v") current = "";
    },
  });
  return [...texts];
}
