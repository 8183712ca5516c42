import { listResults, type EvaluationResult } from "../../../db/evaluation/result-store.ts";
import type { EvaluationRun } from "../../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import type { RunSummary } from "../../../db/schema/evaluation.ts";
import { MEASURE_NAMES } from "../../../evaluation/measures/summarise.ts";
import { runOf, runRemoval, type RunOfSet } from "../../api/evaluation/runs.ts";
import { Data, DataLink, LinkButton, Time, Faint, Status } from "../../components/data.tsx";
import { count, countText, duration, money, percent } from "../../components/figures.ts";
import { Facts, Figure } from "../../components/page-head.tsx";
import { Table } from "../../components/table.tsx";
import { BUSY_SECONDS, lookUp, page, isAdmin, type PageContext, type Pages } from "../page.tsx";
import { sliceIn, Part } from "../request/list.tsx";
import { figure, RunStatus } from "./runs-tab.tsx";
import { measureWords, QUESTIONS_A_PAGE, runsAddress, setAddress } from "./set-parts.tsx";
import { trailToRuns } from "./set-parts.tsx";
import { FACT_NAMES, settingInWords } from "./setting-fields.tsx";

export function runResultPages(pages: Pages): void {
  const ofRun = pages.forRecord(lookUp(runOf));
  ofRun.get("/:set/runs/:run", (context, subject) => runPage(context, subject));
  ofRun.removal("/:set/runs/:run/remove", runRemoval, (_context, { set, run }) => ({
    subject: { set, run },
    title: "Remove the run",
    trail: trailToRuns(set),
    name: run.id,
    cancel: `${runsAddress(set)}/${run.id}`,
    says: (
      <p>
        The figures and results of its {countText(run.total, "question")} are deleted. It can no
        longer be compared.
      </p>
    ),
  }));
}

async function runPage(context: PageContext, { set, run }: RunOfSet): Promise<Response> {
  const slice = sliceIn(context, QUESTIONS_A_PAGE);
  const { data, total } = await listResults(context.get("services").db, run.id, slice);
  const address = `${runsAddress(set)}/${run.id}`;
  const remove = <LinkButton href={`${address}/remove`} label="Remove …" kind="danger" />;
  return await page(
    context,
    {
      title: "Run",
      refreshSeconds: run.status === "running" ? BUSY_SECONDS : null,
      trail: trailToRuns(set),
      sub: (
        <>
          <Time at={run.startedAt} />, <Data>{settingInWords(run.setting)}</Data>
        </>
      ),
      actions: isAdmin(context) ? remove : null,
    },
    <div id="run" data-live>
      <RunStatus run={run} />
      {run.summary === null ? null : <Figures summary={run.summary} />}
      <Facts pairs={factRows(run)} />
      <h2>Questions</h2>
      <p class="soft">Questions that went wrong come first.</p>
      <Table
        label="Questions"
        rows={data}
        empty={null}
        columns={[
          { head: "Question", cell: (result) => <Question set={set} result={result} /> },
          { head: "Expected", cell: (result) => <Expected of={result} /> },
          { head: "Found", wide: true, cell: (result) => <Found of={result} /> },
          { head: "Answer", cell: (result) => <Verdict result={result} /> },
          { head: "Time", numeric: true, wide: true, cell: ({ latencyMs }) => duration(latencyMs) },
        ]}
      />
      <Part here={address} {...slice} total={total} unit="result" />
    </div>,
  );
}

const factRows = ({ facts }: EvaluationRun) =>
  Object.entries(facts).map(([name, value]) => {
    return [FACT_NAMES[name] ?? name, <Data>{String(value ?? "none")}</Data>] as const;
  });

const Figures = ({ summary }: { summary: RunSummary }) => {
  const measured = MEASURE_NAMES.filter((name) => typeof summary.measures[name] === "number");
  const figures = [
    ...measured.map((measure) => {
      const { name, term } = measureWords[measure];
      return { name, term, amount: figure(summary.measures[measure]) };
    }),
    ...usageFigures(summary).map(([name, amountOf]) => ({ name, amount: amountOf(summary) })),
  ];
  return (
    <dl class="figures">
      {figures.map((figure) => (
        <Figure {...figure} />
      ))}
    </dl>
  );
};

type JudgeUsage = NonNullable<RunSummary["judge"]>;

const tokensOf = ({ inputTokens, outputTokens }: JudgeUsage) => count(inputTokens + outputTokens);
const costOf = ({ cost }: JudgeUsage) => (cost === null ? "–" : money(cost.amount, cost.currency));
const textOfJudge =
  (textOf: (spent: JudgeUsage) => string) =>
  ({ judge }: RunSummary) =>
    judge === null ? "–" : textOf(judge);

/** Figures of runs that are no measures; a judge’s if one of them had any. */
export const usageFigures = (...summaries: RunSummary[]) =>
  [
    ["Failed questions", ({ errors }: RunSummary) => count(errors)],
    ["Degraded", ({ degradedShare }: RunSummary) => percent(degradedShare, 1)],
    ["Latency, p50", ({ p50Ms }: RunSummary) => duration(p50Ms)],
    ["Latency, p95", ({ p95Ms }: RunSummary) => duration(p95Ms)],
    ["Model tokens", tokensOf],
    ["Cost", costOf],
    ...(summaries.some(({ judge }) => judge !== null)
      ? ([
          ["Judge’s tokens", textOfJudge(tokensOf)],
          ["Judge’s cost", textOfJudge(costOf)],
        ] as const)
      : []),
  ] as const;

const Expected = ({ of: { expected, ranks } }: { of: EvaluationResult }) =>
  expected.length === 0 ? (
    <span class="soft">–</span>
  ) : (
    <ul class="places-found">
      {expected.map(({ file, passage }, at) => (
        <li>
          <Data>{file}</Data>
          {passage === null ? null : <Faint text={passage} />}
          <div>
            <Place rank={ranks[at] ?? null} />
          </div>
        </li>
      ))}
    </ul>
  );

export const Place = ({ rank }: { rank: number | null }) =>
  rank === null ? <Status tone="bad">missing</Status> : <Status tone="ok">place {rank}</Status>;

const FOUND_SHOWN = 5;

/** The first that were found, those that were expected marked; the rest is folded. */
const Found = ({ of: { found: result, ranks } }: { of: EvaluationResult }) => {
  const hits = new Set(ranks);
  const lines = result.map(({ file }, at) => (
    <li value={at + 1}>
      {hits.has(at + 1) ? (
        <strong>
          <Data>{file}</Data>
        </strong>
      ) : (
        <Data>{file}</Data>
      )}
    </li>
  ));
  if (lines.length === 0) return <span class="soft">nothing</span>;
  return (
    <>
      <ol class="places-found">{lines.slice(0, FOUND_SHOWN)}</ol>
      {lines.length <= FOUND_SHOWN ? null : (
        <details class="why">
          <summary>{countText(lines.length - FOUND_SHOWN, "more", "more")}</summary>
          <ol class="places-found">{lines.slice(FOUND_SHOWN)}</ol>
        </details>
      )}
    </>
  );
};

const Question = ({ set, result }: { set: QuestionSet; result: EvaluationResult }) => (
  <>
    <DataLink
      href={`${setAddress(set.identifier)}/questions/${result.questionId}`}
      text={result.question}
    />
    {result.error === null ? null : (
      <div>
        <Status tone="bad">
          <Data>{result.error}</Data>
        </Status>
      </div>
    )}
    {result.response === null ? null : (
      <details class="why">
        <summary>Answer</summary>
        <p>
          <Data>{result.response}</Data>
        </p>
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
