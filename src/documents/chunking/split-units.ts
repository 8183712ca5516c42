import { sentenceEnds } from "../../text/sentences.ts";
import { tokenWeight, type Tokenizer } from "../../text/tokens.ts";
import type { Span } from "../extracted-document.ts";
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
/** If a row fits below it: figures alone say nothing. */
const WIDE_HEADER_SHARE = 0.6;
/** Sentences longer than this share of a chunk are cut, so that chunks can be filled. */
const SENTENCE_SHARE = 0.5;
const LIST_INDENT = 2;
const LOOK_CHARACTERS = 200;
/** No script has more characters per token, white space aside. */
export const MAX_CHARACTERS_A_TOKEN = 20;
/** More white space than any block of little text has. */
const LONG_BLOCK = 1 << 16;

/** Splits the blocks of a text into units. */
export class UnitSplitter {
  readonly #markdown: string;
  readonly #tokenizer: Tokenizer;
  readonly #chunkSize: number;

  constructor(markdown: string, { chunkSize, tokenizer }: SplitOptions) {
    this.#markdown = markdown;
    this.#tokenizer = tokenizer;
    this.#chunkSize = chunkSize;
  }

  *split(block: Block, leadIn: Span | null): Generator<Unit> {
    const { kind } = block;
    if (kind === "heading") yield* this.#splitHeading(block);
    else if (kind === "code") yield* this.#splitCode(block);
    else if (kind === "table") yield* this.#splitTable(block);
    else if (kind === "list") yield* this.#splitList(block, leadIn);
    else yield* this.#splitProse(block, BREAK.block);
  }

