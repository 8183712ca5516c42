import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { UnreadableDocument, type Extraction } from "../../../extracted-document.ts";
import type { Pictures } from "../../../pictures/pictures.ts";
import { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import type { ZipArchive } from "../../archive/zip-archive.ts";
import { readXml } from "../../xml/xml-stream.ts";
import { drawingsOf, writeDrawing } from "../drawings.ts";
import { linksOf, openPackage, relationshipsOf, type Relationship } from "../relationships.ts";
import { SlideReader } from "./slide-reader.ts";

const MAX_SLIDES = 20_000;

/** ECMA-376: each slide becomes a heading, its text, its diagrams and its notes. */
export function* readBytes(bytes: Uint8Array, pictures: Pictures): CooperativeWork<Extraction> {
  const { archive, main, targets, properties } = yield* openPackage(bytes, "ppt/presentation.xml");
  const out = new MarkdownBuilder();
  const masters = new Set<string>();
  for (const [index, id] of (yield* slideIds(archive, main)).entries()) {
    const part = targets.get(id);
    if (part === undefined) continue;
    const around = yield* relationshipsOf(archive, part, out.leftOut);
    for (const layout of around.filter(({ type }) => type === "slideLayout"))
      masters.add(layout.target);
    const slide = new SlideReader(linksOf(around));
    yield* readXml(archive.chunks(part), slide);
    if (slide.isHiddenSlide) out.leftOut.add("hidden slide");
    else yield* writeSlide(slide, { archive, related: around, pictures }, out, index + 1);
  }
  if (out.length === 0) yield* noteMasters(archive, masters, out);
  const { title, language } = properties;
  return out.extraction({ title: usefulTitle(title) ?? out.firstHeading(), language });
}

/** Says which masters, and layouts of them, have text that the slides show. */
function* noteMasters(
  archive: ZipArchive,
  parts: Set<string>,
  out: MarkdownBuilder,
): CooperativeWork<void> {
  for (const part of parts) {
    // Sets are iterated with what is added meanwhile: the master of each layout.
    for (const { type, target } of yield* relationshipsOf(archive, part))
      if (type === "slideMaster") parts.add(target);
    let [isPrompt, hasText] = [false, false];
    yield* readXml(archive.chunks(part), {
      open: (name) => {
        if (name === "sp" || name === "ph") isPrompt = name === "ph";
      },
      text: (data) => {
        hasText ||= !isPrompt && data.trim() !== "";
      },
    });
    if (hasText) out.leftOut.add("slide master");
  }
}

const usefulTitle = (title: string | null) =>
  title !== null && /^(powerpoint presentation|presentation|slide 1)$/i.test(title) ? null : title;

function* slideIds(archive: ZipArchive, part: string): CooperativeWork<string[]> {
  const ids: string[] = [];
  yield* readXml(archive.chunks(part), {
    open: (name, attributes) => {
      if (name === "sldId") ids.push(attributes["r:id"] ?? "");
      if (ids.length > MAX_SLIDES) {
        throw new UnreadableDocument(`presentation has more than ${MAX_SLIDES} slides`);
      }
    },
  });
  return ids;
}

type SlideParts = { archive: ZipArchive; related: Relationship[]; pictures: Pictures };

function* writeSlide(
  { blocks, hiddenShapes, hiddenDrawings }: SlideReader,
  { archive, related, pictures }: SlideParts,
  out: MarkdownBuilder,
  page: number,
): CooperativeWork<void> {
  out.leftOut.add("hidden shape", hiddenShapes);
  for (const [id, drawing] of yield* drawingsOf(archive, related, pictures))
    if (!hiddenDrawings.has(id)) writeDrawing(drawing, blocks);
  for (const { type, target } of related) {
    if (type !== "notesSlide") continue;
    const reader = new SlideReader();
    yield* readXml(archive.chunks(target), reader);
    reader.blocks.addTo(blocks);
    out.leftOut.add("hidden shape", reader.hiddenShapes);
  }
  yield* blocks.write(out, page);
}
