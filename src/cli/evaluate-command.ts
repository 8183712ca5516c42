import { Command } from "commander";
import { setTimeout as pause } from "node:timers/promises";

import { settingShape } from "../core/input/run-setting.ts";
import { MEASURE_NAMES as MEASURES } from "../evaluation/measures/summarise.ts";
import {
  dataOf,
  panelApi,
  type Comparison,
  type EvaluationRun,
  type PanelApi,
  type RunSummary,
} from "./api/clients.ts";
import { CommandFailure } from "./failure.ts";
import type { Progress } from "./progress.ts";
import { collect } from "./run-command.ts";
import { parseServiceUrl, keyIn, withTarget } from "./target-options.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

type EvaluateOptions = {
  url: string;
  setting: string;
  against?: string;
  failUnder?: string[];
  json?: true;
};

/** Between two looks at a run; doubles, so that a short run is not waited for. */
const FIRST_LOOK_MS = 100;
const MAX_LOOK_MS = 1_000;

export function evaluateCommand(): Command {
  return withTarget(new Command("evaluate"), "QUARRY_KEY", "the figures")
    .description("run a question set and measure retrieval and answers")
    .argument("<set>", "identifier of the question set")
    .option(
      "--setting <setting>",
      "settings to change, such as topK=20,useReranking=true",
      "default",
    )
    .option("--against <setting>", "run a second setting and compare")
    .option("--fail-under <measure=value>", "exit with 1 below it (may be repeated)", collect)
    .action(evaluate);
}

async function evaluate(set: string, options: EvaluateOptions): Promise<void> {
  const thresholds = (options.failUnder ?? []).map(thresholdIn);
  const labels = [options.setting, ...(options.against === undefined ? [] : [options.against])];
  const settings = labels.map(settingIn);
  const url = parseServiceUrl(options.url);
  const api = panelApi(url, keyIn(process.env));
  const terminal = openTerminal(options.json === true);
  const pageOf = (run: string) => `${url}/panel/evaluation/${set}/runs/${run}`;
  const finishedRuns: { run: EvaluationRun; summary: RunSummary }[] = [];
  for (const [at, setting] of settings.entries()) {
    const path = { path: { id: set } };
    const started = await dataOf(
      api.POST("/question-sets/{id}/runs", { params: path, body: { setting } }),
    );
    using progress = terminal.progress(`Asking (${labels[at]})`, started.total);
    const run = await waitForRun(api, set, started, progress).catch(addRunPage(pageOf(started.id)));
    const { summary } = run;
    if (summary === null) throw new CommandFailure(`The run failed: ${run.error ?? "no reason"}.`);
    finishedRuns.push({ run, summary });
  }
  const [first, second] = finishedRuns;
  if (first === undefined) return;
  const comparison = second && (await fetchComparison(api, set, second.run.id, first.run.id));
  terminal.result({ run: first.run, against: second?.run, comparison });
  if (!terminal.json) {
    report(terminal, finishedRuns, comparison);
    terminal.say(`Each question: ${pageOf(first.run.id)}`);
    const missing = first.run.facts["missingFiles"];
    if (typeof missing === "string") {
      terminal.warn(`Expected files that are not in the index: ${missing}`);
    }
  }
  refuse(thresholds, first.summary);
}

/** @throws CommandFailure for thresholds that are not reached, or a run that measured nothing. */
function refuse(thresholds: Threshold[], summary: RunSummary): void {
  if (summary.errors === summary.questions) {
    throw new CommandFailure("Every question failed. The page of the run gives the reasons.");
  }
  const missed = missedThresholds(thresholds, summary);
  if (missed.length > 0) throw new CommandFailure(`${missed.join("; ")}.`);
}

/** A run that is left alone continues in the service. */
const addRunPage = (page: string) => (thrown: unknown) => {
  if (!(thrown instanceof CommandFailure)) throw thrown;
  throw new CommandFailure(`${thrown.message} The run may still be in progress: ${page}`);
};

/** Waits for the end of a run, also while its service is started again. */
async function waitForRun(api: PanelApi, set: string, started: EvaluationRun, progress: Progress) {
  const params = { path: { id: set, run: started.id } };
  const { repeating: fetch } = api;
  let run = started;
  for (let waitMs = FIRST_LOOK_MS; run.status === "running"; waitMs *= 2) {
    progress.update(run.done);
    await pause(Math.min(waitMs, MAX_LOOK_MS));
    run = await dataOf(api.GET("/question-sets/{id}/runs/{run}", { params, fetch }));
  }
  progress.update(run.done);
  return run;
}

function fetchComparison(api: PanelApi, id: string, run: string, otherRun: string) {
  const params = { path: { id, run }, query: { with: otherRun } };
  const { repeating: fetch } = api;
  return dataOf(api.GET("/question-sets/{id}/runs/{run}/comparison", { params, fetch }));
}

