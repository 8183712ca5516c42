import type { Terminal } from "../terminal.ts";
import type { Comparison, RunSummary } from "./evaluation-api.ts";

const DIGITS = 3;
const figure = (value: number | null) => (value === null ? "–" : value.toFixed(DIGITS));
const signed = (value: number) => `${value > 0 ? "+" : ""}${value.toFixed(DIGITS)}`;

/** Prints the figures of a run and, where two were made, how they differ. */
export function report(
  terminal: Terminal,
  summary: RunSummary,
  comparison: Comparison | null,
): void {
  if (comparison === null) showMeasures(terminal, summary);
  else showDifferences(terminal, comparison);
  const { questions, errors, degradedShare, p50Ms, p95Ms, inputTokens, outputTokens, cost } =
    summary;
  const PERCENT = 100;
  terminal.say(
    [
      `${questions} questions`,
      `${errors} failed`,
      `${(degradedShare * PERCENT).toFixed(1)} % degraded`,
      `p50 ${Math.round(p50Ms)} ms`,
      `p95 ${Math.round(p95Ms)} ms`,
      `${inputTokens + outputTokens} tokens`,
      cost === null ? "no prices" : `${cost.amount.toFixed(DIGITS)} ${cost.currency}`,
    ].join(", "),
  );
}

function showMeasures(terminal: Terminal, { measures }: RunSummary): void {
  const measured = Object.entries(measures).filter(([, value]) => value !== null);
  terminal.table(
    ["measure", "value"],
    measured.map(([name, value]) => [name, figure(value)]),
  );
}

function showDifferences(terminal: Terminal, { measures }: Comparison): void {
  terminal.table(
    ["measure", "setting", "against", "difference", "95 % interval", ""],
    measures.map(({ measure, first, second, difference, isClear }) => [
      measure,
      figure(second),
      figure(first),
      signed(difference.mean),
      `${signed(difference.low)} to ${signed(difference.high)}`,
      isClear ? (difference.mean > 0 ? "better" : "worse") : "may be chance",
    ]),
  );
}
