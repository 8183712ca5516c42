import { runToEnd, Progress, type CooperativeWork } from "../../core/work/cooperative.ts";
import { languagesOf } from "../../text/indexed-words.ts";
import { languageOfTag } from "../../text/languages.ts";
import { estimateTokens, type Tokenizer } from "../../text/tokens.ts";
import {
  UnreadableDocument,
  type ExtractedDocument,
  type PageStart,
  type Span,
} from "../extracted-document.ts";
import { commonPath, sameWords, titleFor, type HeadingPath, type Title } from "./heading-path.ts";
import { Partition, type Piece } from "./partition.ts";
import { levelOfCuts, placeUnits, type UnitPlace } from "./place-units.ts";
import { MAX_CHARACTERS_A_TOKEN, type SplitOptions, type Unit } from "./split-units.ts";

export { CHUNKING_FORMAT } from "../../core/index-format.ts";

export type ChunkSettings = {
  /** Tokens of `text` at most, by `estimateTokens` with `tokenizer`. */
  chunkSize: number;
  /** Tokens that a chunk repeats of the previous one, at most; less than `chunkSize`. */
  chunkOverlap: number;
  tokenizer: Tokenizer;
  fileName: string;
};

/** A range of a document. Its text is cut out on demand, so that no text is in memory twice. */
export type Chunk = {
  header: Span | null;
  /** The headings and the lead-in that the text does not contain. */
  context: string;
  headings: string[];
  /** Whether the first heading is the file's name, and stands nowhere in the text. */
  isNamed?: true;
  /** From `languagesOf`. */
  languages: string;
  page: number | null;
  /** Whether a model read any of it from a picture. */
  recognised?: true;
  /** Character offsets into the document's `markdown`, end exclusive. */
  start: number;
  end: number;
  position: number;
};

/** Units partitioned at once: bounds memory, and is far more than one chunk contains. */
const BATCH_UNITS = 4_000;
/** The last pieces of a batch are partitioned again with what follows them. */
const UNSETTLED_PIECES = 2;
const MAX_BLANK_CHARACTERS = 10_000;
const TITLE_LOOK_CHARACTERS = 400;
/** Chunks of one document: five times as many as the largest has with chunks of the usual size. */
const MAX_CHUNKS = 100_000;

/** Cuts along the structure; deterministic. @throws UnreadableDocument for too many chunks */
export function* chunkCooperatively(
  document: ExtractedDocument,
  settings: ChunkSettings,
): CooperativeWork<Chunk[]> {
  const limits = {
    chunkSize: Math.max(1, settings.chunkSize),
    chunkOverlap: Math.max(0, settings.chunkOverlap),
    tokenizer: settings.tokenizer,
  };
  const chunks: Chunk[] = [];
  const title = titleFor(document.title, settings.fileName);
  let pending: UnitPlace[] = [];
  let batch = BATCH_UNITS;
  const whole = isShort(document.markdown, limits);
  const settleUnits = function* (isLast: boolean): CooperativeWork<void> {
    const units = pending.map(({ unit }) => unit);
    const pieces = whole ? [wholeRun(pending)] : yield* new Partition(units, limits).pieces();
    const settled = isLast ? pieces : pieces.slice(0, -UNSETTLED_PIECES);
    for (const piece of settled) {
      const chunk = chunkOf(document, pending, piece, title);
      if (chunk !== null) chunks.push({ ...chunk, position: chunks.length });
      yield chunk === null ? 0 : chunk.end - chunk.start;
    }
    if (chunks.length > MAX_CHUNKS) throw tooManyChunks();
    pending = isLast ? [] : pending.slice(settled.at(-1)?.to ?? 0);
    // Pieces can hold more units than a batch: the rest must double before the next partition.
    batch = Math.max(BATCH_UNITS, 2 * pending.length);
  };
  const progress = new Progress();
  const cutLevel = yield* levelOfCuts(document.markdown, whole);
  for (const unit of placeUnits(document.markdown, limits, cutLevel)) {
    if (unit === "cut") yield* settleUnits(true);
    else if (typeof unit === "number") yield unit;
    else if (isLongBlank(unit)) yield* settleUnits(true);
    else {
      addUnit(pending, unit);
      yield* progress.advanceTo(unit.unit.end);
    }
    if (pending.length >= batch) yield* settleUnits(false);
  }
  yield* settleUnits(true);
  return chunks;
}

/** Each chunk takes memory, and a share of an embedding call. */
const tooManyChunks = () =>
  new UnreadableDocument(
    `document has more than ${MAX_CHUNKS} passages; split it into several, or choose longer passages`,
  );

export const chunkDocument = (document: ExtractedDocument, settings: ChunkSettings): Chunk[] =>
  runToEnd(chunkCooperatively(document, settings));

