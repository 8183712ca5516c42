import type { Child } from "hono/jsx";

import { findFileSource } from "../../../catalog/file-sources/find-file-source.ts";
import { usageReport } from "../../../catalog/usage/usage-report.ts";
import type { UsageLine, UsageReport } from "../../../catalog/usage/usage-report.ts";
import { notFound } from "../../../core/errors.ts";
import { DAY_MS, HOUR_MS, isoTime } from "../../../core/time.ts";
import { readNeeds, readSteps } from "../../../db/maintenance/overview-store.ts";
import type { Needs, Steps } from "../../../db/maintenance/overview-store.ts";
import { fileSystem } from "../../../sources/file-system/manifest.ts";
import { perform } from "../../action.ts";
import { sourceCreation } from "../../api/file-sources.ts";
import { ragCreation } from "../../api/rags.ts";
import { Charts, type Course } from "../../components/chart.tsx";
import { count, countText, duration, money, percent } from "../../components/figures.ts";
import { PageHead, Tabs } from "../../components/page-head.tsx";
import { BUSY_SECONDS, isAdmin, OVERVIEW, page, type PageContext, type Pages } from "../page.tsx";
import { redirectWithNotice } from "../request/form.ts";
import { choiceIn } from "../request/list.tsx";
import { limitsNextToUsage } from "../settings/limits.tsx";
import { areStepsClosed, closeSteps, FirstSteps, missingSteps } from "./first-steps.tsx";
import { Builds, NeedsList, needsOf } from "./needs.tsx";

const SPANS: Record<string, { title: string; hours: number; group: "hour" | "day" }> = {
  "24h": { title: "Last 24 hours", hours: 24, group: "hour" },
  "7d": { title: "7 days", hours: 7 * 24, group: "day" },
  "30d": { title: "30 days", hours: 30 * 24, group: "day" },
};

type Span = { from: number; to: number; group: "hour" | "day" };

/** From the beginning of an hour, or of a day of UTC, to the end of the one that is. */
function spanOf(name: string, now: number): Span {
  const { hours, group } = SPANS[name] ?? { hours: 24, group: "hour" };
  const step = group === "hour" ? HOUR_MS : DAY_MS;
  const to = (Math.floor(now / step) + 1) * step;
  return { from: to - hours * HOUR_MS, to, group };
}

function fillGaps({ lines }: UsageReport, { from, to, group }: Span) {
  const step = group === "hour" ? HOUR_MS : DAY_MS;
  const byKey = new Map(lines.map((line) => [line.key, line]));
  return Array.from({ length: Math.round((to - from) / step) }, (_, at) => {
    const time = isoTime(from + at * step);
    const [day = "", clock = ""] = time.split("T");
    return group === "hour"
      ? { label: `${clock.slice(0, "12:00".length)} UTC`, line: byKey.get(time) }
      : { label: day.slice("2026-".length), line: byKey.get(day) };
  });
}

const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
const roundedCount = (value: number) => count(Math.round(value));

type ValueOf = (line: UsageLine) => number;
const tokensOf: ValueOf = (line) => line.inputTokens + line.outputTokens;

const UsageFigures = ({ usage, span }: { usage: UsageReport; span: Span }) => {
  const { total } = usage;
  if (total.calls === 0) return <p class="soft">No calls in this time.</p>;
  const times = fillGaps(usage, span);
  const series = (name: string, valueOf: ValueOf, look: Omit<Course, "name" | "points">) => {
    const points = times.map(({ label, line }) => ({
      label,
      value: line === undefined ? 0 : valueOf(line),
    }));
    return { name, points, ...look };
  };
  const { valueOf, ...cost } = costOf(total);
  const latency = {
    amount: total.p95Ms === null ? "–" : duration(total.p95Ms),
    aside: total.p50Ms === null ? undefined : `p50 ${duration(total.p50Ms)}`,
    format: duration,
  };
  const tokens = { amount: count(tokensOf(total)), aside: `${count(total.outputTokens)} out` };
  return (
    <Charts
      label={`Usage by ${span.group}, UTC`}
      courses={[
        series("Calls", (line) => line.calls, {
          amount: count(total.calls),
          format: roundedCount,
        }),
        series("Errors", ({ errors, calls }) => share(errors, calls), partOf(total.errors, total)),
        series(
          "Degraded",
          (line) => share(line.degraded, line.calls),
          partOf(total.degraded, total),
        ),
        series("Latency, p95", (line) => line.p95Ms ?? 0, latency),
        series("Model tokens", tokensOf, { ...tokens, format: roundedCount }),
        series("Cost", valueOf, cost),
      ]}
    />
  );
};

