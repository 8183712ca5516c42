import { isoTime } from "../../../core/time.ts";
import { listChoices } from "../../../db/catalog/panel-lists.ts";
import type { EvaluationRun } from "../../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import type { MeasureName } from "../../../evaluation/measures/summarise.ts";
import { runsCreation } from "../../api/evaluation/runs.ts";
import { Charts } from "../../components/chart.tsx";
import { optionsOf } from "../../components/choice-fields.tsx";
import { Time, Faint, Status } from "../../components/data.tsx";
import { duration } from "../../components/figures.ts";
import { Form, type Option, freshForm, type FormState } from "../../components/form.tsx";
import { Empty } from "../../components/page-head.tsx";
import { Table, type Column } from "../../components/table.tsx";
import { BUSY_SECONDS, isAdmin, type PageContext, type Pages } from "../page.tsx";
import { SECOND } from "../search/search-settings.ts";
import { measureWords, SHOWN_MEASURES, listKeptRuns, runsAddress, setOf } from "./set-parts.tsx";
import { setTab } from "./set-parts.tsx";
import { SettingFields, settingIn, settingInWords, SETTING_FIELDS } from "./setting-fields.tsx";

const DIGITS = 3;
export const figure = (value: number | null | undefined) => value?.toFixed(DIGITS) ?? "–";

export function runListPages(pages: Pages): void {
  const ofSet = pages.forRecord(setOf);
  // `?compare=` is the second setting.
  ofSet.get("/:set/runs", (context, set) => {
    const target = context.req.query("compare") ?? "";
    return runsTab(context, set, freshForm({ [`${SECOND}target`]: target }));
  });

  ofSet.form("/:set/runs", runsCreation, (context, set) => ({
    fields: SETTING_FIELDS,
    body: (form) => ({ setting: settingIn(form, ""), second: settingIn(form, SECOND) }),
    failedPage: (state) => runsTab(context, set, state),
    to: ([first = "", second]) =>
      `${runsAddress(set)}/${second === undefined ? first : `compare?first=${first}&second=${second}`}`,
  }));
}

async function runsTab(context: PageContext, set: QuestionSet, state: FormState) {
  const services = context.get("services");
  const runs = await listKeptRuns(services, set);
  const targets = isAdmin(context) ? await listChoices(services.db, set.subjectKind) : [];
  const isRunning = runs.some(({ status }) => status === "running");
  return await setTab(
    context,
    { set, here: "/runs", status: state.status, refreshSeconds: isRunning ? BUSY_SECONDS : null },
    <>
      <div id="runs" data-live>
        <OverTime runs={runs} />
        <RunTable set={set} runs={runs} />
      </div>
      {isAdmin(context) ? <NewRun set={set} state={state} targets={optionsOf(targets)} /> : null}
    </>,
  );
}

const MINUTE_ENDS = 16;

/** Measures of the runs that are done, from the oldest to the latest. */
const OverTime = ({ runs }: { runs: EvaluationRun[] }) => {
  // Two runs of one form begin in the same second: their number tells them apart.
  const past = runs
    .toReversed()
    .flatMap(({ summary, startedAt }) => (summary === null ? [] : [{ summary, startedAt }]))
    .map(({ summary, startedAt }, at) => {
      const minute = isoTime(startedAt).slice(0, MINUTE_ENDS).replace("T", " ");
      return { summary, label: `${at + 1}: ${minute}` };
    });
  if (past.length < 2) return null;
  const latest = past.at(-1)?.summary;
  const drawn = [...SHOWN_MEASURES, "answers" as const].filter(
    (name) => typeof latest?.measures[name] === "number",
  );
  return (
    <Charts
      label="Measures by run"
      courses={[
        ...drawn.map((measure) => ({
          name: measureWords[measure].name,
          term: measureWords[measure].term,
          amount: figure(latest?.measures[measure]),
          points: past.flatMap(({ summary, label }) => {
            const value = summary.measures[measure];
            return typeof value === "number" ? [{ label, value }] : [];
          }),
          format: figure,
        })),
        {
          name: "Latency, p95",
          amount: duration(latest?.p95Ms ?? 0),
          points: past.map(({ summary, label }) => ({ label, value: summary.p95Ms })),
          format: duration,
        },
      ]}
    />
  );
};

const measureColumn = (measure: MeasureName): Column<EvaluationRun> => ({
  head: measureWords[measure].name,
  numeric: true,
  cell: ({ summary }) => figure(summary?.measures[measure]),
});

const RunTable = ({ set, runs }: { set: QuestionSet; runs: EvaluationRun[] }) => {
  const latest = runs.find(({ status }) => status === "done");
  const address = runsAddress(set);
  return (
    <Table
      label="Runs"
      rows={runs}
      empty={
        <Empty title="There are no runs yet.">
          A run asks all questions with one setting, or with two that are compared.
        </Empty>
      }
      columns={[
        {
          head: "Run",
          cell: (run) => (
            <>
              <a href={`${address}/${run.id}`}>
                <Time at={run.startedAt} />
              </a>
              <Faint text={settingInWords(run.setting)} />
              <RunStatus run={run} />
            </>
          ),
        },
        measureColumn("recall@5"),
        { ...measureColumn("mrr"), wide: true },
        measureColumn("answers"),
        {
          head: "Latency, p95",
          numeric: true,
          wide: true,
          cell: ({ summary }) => (summary === null ? "–" : duration(summary.p95Ms)),
        },
        {
          head: "Compared",
          cell: (run) =>
            latest === undefined || run.id === latest.id || run.status !== "done" ? null : (
              <a href={`${address}/compare?first=${run.id}&second=${latest.id}`}>with the latest</a>
            ),
        },
      ]}
    />
  );
};

export const RunStatus = ({ run }: { run: EvaluationRun }) => {
  if (run.status === "done") return null;
  return run.status === "failed" ? (
    <Status tone="bad">failed: {run.error}</Status>
  ) : (
    <Status tone="work">
      {run.done} of {run.total} questions
    </Status>
  );
};

type NewRunProps = { set: QuestionSet; state: FormState; targets: readonly Option[] };

const NewRun = ({ set, state, targets }: NewRunProps) => {
  const fields = { state, kind: set.subjectKind, targets };
  return (
    <>
      <h2>New run</h2>
      <Form action={runsAddress(set)} state={state} submit="Start run" isWide>
        <div class="cols even">
          <section>
            <h3>Setting</h3>
            <p class="soft">Empty fields keep the settings in use.</p>
            <SettingFields {...fields} prefix="" />
          </section>
          <section>
            <h3>Second setting</h3>
            <p class="soft">Fill in a field to compare two runs.</p>
            <SettingFields {...fields} prefix={SECOND} />
          </section>
        </div>
      </Form>
    </>
  );
};
