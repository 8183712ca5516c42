import { questionOf } from "./question.ts";
import { byScore } from "./score.ts";
import type { Scored } from "./score.ts";
import { unitsOf } from "./units.ts";
import type { Passage, Span, Unit } from "./units.ts";

const NOTHING_FOUND = "The documents do not seem to say.";
const CLOSEST = "The documents do not say it outright; closest is:\n\n";
/** A longer quotation is broken off at a line's end, says so, and is only the closest. */
const MAX_QUOTED_CHARACTERS = 4_000;
const BROKEN_OFF = "\n[…]";

/** `said`: the quotation, with words before it if it is only the closest. */
export type Quotation = {
  unit: Unit;
  text: string;
  said: string;
  isCertain: boolean;
  /** Where in `said` the passage's own words stand. */
  stretches: Span[];
};

/** What the best passage says, with its source; or that the documents do not say it. */
export function answerOf(passages: Passage[], quotation: Quotation | null): string {
  if (quotation === null) return NOTHING_FOUND;
  const { unit, said } = quotation;
  const source = passages[unit.passage]?.source ?? "";
  if (source === "") return said;
  return `${said}\n\nSource: ${source}${source.includes(unit.heading) ? "" : ` › ${unit.heading}`}`;
}

/** What is quoted of the passages; null where nothing fits. */
export function quotationOf(request: string, passages: Passage[]): Quotation | null {
  const scored = byScore(passages.flatMap(unitsOf), passages, questionOf(request));
  const [best] = scored;
  if (best === undefined) return null;
  const passage = passages[best.unit.passage]?.text ?? "";
  const pieces = withEqualRows(best, scored).map(({ start, end }) => passage.slice(start, end));
  const whole = pieces.join("");
  const isWhole = whole.length <= MAX_QUOTED_CHARACTERS;
  const text = isWhole ? whole : beginningOf(whole);
  const isCertain = best.isCertain && isWhole;
  const before = isCertain ? "" : CLOSEST;
  const limit = before.length + text.length;
  let end = before.length;
  const stretches = pieces.map((piece) => {
    const start = end + piece.search(/[^\n]|$/);
    end += piece.length;
    return { start, end: Math.min(end, limit) };
  });
  return {
    unit: best.unit,
    text,
    said: `${before}${text}${isWhole ? "" : BROKEN_OFF}`,
    isCertain,
    stretches: stretches.filter((stretch) => stretch.start < stretch.end),
  };
}

/** Rows that answer as well as the best one are quoted with it, in their order. */
function withEqualRows({ unit, score }: Scored, scored: Scored[]): Span[] {
  const [before, row, after] = unit.spans;
  if (before === undefined || row === undefined || after === undefined) return unit.spans;
  const rows = scored.flatMap((one) => {
    const [start, own] = one.unit.spans;
    const isEqual = one.score >= score && one.unit.passage === unit.passage;
    return isEqual && own !== undefined && start?.end === before.end ? [own] : [];
  });
  return [before, ...rows.toSorted((a, b) => a.start - b.start), after];
}

function beginningOf(text: string): string {
  const lineEnd = text.lastIndexOf("\n", MAX_QUOTED_CHARACTERS);
  const kept = text.slice(0, lineEnd > 0 ? lineEnd : MAX_QUOTED_CHARACTERS);
  return kept.replace(/\p{Surrogate}$/u, "");
}
