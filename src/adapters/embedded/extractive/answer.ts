import { questionOf } from "./question.ts";
import { byScore, type Scored } from "./score.ts";
import { unitsOf, type Passage, type Span } from "./units.ts";

const CLOSEST = "The documents do not say it outright; closest is:\n\n";
/** A longer quotation is broken off at a line's end, says so, and is only the closest. */
const MAX_QUOTED_CHARACTERS = 4_000;
const BROKEN_OFF = "\n[…]";

/** What is quoted of the passages; null where nothing fits. */
export function quotationOf<P extends Passage>(request: string, passages: P[]) {
  const scored = byScore(passages.flatMap(unitsOf), passages, questionOf(request));
  const [best] = scored;
  const passage = passages[best?.unit.passage ?? -1];
  if (best === undefined || passage === undefined) return null;
  const spans = withEqualRows(best, scored);
  const pieces = spans.map(({ start, end }) => passage.text.slice(start, end));
  const whole = pieces.join("");
  const text = whole.length <= MAX_QUOTED_CHARACTERS ? whole : beginningOf(whole);
  const isCertain = best.isCertain && text === whole;
  const before = isCertain ? "" : CLOSEST;
  let at = before.length;
  const stretches = pieces.map((piece) => {
    const start = at + piece.search(/[^\n]|$/);
    at += piece.length;
    return { start, end: Math.min(at, before.length + text.length) };
  });
  const { source } = passage;
  const { heading, above } = best.unit;
  return {
    passage,
    place: source.includes(heading) ? source : `${source} › ${heading}`,
    above: [...above].join(" "),
    /** Nothing but words is taken from a quotation that is only the closest. */
    certain: isCertain ? text : "",
    said: `${before}${text}${text === whole ? "" : BROKEN_OFF}`,
    /** Where in `said` the passage's own words stand. */
    stretches: stretches.filter(({ start, end }) => start < end),
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
