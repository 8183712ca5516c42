import { sentenceEnds } from "../../text/sentences.ts";
import { tokenWeight, type Tokenizer } from "../../text/tokens.ts";
import { LIST_ITEM, type Block } from "./scan-blocks.ts";

/** Cost of a break before a unit; the partition weighs these against sizes. */
export const BREAK = {
  heading: 0,
  block: 0.3,
  item: 0.6,
  nestedItem: 0.9,
  row: 0.5,
  looseCodeLine: 0.6,
  codeLine: 1.3,
  sentence: 0.8,
  line: 1.1,
  word: 3,
  glued: 12,
} as const;

export type Span = { start: number; end: number };

/** The smallest part of a chunk. Units follow each other without gaps. */
export type Unit = Span & {
  weight: number;
  breakCost: number;
  level: number;
  /** Whether a chunk that begins here may repeat the text before. */
  mayOverlap: boolean;
  tableHeader: (Span & { weight: number }) | null;
  /** The sentence that leads into the list that this unit continues. */
  leadIn: Span | null;
};

export type SplitOptions = { chunkSize: number; tokenizer: Tokenizer };

const HEADER_SHARE = 0.4;
/** Sentences longer than this share of a chunk are cut, so that chunks can be filled. */
const SENTENCE_SHARE = 0.5;
const LIST_INDENT = 2;
const LOOK_CHARACTERS = 200;
/** No script has more characters per token, white space aside. */
export const MAX_CHARACTERS_A_TOKEN = 20;
/** More white space than any block of little text has. */
const LONG_BLOCK = 1 << 16;

export function* splitBlock(
  markdown: string,
  block: Block,
  options: SplitOptions,
  leadIn: Span | null,
): Generator<Unit> {
  const { kind } = block;
  if (kind === "heading") yield* splitHeading(markdown, block, options);
  else if (kind === "code") yield* splitCode(markdown, block, options);
  else if (kind === "table") yield* splitTable(markdown, block, options);
  else if (kind === "list") yield* splitList(markdown, block, options, leadIn);
  else yield* splitProse(markdown, block, options, BREAK.block);
}

function unitOf(
  markdown: string,
  { start, end }: Span,
  breakCost: number,
  tokenizer: Tokenizer,
  mayOverlap = false,
): Unit {
  const weight = tokenWeight(markdown, tokenizer, start, end);
  return { start, end, weight, breakCost, level: 0, mayOverlap, tableHeader: null, leadIn: null };
}

/** The unit of a whole block; null where it is too large, by its length or its weight. */
function wholeUnit(
  markdown: string,
  block: Block,
  breakCost: number,
  { chunkSize, tokenizer }: SplitOptions,
): Unit | null {
  if (block.end - block.start > Math.max(chunkSize * MAX_CHARACTERS_A_TOKEN, LONG_BLOCK))
    return null;
  const unit = unitOf(markdown, block, breakCost, tokenizer);
  return unit.weight <= chunkSize ? unit : null;
}

function* splitHeading(markdown: string, block: Block, options: SplitOptions): Generator<Unit> {
  const whole = wholeUnit(markdown, block, BREAK.heading, options);
  if (whole !== null) yield { ...whole, level: block.level };
  else yield* splitProse(markdown, block, options, BREAK.heading);
}

function* splitProse(
  markdown: string,
  span: Span,
  options: SplitOptions,
  firstBreak: number,
): Generator<Unit> {
  const limits = shareOf(options, SENTENCE_SHARE);
  let { start } = span;
  let breakCost = firstBreak;
  for (const end of sentenceEnds(markdown, span.start, span.end)) {
    const sentence = unitOf(markdown, { start, end }, breakCost, options.tokenizer, true);
    if (sentence.weight <= limits.chunkSize) yield sentence;
    else yield* splitLong(markdown, sentence, limits);
    breakCost = endsSentence(markdown, end) ? BREAK.sentence : BREAK.line;
    start = end;
  }
}

function endsSentence(markdown: string, end: number): boolean {
  return /[.!?:…。！？؟।]["'”’»)\]」』]*\s*$/.test(markdown.slice(Math.max(0, end - 12), end));
}

const shareOf = ({ chunkSize, tokenizer }: SplitOptions, share: number): SplitOptions => ({
  chunkSize: Math.max(1, chunkSize * share),
  tokenizer,
});

function* splitLong(markdown: string, long: Unit, limits: SplitOptions): Generator<Unit> {
  let { start, breakCost } = long;
  while (start < long.end) {
    const latest = reachOf(markdown, start, long.end, limits);
    const end = latest >= long.end ? long.end : cutBefore(markdown, start, latest);
    yield unitOf(markdown, { start, end }, breakCost, limits.tokenizer, true);
    breakCost = BREAK.word;
    start = end;
  }
}

/** The end of the longest stretch from `start` within the weight; at least one character. */
function reachOf(markdown: string, start: number, end: number, limits: SplitOptions): number {
  const { chunkSize: maxWeight, tokenizer } = limits;
  let low = start + 1;
  let high = Math.min(end, start + Math.ceil(maxWeight * MAX_CHARACTERS_A_TOKEN));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokenWeight(markdown, tokenizer, start, middle) <= maxWeight) low = middle;
    else high = middle - 1;
  }
  return low;
}