const partOf = (part: number, { calls }: UsageLine) => ({
  amount: percent(part, calls),
  aside: countText(part, "call"),
  format: (value: number) => percent(value, 1),
  bad: true,
});

/** In the currency of the first price, followed by the sums in other currencies. */
function costOf(total: UsageLine) {
  const currency = total.cost[0]?.currency ?? "USD";
  const valueOf: ValueOf = ({ cost }) =>
    cost.find((entry) => entry.currency === currency)?.amount ?? 0;
  const format = (amount: number) => money(amount, currency);
  const otherCosts = total.cost.slice(1).map((cost) => money(cost.amount, cost.currency));
  return { valueOf, amount: format(valueOf(total)), aside: otherCosts.join(", "), format };
}

const LIST_LIMIT = 50;
const IDLE_SECONDS = 30;
const FIRST_SPAN = "24h";

/** The query at the end of the page's address. */
const tailOf = (span: string) => (span === FIRST_SPAN ? "" : `?span=${span}`);
const SPAN_TABS = Object.fromEntries(
  Object.entries(SPANS).map(([span, { title }]) => [tailOf(span), title]),
);

export function overviewPages(pages: Pages): void {
  pages.get("/", async (context) => {
    const { db, now: clock, storage } = context.get("services");
    const { problem } = storage;
    const [steps, needs] = await Promise.all([
      readSteps(db),
      readNeeds(db, { now: clock(), limit: LIST_LIMIT, mayReadAll: isAdmin(context), problem }),
    ]);
    const isClosed = areStepsClosed(context);
    // Figures begin with the first call.
    if (!steps.hasCalls && !isClosed) return await firstSteps(context, steps, needs);
    const now = clock();
    const name = choiceIn(context, "span", Object.keys(SPANS)) ?? FIRST_SPAN;
    const span = spanOf(name, now);
    const usage = await usageReport(db, span);
    const missing = missingSteps(steps);
    const content = (
      <>
        {missing === 0 || isClosed ? null : (
          <p class="notice">
            <a href="/panel/first-steps">First steps</a>:{" "}
            {countText(missing, "step is", "steps are")} left.
          </p>
        )}
        <div id="needs" data-live>
          <Head found={needs} />
        </div>
        <Tabs label="Time" address={OVERVIEW} names={SPAN_TABS} here={tailOf(name)} />
        <div id="usage" data-live>
          <UsageFigures usage={usage} span={span} />
          {await limitsNextToUsage(context)}
        </div>
      </>
    );
    return await overviewPage(context, needs, content);
  });

  pages.get("/first-steps", async (context) =>
    firstSteps(context, await readSteps(context.get("services").db), null),
  );

  const close = (context: PageContext) => {
    closeSteps(context);
    return redirectWithNotice(context, OVERVIEW);
  };
  pages.receive("/first-steps/close", close, "members");
}

const FOLDER_NAME = "Documents";

const inferenceOf = (rag: string) =>
  `/panel/new/inference?${new URLSearchParams({ rag, name: `Ask ${rag}` }).toString()}`;

