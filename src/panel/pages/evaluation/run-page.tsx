import { Hono } from "hono";

import { notFound } from "../../../core/errors.ts";
import { listResults, type EvaluationResult } from "../../../db/evaluation/result-store.ts";
import { deleteRun, findRun, type EvaluationRun } from "../../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import type { RunSummary } from "../../../db/schema/evaluation-shapes.ts";
import { MEASURE_NAMES } from "../../../evaluation/measures/summarise.ts";
import { findQuestionSet } from "../../../evaluation/questions/question-sets.ts";
import { Data, LinkButton, Time, Faint } from "../../components/data.tsx";
import { count, counted, duration, money, percent } from "../../components/figures.ts";
import { Facts, Figure } from "../../components/page-head.tsx";
import { Status } from "../../components/status.tsx";
import { Table } from "../../components/table.tsx";
import { page, isAdmin, type PageContext, type PageEnv } from "../page.tsx";
import { removable } from "../request/removal.tsx";
import { NumberedPages, pageIn, runsAddress, trailToRuns } from "./set-parts.tsx";
import { figure, LOOK_EVERY_SECONDS, RunStatus } from "./runs-tab.tsx";
import { settingInWords } from "./setting-fields.tsx";

type Named = { set: QuestionSet; run: EvaluationRun };

export async function runOf(context: PageContext, setKey: string, runId: string): Promise<Named> {
  const services = context.get("services");
  const set = await findQuestionSet(services, setKey);
  const run = await findRun(services.db, set.id, runId);
  if (run === null) throw notFound();
  return { set, run };
}

/** One run: its figures, and what came of each question. */
export function runResultPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  const find = (context: PageContext) => {
    const { set = "", run = "" } = context.req.param();
    return runOf(context, set, run);
  };
  app.get("/:set/runs/:run", async (context) => await runPage(context, await find(context)));

  removable(app, "/:set/runs/:run/remove", async (context) => {
    const { set, run } = await find(context);
    const runs = runsAddress(set);
    return {
      title: "Remove the run",
      place: "evaluation",
      trail: trailToRuns(set),
      name: run.id,
      cancel: `${runs}/${run.id}`,
      says: (
        <p>
          Its figures and the results of its {counted(run.total, "question")} are deleted. No other
          run can be compared with it then.
        </p>
      ),
      audit: ["question-sets.runs.remove", `${set.identifier}/${run.id}`],
      remove: () => deleteRun(context.get("services").db, set.id, run.id),
      to: runs,
      notice: "The run is removed.",
    };
  });
  return app;
}

async function runPage(context: PageContext, { set, run }: Named): Promise<Response> {
  const { db, now } = context.get("services");
  const { number, slice } = pageIn(context);
  const { data, total } = await listResults(db, run.id, slice);
  const here = `${runsAddress(set)}/${run.id}`;
  const remove = <LinkButton href={`${here}/remove`} label="Remove …" kind="danger" />;
  return await page(
    context,
    {
      title: "Run",
      place: "evaluation",
      refreshSeconds: run.status === "running" ? LOOK_EVERY_SECONDS : null,
      trail: trailToRuns(set),
      sub: (
        <>
          <Time at={run.startedAt} now={now()} />, <Data>{settingInWords(run.setting)}</Data>
        </>
      ),
      actions: isAdmin(context) ? remove : null,
    },
    <div id="run" data-live>
      <RunStatus run={run} />
      {run.summary === null ? null : <Figures summary={run.summary} />}
      <Facts facts={madeWith(run)} />
      <h2>Questions</h2>
      <p class="soft">What went wrong stands first.</p>
      <Results results={data} />
      <NumberedPages here={here} number={number} total={total} />
    </div>,
  );
}

/** Facts that are named in more than their own word. */
const FACT_NAMES: Record<string, string> = { missingFiles: "files not in the index" };

const madeWith = ({ facts }: EvaluationRun) =>
  Object.entries(facts).map(([name, value]) => {
    return [FACT_NAMES[name] ?? name, <Data>{String(value ?? "none")}</Data>] as const;
  });

const Figures = ({ summary }: { summary: RunSummary }) => {
  const measured = MEASURE_NAMES.filter((name) => typeof summary.measures[name] === "number");
  const figures = [
    ...measured.map((name) => [name, figure(summary.measures[name])] as const),
    ...spentFigures(summary).map(([name, of]) => [name, of(summary)] as const),
  ];
  return (
    <dl class="figures">
      {figures.map(([name, amount]) => (
        <Figure name={name} amount={amount} />
      ))}
    </dl>
  );
};

type Spent = NonNullable<RunSummary["judge"]>;

const tokensOf = ({ inputTokens, outputTokens }: Spent) => count(inputTokens + outputTokens);
const costOf = ({ cost }: Spent) => (cost === null ? "–" : money(cost.amount, cost.currency));
const ofJudge =
  (of: (spent: Spent) => string) =>
  ({ judge }: RunSummary) =>
    judge === null ? "–" : of(judge);

/** Figures of runs that are no measures; a judge’s if one of them had any. */
export const spentFigures = (...summaries: RunSummary[]) =>
  [
    ["failed", ({ errors }: RunSummary) => count(errors)],
    ["degraded", ({ degradedShare }: RunSummary) => percent(degradedShare, 1)],
    ["p50", ({ p50Ms }: RunSummary) => duration(p50Ms)],
    ["p95", ({ p95Ms }: RunSummary) => duration(p95Ms)],
    ["tokens", tokensOf],
    ["cost", costOf],
    ...(summaries.some(({ judge }) => judge !== null)
      ? ([
          ["judge’s tokens", ofJudge(tokensOf)],
          ["judge’s cost", ofJudge(costOf)],
        ] as const)
      : []),
  ] as const;

const Results = ({ results }: { results: EvaluationResult[] }) => (
  <Table
    label="Questions"
    rows={results}
    empty={null}
    columns={[
      { head: "Question", cell: (result) => <Question result={result} /> },
      { head: "Ranks", numeric: true, cell: ({ ranks }) => ranksInWords(ranks) },
      { head: "Answer", cell: (result) => <Verdict result={result} /> },
      { head: "Time", numeric: true, wide: true, cell: ({ latencyMs }) => duration(latencyMs) },
    ]}
  />
);

const ranksInWords = (ranks: (number | null)[]) =>
  ranks.length === 0 ? "–" : ranks.map((rank) => rank ?? "not found").join(", ");

const Question = ({ result }: { result: EvaluationResult }) => (
  <>
    <Data>{result.question}</Data>
    {result.error === null ? null : (
      <div>
        <Status tone="bad">
          <Data>{result.error}</Data>
        </Status>
      </div>
    )}
    {result.found.length === 0 && result.response === null ? null : (
      <details class="why">
        <summary>What came of it</summary>
        {result.response === null ? null : (
          <p>
            <Data>{result.response}</Data>
          </p>
        )}
        <ol>
          {result.found.map(({ file }) => (
            <li>
              <Data>{file}</Data>
            </li>
          ))}
        </ol>
      </details>
    )}
  </>
);

const Verdict = ({ result: { isRight, why, isDegraded } }: { result: EvaluationResult }) => (
  <>
    {isRight === null ? (
      "–"
    ) : (
      <Status tone={isRight ? "ok" : "bad"}>{isRight ? "right" : "wrong"}</Status>
    )}
    {why === null ? null : <Faint text={why} />}
    {isDegraded ? <Status tone="warn">degraded</Status> : null}
  </>
);
