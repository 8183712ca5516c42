import { Hono } from "hono";

import { listChoices } from "../../../db/catalog/panel-lists.ts";
import type { EvaluationRun } from "../../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { findQuestionSet } from "../../../evaluation/questions/question-sets.ts";
import { startRun } from "../../../evaluation/runs/start-run.ts";
import { isoTime } from "../../../core/time.ts";
import { Chart } from "../../components/chart.tsx";
import { Data } from "../../components/data.tsx";
import { duration } from "../../components/figures.ts";
import { Form, type Option } from "../../components/form.tsx";
import { Empty, Figure } from "../../components/page-head.tsx";
import { Status } from "../../components/status.tsx";
import { Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { submit } from "../request/action.ts";
import { freshForm, type FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { keptRuns, setAddress, SetHead } from "./set-parts.tsx";
import {
  SECOND,
  SettingFields,
  settingIn,
  settingInWords,
  SETTING_FIELDS,
} from "./setting-fields.tsx";

export const LOOK_EVERY_SECONDS = 3;
const DIGITS = 3;
export const figure = (value: number | null | undefined) => value?.toFixed(DIGITS) ?? "–";

const setOf = async (context: PageContext) =>
  await findQuestionSet(context.get("services"), context.req.param("set") ?? "");

/** The runs of a set over time, and the form that starts one or two. */
export function runListPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/:set/runs", async (context) => {
    return await runsTab(context, await setOf(context), freshForm());
  });

  app.post("/:set/runs", async (context) => {
    const set = await setOf(context);
    const address = `${setAddress(set.identifier)}/runs`;
    return await submit(context, {
      audit: ["question-sets.runs.create", set.identifier],
      fields: SETTING_FIELDS,
      work: async (form) => {
        const second = settingIn(form, SECOND);
        const isCompared = Object.keys(second).length > 0;
        const wished = [settingIn(form, ""), ...(isCompared ? [second] : [])];
        const ids: string[] = [];
        for (const setting of wished) {
          ids.push(await startRun(context.get("services"), { set, setting }));
        }
        return ids;
      },
      again: (state) => runsTab(context, set, state),
      leads: ([first = "", second]) => ({
        to:
          second === undefined
            ? `${address}/${first}`
            : `${address}/compare?first=${first}&second=${second}`,
      }),
    });
  });
  return app;
}

async function runsTab(
  context: PageContext,
  set: QuestionSet,
  state: FormState,
): Promise<Response> {
  const services = context.get("services");
  const runs = await keptRuns(services, set);
  const targets = isAdmin(context) ? await listChoices(services.db, set.subjectKind) : [];
  const isRunning = runs.some(({ status }) => status === "running");
  const options = targets.map(({ identifier, name }) => ({ value: identifier, label: name }));
  const content = (
    <>
      <SetHead set={set} here="/runs" />
      <div id="runs" data-live>
        <OverTime runs={runs} />
        <RunTable set={set} runs={runs} now={services.now()} />
      </div>
      {isAdmin(context) ? <NewRun set={set} state={state} targets={options} /> : null}
    </>
  );
  const refreshSeconds = isRunning ? LOOK_EVERY_SECONDS : null;
  const { status } = state;
  return await page(
    context,
    { title: set.name, place: "evaluation", status, refreshSeconds },
    content,
  );
}

const MINUTE_ENDS = 16;

/** Measures of the runs that are done, from the oldest to the latest. */
const OverTime = ({ runs }: { runs: EvaluationRun[] }) => {
  const done = runs.flatMap(({ summary, startedAt }) =>
    summary === null ? [] : [{ summary, label: isoTime(startedAt).slice(0, MINUTE_ENDS) }],
  );
  const past = done.reverse();
  if (past.length < 2) return null;
  const latest = past.at(-1)?.summary;
  const drawn = ["recall@5", "ndcg@10", "mrr", "answers"].filter(
    (name) => typeof latest?.measures[name] === "number",
  );
  return (
    <dl class="figures">
      {drawn.map((name) => (
        <Figure name={name} amount={figure(latest?.measures[name])}>
          <Chart
            label={`${name} by run`}
            points={past.flatMap(({ summary, label }) => {
              const value = summary.measures[name];
              return typeof value === "number" ? [{ label, value }] : [];
            })}
            format={figure}
          />
        </Figure>
      ))}
      <Figure name="Latency, p95" amount={duration(latest?.p95Ms ?? 0)}>
        <Chart
          label="p95 by run"
          points={past.map(({ summary, label }) => ({ label, value: summary.p95Ms }))}
          format={duration}
        />
      </Figure>
    </dl>
  );
};

type RunsProps = { set: QuestionSet; runs: EvaluationRun[]; now: number };

const RunTable = ({ set, runs, now }: RunsProps) => {
  const latest = runs.find(({ status }) => status === "done");
  const address = `${setAddress(set.identifier)}/runs`;
  return (
    <Table
      label="Runs"
      rows={runs}
      empty={
        <Empty title="There are no runs yet.">
          <p>A run asks all questions with one setting, or with two that are compared.</p>
        </Empty>
      }
      columns={[
        {
          head: "Run",
          cell: (run) => (
            <>
              <a href={`${address}/${run.id}`}>
                <Time at={run.startedAt} now={now} />
              </a>
              <div class="faint">
                <Data>{settingInWords(run.setting)}</Data>
              </div>
              <RunStatus run={run} />
            </>
          ),
        },
        {
          head: "recall@5",
          numeric: true,
          cell: (run) => figure(run.summary?.measures["recall@5"]),
        },
        {
          head: "MRR",
          numeric: true,
          wide: true,
          cell: (run) => figure(run.summary?.measures["mrr"]),
        },
        { head: "Answers", numeric: true, cell: (run) => figure(run.summary?.measures["answers"]) },
        {
          head: "p95",
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
      <Form action={`${setAddress(set.identifier)}/runs`} state={state} submit="Run">
        <details class="options" open={state.status !== 200}>
          <summary>Setting</summary>
          <SettingFields {...fields} prefix="" />
        </details>
        <details class="options" open={state.status !== 200}>
          <summary>Compare with a second setting</summary>
          <p class="soft">Runs too, if any of its fields is set.</p>
          <SettingFields {...fields} prefix={SECOND} />
        </details>
      </Form>
    </>
  );
};
