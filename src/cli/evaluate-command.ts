import { setTimeout as pause } from "node:timers/promises";

import { Command } from "commander";

import type { EvaluationRun as Run, RunSummary } from "./api/clients.ts";
import { missedThresholds, settingIn, thresholdIn, type Threshold } from "./evaluate/arguments.ts";
import { evaluationApi, type EvaluationApi } from "./evaluate/evaluation-api.ts";
import { report } from "./evaluate/report.ts";
import { CommandFailure } from "./failure.ts";
import { afterHelp, collect } from "./run-command.ts";
import { DEFAULT_URL, checkedUrl, keyIn } from "./target-options.ts";
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
  return new Command("evaluate")
    .description("run a question set and measure retrieval and answers")
    .argument("<set>", "identifier of the question set")
    .option(
      "--setting <setting>",
      "settings to change, such as topK=20,useReranking=true",
      "default",
    )
    .option("--against <setting>", "run a second setting and compare")
    .option("--fail-under <measure=value>", "exit with 1 below it (may be repeated)", collect)
    .option("--url <url>", "address of the service", process.env["QUARRY_URL"] ?? DEFAULT_URL)
    .option("--json", "print the figures as JSON")
    .addHelpText(
      "after",
      afterHelp(
        "QUARRY_KEY holds an administrator's automation key; create one in the panel (Settings, Keys).",
      ),
    )
    .action(evaluate);
}

async function evaluate(set: string, options: EvaluateOptions): Promise<void> {
  const thresholds = (options.failUnder ?? []).map(thresholdIn);
  const settings = [options.setting, ...(options.against === undefined ? [] : [options.against])];
  const wished = settings.map(settingIn);
  const baseUrl = checkedUrl(options.url);
  const api = evaluationApi(baseUrl, keyIn(process.env));
  const terminal = openTerminal(options.json === true);
  const done: { run: Run; summary: RunSummary }[] = [];
  for (const [at, setting] of wished.entries()) {
    done.push(await finished(api, { set, label: settings[at] ?? "", setting }, terminal));
  }
  const [first, second] = done;
  if (first === undefined) return;
  const against = second && {
    summary: second.summary,
    comparison: await api.compare(set, second.run.id, first.run.id),
  };
  terminal.result({ run: first.run, against: second?.run, comparison: against?.comparison });
  if (!terminal.json) {
    report(terminal, first.summary, against);
    terminal.say(`Each question: ${api.pageOf(set, first.run.id)}`);
    const missing = first.run.facts["missingFiles"];
    if (missing !== undefined) {
      terminal.warn(`Files that questions expect and the index lacks: ${missing}`);
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

type Wish = { set: string; label: string; setting: Run["setting"] };

/** Starts a run and waits for its end; one that is left alone goes on in the service. */
async function finished(
  api: EvaluationApi,
  { set, label, setting }: Wish,
  terminal: Terminal,
): Promise<{ run: Run; summary: RunSummary }> {
  const started = await api.start(set, setting);
  const run = await ended(api, { set, label, run: started }, terminal).catch((thrown: unknown) => {
    if (!(thrown instanceof CommandFailure)) throw thrown;
    throw new CommandFailure(
      `${thrown.message} The run may still go on: ${api.pageOf(set, started.id)}`,
    );
  });
  const { summary } = run;
  if (summary === null) throw new CommandFailure(`The run failed: ${run.error ?? "no reason"}.`);
  return { run, summary };
}

async function ended(
  api: EvaluationApi,
  { set, label, run: started }: { set: string; label: string; run: Run },
  terminal: Terminal,
): Promise<Run> {
  let run = started;
  const progress = terminal.progress(`Asking (${label})`, run.total);
  try {
    for (let waitMs = FIRST_LOOK_MS; run.status === "running"; waitMs *= 2) {
      progress.update(run.done);
      await pause(Math.min(waitMs, MAX_LOOK_MS));
      run = await api.run(set, run.id);
    }
    progress.update(run.done);
  } finally {
    progress.stop();
  }
  return run;
}
