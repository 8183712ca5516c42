import { setTimeout as pause } from "node:timers/promises";

import { Command } from "commander";

import {
  dataOf,
  panelApi,
  type EvaluationRun as Run,
  type PanelApi,
  type RunSummary,
} from "./api/clients.ts";
import { missedThresholds, settingIn, thresholdIn, type Threshold } from "./evaluate/arguments.ts";
import { report } from "./evaluate/report.ts";
import { CommandFailure } from "./failure.ts";
import { collect } from "./run-command.ts";
import { checkedUrl, keyIn, withTarget } from "./target-options.ts";
import type { Progress } from "./progress.ts";
import { openTerminal } from "./terminal.ts";

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
  const url = checkedUrl(options.url);
  const api = panelApi(url, keyIn(process.env));
  const terminal = openTerminal(options.json === true);
  const pageOf = (run: string) => `${url}/panel/evaluation/${set}/runs/${run}`;
  const done: { run: Run; summary: RunSummary }[] = [];
  for (const [at, setting] of settings.entries()) {
    const path = { path: { id: set } };
    const started = await dataOf(
      api.POST("/question-sets/{id}/runs", { params: path, body: { setting } }),
    );
    using progress = terminal.progress(`Asking (${labels[at]})`, started.total);
    const run = await ended(api, set, started, progress).catch(orStillGoing(pageOf(started.id)));
    const { summary } = run;
    if (summary === null) throw new CommandFailure(`The run failed: ${run.error ?? "no reason"}.`);
    done.push({ run, summary });
  }
  const [first, second] = done;
  if (first === undefined) return;
  const against = second && {
    summary: second.summary,
    comparison: await compared(api, set, second.run.id, first.run.id),
  };
  terminal.result({ run: first.run, against: second?.run, comparison: against?.comparison });
  if (!terminal.json) {
    report(terminal, first.summary, against);
    terminal.say(`Each question: ${pageOf(first.run.id)}`);
    const missing = first.run.facts["missingFiles"];
    if (missing !== undefined) {
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
const orStillGoing = (page: string) => (thrown: unknown) => {
  if (!(thrown instanceof CommandFailure)) throw thrown;
  throw new CommandFailure(`${thrown.message} The run may still be in progress: ${page}`);
};

/** Waits for the end of a run, also while its service is started again. */
async function ended(api: PanelApi, set: string, started: Run, progress: Progress): Promise<Run> {
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

function compared(api: PanelApi, id: string, run: string, other: string) {
  const params = { path: { id, run }, query: { with: other } };
  const { repeating: fetch } = api;
  return dataOf(api.GET("/question-sets/{id}/runs/{run}/comparison", { params, fetch }));
}