/** The steps that need no question: a folder to upload to, and a RAG of the first source. */
export function firstStepsActions(pages: Pages): void {
  pages.receive("/folder", async (context) => {
    const { source: sourceKey } = await readSteps(context.get("services").db);
    if (sourceKey !== null) return redirectWithNotice(context, `/panel/sources/${sourceKey}`);
    const input = { name: FOLDER_NAME, provider: fileSystem.provider, scanIntervalMinutes: 0 };
    const { source } = await perform(context, sourceCreation, { subject: undefined, input });
    return redirectWithNotice(context, `/panel/sources/${source.source.identifier}`, {
      notice: "Upload files or a folder below. Then create a RAG that indexes them.",
    });
  });

  pages.receive("/rag", async (context) => {
    const services = context.get("services");
    const steps = await readSteps(services.db);
    if (steps.source === null) throw notFound();
    if (steps.rag !== null) return redirectWithNotice(context, inferenceOf(steps.rag));
    const { source } = await findFileSource(services, { key: steps.source });
    const input = { name: source.name, fileSource: source.id };
    const rag = await perform(context, ragCreation, { subject: undefined, input });
    return redirectWithNotice(context, inferenceOf(rag.identifier), {
      notice:
        "The RAG is created and its files are being indexed. Create an inference to ask them.",
    });
  });
}

/** The checklist; on the overview of a service without calls, followed by what needs somebody. */
async function firstSteps(context: PageContext, steps: Steps, needs: Needs | null) {
  const content = (
    <div id="steps" data-live>
      <FirstSteps steps={steps} />
      {needs === null || (steps.rag === null && needs.problem === null) ? null : (
        <Head found={needs} isBelow />
      )}
    </div>
  );
  return await overviewPage(context, needs, content);
}

async function overviewPage(context: PageContext, needs: Needs | null, content: Child) {
  const { pending = 0, processing = 0 } = needs?.counts ?? {};
  const builds = needs?.builds.indexes ?? 0;
  const isBusy = pending + processing + builds > 0 || (needs !== null && needs.scans.length > 0);
  const refreshSeconds = isBusy ? BUSY_SECONDS : IDLE_SECONDS;
  const props = { title: "Overview", place: OVERVIEW, isHeadless: true, refreshSeconds } as const;
  return await page(context, props, content);
}

const Head = ({ found, isBelow = false }: { found: Needs; isBelow?: boolean }) => {
  const needs = needsOf(found);
  return (
    <>
      {isBelow ? (
        <>
          <h2>{headline(found)}</h2>
          <p class="soft">{state(found)}</p>
        </>
      ) : (
        <PageHead title={headline(found)} sub={state(found)} />
      )}
      <Builds of={found.builds} />
      {needs.length === 0 ? null : <NeedsList needs={needs} />}
    </>
  );
};

/** "3 files and 1 source need you.", "All 4,812 files are indexed." */
function headline({ counts, failing, failingSources }: Needs): string {
  const parts = [
    ...(failing === 0 ? [] : [countText(failing, "file")]),
    ...(failingSources.length === 0 ? [] : [countText(failingSources.length, "source")]),
  ];
  if (parts.length > 0) {
    const isOne = failing + failingSources.length === 1;
    return `${parts.join(" and ")} ${isOne ? "needs" : "need"} you.`;
  }
  const total = counts.indexed + counts.pending + counts.processing;
  if (total === 0) return "Nothing is indexed yet.";
  if (counts.indexed === total) {
    return total === 1
      ? "The one file is indexed."
      : `All ${countText(total, "file")} are indexed.`;
  }
  return `${countText(total - counts.indexed, "file is", "files are")} being indexed.`;
}

function state({ counts, scans }: Needs): string {
  const total = counts.indexed + counts.pending + counts.processing + counts.error;
  const under = counts.pending + counts.processing;
  const parts = [
    `${count(counts.indexed)} of ${countText(total, "file")} ${total === 1 ? "is" : "are"} indexed`,
    ...(under === 0 ? [] : [`${count(under)} under way`]),
    ...(scans.length === 0
      ? []
      : [countText(scans.length, "scan is running", "scans are running")]),
  ];
  return `${parts.join(", ")}.`;
}