const DIGITS = 3;
/** A run of some questions costs cents. */
const COST_DIGITS = 4;
const figure = (value: number | null) => (value === null ? "–" : value.toFixed(DIGITS));
const signedFigure = (value: number) => `${value > 0 ? "+" : ""}${value.toFixed(DIGITS)}`;

type Difference = Comparison["measures"][number]["difference"];

function report(terminal: Terminal, runs: { summary: RunSummary }[], comparison?: Comparison) {
  if (comparison !== undefined) showDifferences(terminal, comparison);
  for (const [at, { summary }] of runs.entries()) {
    if (comparison === undefined) showMeasures(terminal, summary);
    const label = comparison === undefined ? "" : `${at === 0 ? "setting" : "against"}: `;
    terminal.say(`${label}${summaryLine(summary)}`);
  }
}

const PERCENT = 100;

function summaryLine(summary: RunSummary): string {
  const { questions, errors, degradedShare, p50Ms, p95Ms, judge } = summary;
  return [
    questions === 1 ? "1 question" : `${questions} questions`,
    `${errors} failed`,
    `${(degradedShare * PERCENT).toFixed(1)} % degraded`,
    `p50 ${Math.round(p50Ms)} ms`,
    `p95 ${Math.round(p95Ms)} ms`,
    spendingInWords(summary),
    ...(judge === null ? [] : [`judge ${spendingInWords(judge)}`]),
  ].join(", ");
}

type JudgeUsage = NonNullable<RunSummary["judge"]>;

function spendingInWords({ inputTokens, outputTokens, cost }: JudgeUsage): string {
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
      signedFigure(difference.mean),
      `${signedFigure(difference.low)} to ${signedFigure(difference.high)}`,
      meaningOf(difference, isClear),
    ]),
  );
}

function meaningOf({ mean, low, high }: Difference, isClear: boolean): string {
  if (low === 0 && high === 0) return "no difference";
  if (!isClear) return "may be chance";
  return mean > 0 ? "better" : "worse";
}

const NAMES = Object.keys(settingShape.shape);

/**
 * A setting as it is written on the command line: `topK=20,reranker=embedded/lexical`; `default` is
 * the resource as it is.
 * @throws CommandFailure
 */
export function settingIn(text: string): EvaluationRun["setting"] {
  if (text.trim() === "" || text.trim() === "default") return {};
  const pairs = text.split(",").map((part) => {
    const [wished, value] = pairIn(part);
    const name = NAMES.find((candidate) => candidate === wished);
    if (value === undefined || name === undefined) {
      const names = NAMES.join(", ");
      throw new CommandFailure(
        `"${part.trim()}" is not a setting: write NAME=VALUE with ${names}.`,
      );
    }
    return [name, valueOf(value)] as const;
  });
  const parsed = settingShape.safeParse(Object.fromEntries(pairs));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no field is undefined
  if (parsed.success) return parsed.data as EvaluationRun["setting"];
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new CommandFailure(`${wrong.join("; ")}.`);
}

function pairIn(text: string): [name: string, value: string | undefined] {
  const [name = "", ...rest] = text.split("=");
  return [name.trim(), rest.length === 0 ? undefined : rest.join("=").trim()];
}

const NAMED: Record<string, unknown> = { true: true, false: false, none: null, null: null };

function valueOf(text: string): unknown {
  if (Object.hasOwn(NAMED, text)) return NAMED[text];
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** The least value of a measure, 0 to 1. */
type Threshold = { measure: string; least: number };

/** `recall@5=0.8`. @throws CommandFailure */
export function thresholdIn(text: string): Threshold {
  const [name, limit] = pairIn(text);
  const measure = MEASURES.find((candidate) => candidate === name.toLowerCase());
  const least = Number(limit);
  if (limit === undefined || measure === undefined) {
    throw new CommandFailure(`--fail-under ${text}: write MEASURE=VALUE, ${MEASURES.join(", ")}.`);
  }
  if (limit === "" || !(least >= 0 && least <= 1)) {
    throw new CommandFailure(`--fail-under ${text}: the value must be between 0 and 1.`);
  }
  return { measure, least };
}

/** A sentence for each threshold that is not reached, or that nothing was measured for. */
export function missedThresholds(
  thresholds: readonly Threshold[],
  { questions, errors, measures }: Pick<RunSummary, "questions" | "errors" | "measures">,
): string[] {
  return thresholds.flatMap(({ measure, least }) => {
    const value = measures[measure] ?? null;
    if (value === null) return [`${measure} was not measured: no question tests it`];
    const result = `${measure} is ${value.toFixed(3)}`;
    if (value < least) return [`${result}, below ${least}`];
    // Answers that could not be judged are not in the figure, and may all be wrong.
    const lowest = measure === "answers" ? value * (1 - errors / questions) : value;
    if (lowest >= least) return [];
    return [
      `${result}, but ${errors} of ${questions} questions failed: ${least} may not be reached`,
    ];
  });
}
