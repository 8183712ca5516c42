import { Progress } from "../../core/stretches.ts";
import type { Stretches } from "../../core/stretches.ts";
import { pathUnder } from "./heading-path.ts";
import type { HeadingPath } from "./heading-path.ts";
import { scanBlocks } from "./scan-blocks.ts";
import type { Block } from "./scan-blocks.ts";
import { BREAK, splitBlock } from "./split-units.ts";
import type { Span, SplitOptions, Unit } from "./split-units.ts";

/** A unit and the headings that it stands under. */
export type Placed = { unit: Unit; path: HeadingPath };

const LEAD_IN_MAX_CHARACTERS = 400;

/** All units in order, and a cut before every heading of a level; 0 for no cuts. */
export function* placedUnits(
  markdown: string,
  options: SplitOptions,
  cutLevel: number,
): Generator<Placed | "cut"> {
  let path: HeadingPath = [];
  let before: Block | null = null;
  for (const block of scanBlocks(markdown)) {
    if (block.kind === "heading") {
      if (block.level === cutLevel && before !== null) yield "cut";
      path = pathUnder(path, block);
    }
    const lead = introduces(markdown, before, block);
    const leadIn = lead && block.kind === "list" ? before : null;
    const gluedAt = lead || before?.kind === "heading" ? block.start : null;
    for (const unit of splitBlock(markdown, block, options, leadIn)) {
      yield { unit: unit.start === gluedAt ? { ...unit, breakCost: BREAK.glued } : unit, path };
    }
    before = block;
  }
}

/**
 * Which headings begin a chunk: the shallowest that the document has. A short document may join
 * what stands before its only top heading. 0 for none.
 */
export function* levelOfCuts(markdown: string, isShort: boolean): Stretches<number> {
  const progress = new Progress();
  let level = Infinity;
  let count = 0;
  for (const { kind, level: found, end } of scanBlocks(markdown)) {
    const stretch = progress.stretchTo(end);
    if (stretch > 0) yield stretch;
    if (kind !== "heading") continue;
    if (found < level) [level, count] = [found, 0];
    if (found === level) count++;
    if (level === 1 && !isShort) return level;
  }
  return count === 0 || (isShort && count === 1) ? 0 : level;
}

/** Whether the paragraph before ends in a colon and leads into this block. */
function introduces(
  markdown: string,
  before: (Span & { kind: string }) | null,
  block: Block,
): boolean {
  if (before?.kind !== "paragraph" || block.kind === "paragraph" || block.kind === "heading") {
    return false;
  }
  if (before.end - before.start > LEAD_IN_MAX_CHARACTERS) return false;
  return /[:：]\s*$/.test(markdown.slice(before.start, before.end));
}