/** More white space than a passage may hold: it would be as long as the document. */
const isLongBlank = ({ unit: { start, end, weight } }: UnitPlace) =>
  weight === 0 && end - start > MAX_BLANK_CHARACTERS;

/** White space has no weight: it joins the unit before it. */
function addUnit(pending: UnitPlace[], unit: UnitPlace): void {
  const last = pending.at(-1);
  if (last === undefined || unit.unit.weight > 0) pending.push(unit);
  else last.unit = { ...last.unit, end: unit.unit.end };
}

const wholeRun = (pending: UnitPlace[]): Piece => ({
  from: 0,
  to: pending.length,
  overlapFrom: 0,
});

/** Whether the document is one chunk, if it has no more than one top heading. */
function isShort(markdown: string, { chunkSize, tokenizer }: SplitOptions): boolean {
  const longest = chunkSize * MAX_CHARACTERS_A_TOKEN;
  return markdown.length <= longest && estimateTokens(markdown, tokenizer) <= chunkSize;
}

/** The chunk of a piece; null when it contains only white space. */
function chunkOf(
  document: ExtractedDocument,
  pending: UnitPlace[],
  piece: Piece,
  title: Title | null,
): Omit<Chunk, "position"> | null {
  const units = pending.slice(piece.from, piece.to);
  const first = pending[piece.overlapFrom]?.unit;
  const { unit } = units[0] ?? {};
  const last = units.at(-1)?.unit;
  if (first === undefined || unit === undefined || last === undefined) return null;
  const { start, end } = trimSpan(document.markdown, { start: first.start, end: last.end });
  if (start >= end) return null;
  const header = unit.tableHeader;
  const text = chunkText(document.markdown, { header, start, end });
  const path = pathOf(units);
  const context = contextBefore(document.markdown, { path, title, unit, start, text });
  const headings = path.map((entry) => entry.text);
  return {
    header: header === null ? null : { start: header.start, end: header.end },
    context,
    ...(needsTitle(title, path)
      ? { headings: [title.text, ...headings], ...(title.isName && { isNamed: true }) }
      : { headings }),
    languages: languagesOf(text, languageOfTag(document.language)),
    page: pageAt(document.pages, start),
    ...(isRecognised(document, start, end) && { recognised: true }),
    start,
    end,
  };
}

const isRecognised = ({ recognised = [] }: ExtractedDocument, start: number, end: number) =>
  recognised.some((part) => part.start < end && start < part.end);

/** The document's text from `start` to `end`; table rows are preceded by their header again. */
export function chunkText(
  markdown: string,
  place: Pick<Chunk, "header" | "start" | "end">,
): string {
  const text = markdown.slice(place.start, place.end);
  return place.header === null ? text : `${textOf(markdown, place.header)}\n${text}`;
}

export function textToEmbed(markdown: string, chunk: Chunk): string {
  const text = chunkText(markdown, chunk);
  return chunk.context === "" ? text : `${chunk.context}\n\n${text}`;
}

const needsTitle = (title: Title | null, path: HeadingPath): title is Title =>
  title !== null && !path.some((entry) => sameWords(entry.text, title.text));

/** The headings common to the piece; bare headings count only where there is nothing else. */
function pathOf(units: UnitPlace[]): HeadingPath {
  const texts = units.filter(({ unit }) => unit.level === 0);
  const longest = texts.length > 0 ? texts : units;
  return commonPath([...new Set(longest.map(({ path }) => path))]);
}

/** The headings, and the lead-in, that the text itself does not contain. */
function contextBefore(
  markdown: string,
  parts: { path: HeadingPath; title: Title | null; unit: Unit; start: number; text: string },
): string {
  const { path, title, unit, start, text } = parts;
  const above = path.filter((entry) => entry.at < start).map((entry) => entry.text);
  const beginning = text.slice(0, TITLE_LOOK_CHARACTERS);
  const withTitle =
    needsTitle(title, path) && !beginning.includes(title.text) ? [title.text, ...above] : above;
  const headings = withTitle.join(" > ");
  const { leadIn } = unit;
  const lead = leadIn === null || leadIn.start >= start ? "" : textOf(markdown, leadIn);
  return [headings, lead].filter((part) => part !== "").join("\n\n");
}

function textOf(markdown: string, span: Span): string {
  return markdown.slice(span.start, span.end).trim();
}

function trimSpan(markdown: string, span: Span): Span {
  const text = markdown.slice(span.start, span.end);
  const start = span.start + (text.length - text.trimStart().length);
  return { start, end: span.end - (text.length - text.trimEnd().length) };
}

/** The last page that begins at or before `offset`; null for documents without pages. */
function pageAt(pages: PageStart[], offset: number): number | null {
  let low = 0;
  let high = pages.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pages[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return pages[Math.max(0, low - 1)]?.page ?? null;
}
