import type { Terminal } from "../terminal.ts";
import type { Comparison, RunSummary } from "../api/clients.ts";

const DIGITS = 3;
/** A run of some questions costs cents. */
const COST_DIGITS = 4;
const figure = (value: number | null) => (value === null ? "–" : value.toFixed(DIGITS));
const signed = (value: number) => `${value > 0 ? "+" : ""}${value.toFixed(DIGITS)}`;

type Difference = Comparison["measures"][number]["difference"];

type Against = { summary: RunSummary; comparison: Comparison };

export function report(terminal: Terminal, summary: RunSummary, against?: Against): void {
  if (against === undefined) {
    showMeasures(terminal, summary);
    terminal.say(inALine(summary));
    return;
  }
  showDifferences(terminal, against.comparison);
  terminal.say(`setting: ${inALine(summary)}`);
  terminal.say(`against: ${inALine(against.summary)}`);
}

const PERCENT = 100;

function inALine(summary: RunSummary): string {
  const { questions, errors, degradedShare, p50Ms, p95Ms, judge } = summary;
  return [
    questions === 1 ? "1 question" : `${questions} questions`,
    `${errors} failed`,
    `${(degradedShare * PERCENT).toFixed(1)} % degraded`,
    `p50 ${Math.round(p50Ms)} ms`,
    `p95 ${Math.round(p95Ms)} ms`,
    spentInWords(summary),
    ...(judge === null ? [] : [`judge ${spentInWords(judge)}`]),
  ].join(", ");
}

type Spent = NonNullable<RunSummary["judge"]>;

function spentInWords({ inputTokens, outputTokens, cost }: Spent): string {
  const price =
    cost === null ? "no prices" : `${cost.amount.toFixed(COST_DIGITS)} ${cost.currency}`;
  return `${inputTokens + outputTokens} tokens, ${price}`;
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
    ["measure", "setting", "against", "change", "95 % range", ""],
    measures.map(({ measure, first, second, difference, isClear }) => [
      measure,
      figure(second),
      figure(first),
      signed(difference.mean),
      `${signed(difference.low)} to ${signed(difference.high)}`,
      meaningOf(difference, isClear),
    ]),
  );
}

function meaningOf({ mean, low, high }: Difference, isClear: boolean): string {
  if (low === 0 && high === 0) return "no difference";
  if (!isClear) return "may be chance";
  return mean > 0 ? "better" : "worse";
}
