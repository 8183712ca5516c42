import type { Child } from "hono/jsx";

import { usageOverTime } from "../../../catalog/usage/usage-report.ts";
import {
  readNeeds,
  readSteps,
  type Needs,
  type Steps,
} from "../../../db/maintenance/overview-store.ts";
import { count, counted } from "../../components/figures.ts";
import { PageHead, Tabs } from "../../components/page-head.tsx";
import { OVERVIEW, page, isAdmin, type PageContext, type Pages } from "../page.tsx";
import { choiceIn } from "../request/list.tsx";
import { FirstSteps, missingSteps, followSteps } from "./first-steps.tsx";
import { NeedsList, needsOf, type Need } from "./needs.tsx";
import { SPANS, UsageFigures, spanOf } from "./usage-figures.tsx";

const LIST_LIMIT = 50;
const BUSY_SECONDS = 3;
const IDLE_SECONDS = 30;
const FIRST_SPAN = "24h";

/** What follows the address of the page. */
const tailOf = (span: string) => (span === FIRST_SPAN ? "" : `?span=${span}`);
const SPAN_TABS = Object.fromEntries(
  Object.entries(SPANS).map(([span, { title }]) => [tailOf(span), title]),
);

export function overviewPages(app: Pages): void {
  app.get("/", async (context) => {
    const { db, now: clock } = context.get("services");
    const [steps, found] = await Promise.all([
      readSteps(db),
      readNeeds(db, { now: clock(), limit: LIST_LIMIT, mayReadAll: isAdmin(context) }),
    ]);
    // Figures begin with the first call.
    if (!steps.hasCalls) return await firstSteps(context, steps, found);
    const now = clock();
    const name = choiceIn(context, "span", Object.keys(SPANS)) ?? FIRST_SPAN;
    const span = spanOf(name, now);
    const usage = await usageOverTime(db, span);
    const missing = missingSteps(steps);
    const content = (
      <>
        {missing === 0 ? null : <Unfinished missing={missing} />}
        <div id="needs" data-live>
          <Head found={found} />
        </div>
        <Tabs label="Time" address={OVERVIEW} names={SPAN_TABS} here={tailOf(name)} />
        <div id="usage" data-live>
          <UsageFigures usage={usage} span={span} />
        </div>
      </>
    );
    return await overviewPage(context, found, content);
  });

  app.get("/first-steps", async (context) =>
    firstSteps(context, await readSteps(context.get("services").db), null),
  );
}

/** The checklist; on the overview of a service without calls, followed by what needs somebody. */
async function firstSteps(context: PageContext, steps: Steps, found: Needs | null) {
  const mayAct = isAdmin(context);
  if (mayAct && missingSteps(steps) > 0) followSteps(context);
  const content = (
    <div id="steps" data-live>
      <FirstSteps steps={steps} mayAct={mayAct} />
      {found === null || steps.rag === null ? null : <Head found={found} isBelow />}
    </div>
  );
  return await overviewPage(context, found, content);
}

async function overviewPage(context: PageContext, found: Needs | null, content: Child) {
  const { pending = 0, processing = 0 } = found?.counts ?? {};
  const isBusy = pending + processing > 0 || (found !== null && found.scans.length > 0);
  const refreshSeconds = isBusy ? BUSY_SECONDS : IDLE_SECONDS;
  const of = { title: "Overview", place: OVERVIEW, isHeadless: true, refreshSeconds } as const;
  return await page(context, of, content);
}

const Unfinished = ({ missing }: { missing: number }) => (
  <p class="notice">
    <a href="/panel/first-steps">First steps</a>: {counted(missing, "step is", "steps are")} left.
  </p>
);

const Head = ({ found, isBelow = false }: { found: Needs; isBelow?: boolean }) => {
  const needs = needsOf(found);
  return (
    <>
      {isBelow ? (
        <>
          <h2>{headline(found, needs)}</h2>
          <p class="soft">{state(found)}</p>
        </>
      ) : (
        <PageHead title={headline(found, needs)} sub={state(found)} />
      )}
      {needs.length === 0 ? null : <NeedsList needs={needs} />}
    </>
  );
};

/** "3 files and 1 source need you.", "All 4,812 files are indexed." */
function headline({ counts, failing, failingSources }: Needs, needs: readonly Need[]): string {
  const parts = [
    ...(failing === 0 ? [] : [counted(failing, "file")]),
    ...(failingSources.length === 0 ? [] : [counted(failingSources.length, "source")]),
  ];
  if (needs.length > 0) {
    const isOne = failing + failingSources.length === 1;
    return `${parts.join(" and ")} ${isOne ? "needs" : "need"} you.`;
  }
  const total = counts.indexed + counts.pending + counts.processing;
  if (total === 0) return "Nothing is indexed yet.";
  if (counts.indexed === total) {
    return total === 1 ? "The one file is indexed." : `All ${counted(total, "file")} are indexed.`;
  }
  return `${counted(total - counts.indexed, "file is", "files are")} being indexed.`;
}

function state({ counts, scans }: Needs): string {
  const total = counts.indexed + counts.pending + counts.processing + counts.error;
  const under = counts.pending + counts.processing;
  const parts = [
    `${count(counts.indexed)} of ${counted(total, "file")} ${total === 1 ? "is" : "are"} indexed`,
    ...(under === 0 ? [] : [`${count(under)} under way`]),
    ...(scans.length === 0 ? [] : [counted(scans.length, "scan is running", "scans are running")]),
  ];
  return `${parts.join(", ")}.`;
}
