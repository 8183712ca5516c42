import { Progress, type CooperativeWork } from "../../core/work/cooperative.ts";
import type { Span } from "../extracted-document.ts";
import { pathUnder, type HeadingPath } from "./heading-path.ts";
import { scanBlocks, type Block } from "./scan-blocks.ts";
import { BREAK, UnitSplitter, type SplitOptions, type Unit } from "./split-units.ts";

export type UnitPlace = { unit: Unit; path: HeadingPath };

const MAX_LEAD_IN_CHARACTERS = 400;

/** All units in order, with a cut before every heading of `level`; 0 for no cuts. Numbers: progress. */
export function* placeUnits(
  markdown: string,
  options: SplitOptions,
  cutLevel: number,
): Generator<UnitPlace | "cut" | number> {
  const splitter = new UnitSplitter(markdown, options);
  let path: HeadingPath = [];
  let before: Block | null = null;
  // A heading without text below it is not a chunk: it joins the next one.
  let holdsText = false;
  for (const block of scanBlocks(markdown)) {
    if (typeof block === "number") {
      yield block;
      continue;
    }
    if (block.kind === "heading") {
      if (block.level === cutLevel && holdsText) yield "cut";
      holdsText &&= block.level !== cutLevel;
      path = pathUnder(path, block);
    } else holdsText = true;
    const { leadIn, isGlued } = leadInOf(markdown, before, block);
    const gluedAt = isGlued ? block.start : null;
    for (const unit of splitter.split(block, leadIn)) {
      yield { unit: unit.start === gluedAt ? { ...unit, breakCost: BREAK.glued } : unit, path };
    }
    before = block;
  }
}

/** The shallowest level of the document's headings; 0 where none begins a chunk. */
export function* levelOfCuts(markdown: string, isShort: boolean): CooperativeWork<number> {
  const progress = new Progress();
  let level = Infinity;
  let count = 0;
  for (const block of scanBlocks(markdown)) {
    yield* typeof block === "number" ? [block] : progress.advanceTo(block.end);
    if (typeof block === "number" || block.kind !== "heading") continue;
    if (block.level < level) [level, count] = [block.level, 0];
    if (block.level === level) count++;
    if (level === 1 && !isShort) return level;
  }
  return count === 0 || (isShort && count === 1) ? 0 : level;
}

function leadInOf(markdown: string, before: Block | null, block: Block) {
  if (before?.kind === "heading") return { leadIn: null, isGlued: true };
  const isGlued = isLeadIn(markdown, before, block);
  const isNamed = isGlued && block.kind === "list" && before?.kind === "paragraph";
  return { leadIn: isNamed ? before : null, isGlued };
}

function isLeadIn(
  markdown: string,
  before: (Span & { kind: string }) | null,
  block: Block,
): boolean {
  if (block.kind === "paragraph" || block.kind === "heading") return false;
  const isItem = before?.kind === "list" && block.kind !== "list";
  if (before?.kind !== "paragraph" && !isItem) return false;
  const { start, end } = before;
  if (!isItem && end - start > MAX_LEAD_IN_CHARACTERS) return false;
  return /[:：]\s*$/.test(markdown.slice(Math.max(start, end - MAX_LEAD_IN_CHARACTERS), end));
}