  #unitOf({ start, end }: Span, breakCost: number, mayOverlap = false): Unit {
    const weight = this.#weightOf(start, end);
    return { start, end, weight, breakCost, level: 0, mayOverlap, tableHeader: null, leadIn: null };
  }

  #weightOf(start: number, end: number): number {
    return tokenWeight(this.#markdown, this.#tokenizer, start, end);
  }

  /** The unit of a whole block; null where it is too large, by its length or its weight. */
  #wholeUnit(block: Block, breakCost: number): Unit | null {
    const longest = Math.max(this.#chunkSize * MAX_CHARACTERS_A_TOKEN, LONG_BLOCK);
    if (block.end - block.start > longest) return null;
    const unit = this.#unitOf(block, breakCost);
    return unit.weight <= this.#chunkSize ? unit : null;
  }

  *#splitHeading(block: Block): Generator<Unit> {
    const whole = this.#wholeUnit(block, BREAK.heading);
    if (whole !== null) yield { ...whole, level: block.level };
    else yield* this.#splitProse(block, BREAK.heading);
  }

  *#splitProse(span: Span, firstBreak: number): Generator<Unit> {
    const limit = sentenceLimit(this.#chunkSize);
    let { start } = span;
    let breakCost = firstBreak;
    for (const end of sentenceEnds(this.#markdown, span.start, span.end)) {
      const sentence = this.#unitOf({ start, end }, breakCost, true);
      if (sentence.weight <= limit) yield sentence;
      else yield* this.#splitLong(sentence, limit);
      breakCost = isSentenceEnd(this.#markdown, end) ? BREAK.sentence : BREAK.line;
      start = end;
    }
  }

  *#splitLong(long: Unit, limit: number): Generator<Unit> {
    let { start, breakCost } = long;
    while (start < long.end) {
      const latest = this.#reachOf(start, long.end, limit);
      const end = latest >= long.end ? long.end : findCut(this.#markdown, start, latest);
      yield this.#unitOf({ start, end }, breakCost, true);
      breakCost = BREAK.word;
      start = end;
    }
  }

  /** The end of the longest stretch from `start` within the weight; at least one character. */
  #reachOf(start: number, end: number, limit: number): number {
    let low = start + 1;
    let high = Math.min(end, start + Math.ceil(limit * MAX_CHARACTERS_A_TOKEN));
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#weightOf(start, middle) <= limit) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  *#splitCode(block: Block): Generator<Unit> {
    const whole = this.#wholeUnit(block, BREAK.block);
    if (whole !== null) {
      yield whole;
      return;
    }
    let afterBlank = false;
    let breakCost: number = BREAK.block;
    for (const line of this.#linesOf(block)) {
      if (line.start > block.start) breakCost = codeBreak(line.text, afterBlank);
      afterBlank = line.text.trim() === "";
      const unit = this.#unitOf(line, breakCost);
      if (unit.weight <= this.#chunkSize) yield unit;
      else yield* this.#splitLong(unit, sentenceLimit(this.#chunkSize));
    }
  }

  *#splitTable(block: Block): Generator<Unit> {
    const ruleStart = this.#markdown.indexOf("\n", block.start) + 1;
    const feed = this.#markdown.indexOf("\n", ruleStart);
    const headerEnd = feed < 0 ? block.end : Math.min(feed + 1, block.end);
    const header = this.#unitOf({ start: block.start, end: headerEnd }, BREAK.block);
    const rows = { start: headerEnd, end: block.end };
    const [firstRow = rows] = this.#linesOf(rows);
    const fits = header.weight + this.#weightOf(firstRow.start, firstRow.end) <= this.#chunkSize;
    const repeats = header.weight <= this.#chunkSize * (fits ? WIDE_HEADER_SHARE : HEADER_SHARE);
    const room = repeats ? this.#chunkSize - header.weight : this.#chunkSize;
    if (repeats) yield header;
    else yield* this.#splitLong(header, sentenceLimit(this.#chunkSize));
    const { start, end, weight } = header;
    const tableHeader = repeats ? { start, end, weight } : null;
    let breakCost: number = BREAK.glued;
    for (const line of this.#linesOf(rows)) {
      const row = this.#unitOf(line, breakCost);
      breakCost = BREAK.row;
      const parts = row.weight <= room ? [row] : this.#splitLong(row, sentenceLimit(room));
      for (const part of parts) yield { ...part, mayOverlap: false, tableHeader };
    }
  }

  *#splitList(block: Block, leadIn: Span | null): Generator<Unit> {
    let breakCost: number = leadIn === null ? BREAK.block : BREAK.glued;
    for (const item of this.#itemsOf(block)) {
      if (item.start > block.start) {
        breakCost = item.indent >= LIST_INDENT ? BREAK.nestedItem : BREAK.item;
      }
      for (const unit of this.#splitProse(item, breakCost)) {
        yield unit.start === block.start ? unit : { ...unit, leadIn };
      }
    }
  }

  *#itemsOf(block: Block): Generator<Span & { indent: number }> {
    let item: (Span & { indent: number }) | null = null;
    for (const { start, end, text } of this.#linesOf(block)) {
      const marker = LIST_ITEM.exec(text);
      if (marker === null && item !== null) item.end = end;
      else {
        if (item !== null) yield item;
        item = { start, end, indent: marker?.[1]?.length ?? 0 };
      }
    }
    if (item !== null) yield item;
  }

  /** `text`: the beginning of the line. */
  *#linesOf(span: Span): Generator<Span & { text: string }> {
    let { start } = span;
    while (start < span.end) {
      const feed = this.#markdown.indexOf("\n", start);
      const end = feed < 0 || feed + 1 > span.end ? span.end : feed + 1;
      yield {
        start,
        end,
        text: this.#markdown.slice(start, Math.min(end, start + LOOK_CHARACTERS)),
      };
      start = end;
    }
  }
}

const sentenceLimit = (chunkSize: number) => Math.max(1, chunkSize * SENTENCE_SHARE);

function isSentenceEnd(markdown: string, end: number): boolean {
  return /[.!?:…。！？؟।]["'”’»)\]」』]*\s*$/.test(markdown.slice(Math.max(0, end - 12), end));
}

function codeBreak(line: string, afterBlank: boolean): number {
  if (!afterBlank) return BREAK.codeLine;
  return /^\S/.test(line) ? BREAK.row : BREAK.looseCodeLine;
}

const words = new Intl.Segmenter("und", { granularity: "word" });
const SEGMENTED_CHARACTERS = 120;

/** The last white space before `latest`, else a word boundary, else a whole character. */
function findCut(text: string, from: number, latest: number): number {
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