function* splitCode(markdown: string, block: Block, options: SplitOptions): Generator<Unit> {
  const whole = wholeUnit(markdown, block, BREAK.block, options);
  if (whole !== null) {
    yield whole;
    return;
  }
  let afterBlank = false;
  let breakCost: number = BREAK.block;
  for (const line of linesOf(markdown, block)) {
    const text = markdown.slice(line.start, Math.min(line.end, line.start + LOOK_CHARACTERS));
    if (line.start > block.start) breakCost = codeBreak(text, afterBlank);
    afterBlank = text.trim() === "";
    const unit = unitOf(markdown, line, breakCost, options.tokenizer);
    if (unit.weight <= options.chunkSize) yield unit;
    else yield* splitLong(markdown, unit, shareOf(options, SENTENCE_SHARE));
  }
}

function codeBreak(line: string, afterBlank: boolean): number {
  if (!afterBlank) return BREAK.codeLine;
  return /^\S/.test(line) ? BREAK.row : BREAK.looseCodeLine;
}

function* splitTable(markdown: string, block: Block, options: SplitOptions): Generator<Unit> {
  const ruleStart = markdown.indexOf("\n", block.start) + 1;
  const feed = markdown.indexOf("\n", ruleStart);
  const headerEnd = feed < 0 ? block.end : Math.min(feed + 1, block.end);
  const header = unitOf(
    markdown,
    { start: block.start, end: headerEnd },
    BREAK.block,
    options.tokenizer,
  );
  const repeats = header.weight <= options.chunkSize * HEADER_SHARE;
  const room = repeats ? options.chunkSize - header.weight : options.chunkSize;
  const rowLimits = shareOf({ ...options, chunkSize: room }, SENTENCE_SHARE);
  if (repeats) yield header;
  else yield* splitLong(markdown, header, shareOf(options, SENTENCE_SHARE));
  const { start, end, weight } = header;
  const tableHeader = repeats ? { start, end, weight } : null;
  let breakCost: number = BREAK.glued;
  for (const line of linesOf(markdown, { start: headerEnd, end: block.end })) {
    const row = unitOf(markdown, line, breakCost, options.tokenizer);
    breakCost = BREAK.row;
    const parts = row.weight <= room ? [row] : splitLong(markdown, row, rowLimits);
    for (const part of parts) yield { ...part, mayOverlap: false, tableHeader };
  }
}

function* splitList(
  markdown: string,
  block: Block,
  options: SplitOptions,
  leadIn: Span | null,
): Generator<Unit> {
  let breakCost: number = leadIn === null ? BREAK.block : BREAK.glued;
  for (const item of itemsOf(markdown, block)) {
    if (item.start > block.start) {
      breakCost = item.indent >= LIST_INDENT ? BREAK.nestedItem : BREAK.item;
    }
    for (const unit of splitProse(markdown, item, options, breakCost)) {
      yield unit.start === block.start ? unit : { ...unit, leadIn };
    }
  }
}

function* itemsOf(markdown: string, block: Block): Generator<Span & { indent: number }> {
  let item: (Span & { indent: number }) | null = null;
  for (const line of linesOf(markdown, block)) {
    const text = markdown.slice(line.start, Math.min(line.end, line.start + LOOK_CHARACTERS));
    const marker = LIST_ITEM.exec(text);
    if (marker === null && item !== null) item.end = line.end;
    else {
      if (item !== null) yield item;
      item = { ...line, indent: marker?.[1]?.length ?? 0 };
    }
  }
  if (item !== null) yield item;
}

function* linesOf(markdown: string, span: Span): Generator<Span> {
  let { start } = span;
  while (start < span.end) {
    const feed = markdown.indexOf("\n", start);
    const end = feed < 0 || feed + 1 > span.end ? span.end : feed + 1;
    yield { start, end };
    start = end;
  }
}

const words = new Intl.Segmenter("und", { granularity: "word" });
const SEGMENTED_CHARACTERS = 120;

/** The last white space before `latest`, else a word boundary, else a whole character. */
function cutBefore(text: string, from: number, latest: number): number {
  if (latest >= text.length) return text.length;
  const earliest = from + Math.floor((latest - from) / 2);
  for (let at = latest; at > earliest; at--) if (/\s/.test(text[at - 1] ?? "")) return at;
  const windowStart = Math.max(from, latest - SEGMENTED_CHARACTERS);
  let cut = 0;
  for (const { index } of words.segment(text.slice(windowStart, latest + SEGMENTED_CHARACTERS))) {
    if (windowStart + index <= latest) cut = windowStart + index;
  }
  if (cut > earliest) return cut;
  const splitsPair = /[\udc00-\udfff]/.test(text[latest] ?? "");
  return splitsPair && latest - 1 > from ? latest - 1 : latest;
}
