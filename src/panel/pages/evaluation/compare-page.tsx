import type { EvaluationRun } from "../../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { compareRuns, type RunComparison } from "../../../evaluation/runs/compare-runs.ts";
import { runOf } from "../../api/evaluation/runs.ts";
import { Data, Time, Status } from "../../components/data.tsx";
import { countText } from "../../components/figures.ts";
import { Empty } from "../../components/page-head.tsx";
import { Table } from "../../components/table.tsx";
import { BUSY_SECONDS, page, type PageContext } from "../page.tsx";
import { usageFigures } from "./run-page.tsx";
import { figure, RunStatus } from "./runs-tab.tsx";
import { measureWords, runsAddress, trailToRuns } from "./set-parts.tsx";
import { settingInWords } from "./setting-fields.tsx";

/** Two runs side by side: `?first=&second=`. Waits while they are under way. */
export async function comparePage(context: PageContext): Promise<Response> {
  const services = context.get("services");
  const key = context.req.param("set") ?? "";
  const runAt = (name: string) => {
    return runOf(services, { key, path: "", param: () => context.req.query(name) ?? "" });
  };
  const { set, run: first } = await runAt("first");
  const { run: second } = await runAt("second");
  const runs = [first, second];
  const isDone = runs.every(({ status }) => status === "done");
  const comparison = isDone ? await compareRuns(services, first, second) : null;
  const isRunning = runs.some(({ status }) => status === "running");
  return await page(
    context,
    {
      title: "Two runs compared",
      trail: trailToRuns(set),
      refreshSeconds: isRunning ? BUSY_SECONDS : null,
    },
    <div id="comparison" data-live>
      <div class="cols even">
        <RunSide name="First" set={set} run={first} />
        <RunSide name="Second" set={set} run={second} />
      </div>
      {comparison === null ? null : <Comparison comparison={comparison} />}
    </div>,
  );
}

const RunSide = ({ name, set, run }: { name: string; set: QuestionSet; run: EvaluationRun }) => (
  <section>
    <h2>{name}</h2>
    <p>
      <a href={`${runsAddress(set)}/${run.id}`}>
        <Time at={run.startedAt} />
      </a>
      : <Data>{settingInWords(run.setting)}</Data>
    </p>
    <RunStatus run={run} />
  </section>
);

const signedFigure = (value: number) => `${value > 0 ? "+" : ""}${figure(value)}`;

const Comparison = ({ comparison }: { comparison: RunComparison }) => (
  <>
    <p class="soft">
      The runs have {countText(comparison.questions, "question")} in common. A difference may be
      chance if its interval includes 0, or if fewer than 6 questions have different results.
    </p>
    <Table
      label="Measures"
      rows={comparison.measures}
      empty={<Empty title="The two runs have no question in common." />}
      columns={[
        {
          head: "Measure",
          cell: ({ measure }) => (
            <abbr title={measureWords[measure].term}>{measureWords[measure].name}</abbr>
          ),
        },
        { head: "First", numeric: true, cell: ({ first }) => figure(first) },
        { head: "Second", numeric: true, cell: ({ second }) => figure(second) },
        {
          head: "Difference, 95 % interval",
          cell: ({ difference }) =>
            `${signedFigure(difference.mean)} (${signedFigure(difference.low)} to ${signedFigure(difference.high)})`,
        },
        { head: "Meaning", cell: (row) => <Meaning of={row} /> },
      ]}
    />
    <Table
      label="Time and cost"
      rows={usageFigures(comparison.first, comparison.second)}
      empty={null}
      columns={[
        { head: "Other figures", cell: ([name]) => name },
        { head: "First", numeric: true, cell: ([, valueOf]) => valueOf(comparison.first) },
        { head: "Second", numeric: true, cell: ([, valueOf]) => valueOf(comparison.second) },
      ]}
    />
  </>
);

const Meaning = ({ of: { isClear, difference } }: { of: RunComparison["measures"][number] }) => {
  if (difference.low === 0 && difference.high === 0) {
    return <Status tone="off">no difference</Status>;
  }
  if (!isClear) return <Status tone="off">may be chance</Status>;
  return difference.mean > 0 ? (
    <Status tone="ok">better</Status>
  ) : (
    <Status tone="bad">worse</Status>
  );
};
