import { Hono } from "hono";
import type { Child } from "hono/jsx";

import { manifestOf } from "../../../sources/registry.ts";
import { Data } from "../../components/data.tsx";
import { counted } from "../../components/figures.ts";
import { leftOutSentences } from "../../components/left-out.ts";
import { ActionButton } from "../../components/form.tsx";
import { PageHead, Tabs } from "../../components/page-head.tsx";
import { inWords, StatusBar } from "../../components/status.tsx";
import { DataLink, LinkButton } from "../../components/link.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import type { FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { filesTab } from "./files-tab.tsx";
import { runsTab } from "./runs-tab.tsx";
import { settingsTab } from "./settings-tab.tsx";
import { ScanProblems } from "./scan-problems.tsx";
import { sourceOf, type ShownSource } from "./shown-source.ts";
import { isScanning, isUnderWay } from "./source-state.ts";

const BUSY_SECONDS = 3;
const IDLE_SECONDS = 20;

/** One source: its files, the runs over it, its settings. */
export function sourcePages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/:id", async (context) => {
    const shown = await sourceOf(context);
    return await sourcePage(context, shown, "", await filesTab(context, shown));
  });
  app.get("/:id/runs", async (context) => {
    const shown = await sourceOf(context);
    return await sourcePage(context, shown, "/runs", await runsTab(context, shown));
  });
  app.get("/:id/settings", async (context) => {
    const shown = await sourceOf(context);
    return await sourcePage(context, shown, "/settings", await settingsTab(context, shown, null));
  });
  return app;
}

/** The settings again, after a form that failed. */
export async function failedSettings(context: PageContext, state: FormState): Promise<Response> {
  const shown = await sourceOf(context);
  const tab = await settingsTab(context, shown, state);
  return await sourcePage(context, shown, "/settings", tab, state);
}

async function sourcePage(
  context: PageContext,
  shown: ShownSource,
  tab: "" | "/runs" | "/settings",
  content: Child,
  state: FormState | null = null,
): Promise<Response> {
  const { source, path } = shown;
  const now = context.get("services").now();
  const isBusy = isScanning(shown, now) || isUnderWay(shown.files);
  const whole = (
    <>
      <PageHead
        title={source.name}
        data
        trail={[{ name: "Sources", href: "/panel/sources" }]}
        sub={
          <span id="source-state" data-live>
            <State shown={shown} now={now} />
          </span>
        }
      >
        {isAdmin(context) ? <Actions shown={shown} /> : null}
      </PageHead>
      <div id="source-troubles" data-live>
        <Troubles shown={shown} mayAct={isAdmin(context)} />
        {shown.lastScan === null ? null : (
          <ScanProblems scan={shown.lastScan} manifest={manifestOf(source)} />
        )}
      </div>
      <Tabs
        label="Pages of this source"
        here={path + tab}
        tabs={[
          { name: "Files", href: path },
          ...(manifestOf(source).open === null ? [] : [{ name: "Runs", href: `${path}/runs` }]),
          { name: "Settings", href: `${path}/settings` },
        ]}
      />
      {content}
    </>
  );
  const refreshSeconds = isBusy ? BUSY_SECONDS : IDLE_SECONDS;
  const status = state?.status ?? 200;
  const of = { title: source.name, place: "sources", refreshSeconds, status } as const;
  return await page(context, of, whole);
}

const State = ({ shown, now }: { shown: ShownSource; now: number }) => {
  const { source, rags, files } = shown;
  const under = isScanning(shown, now) ? " It is being scanned now." : "";
  return (
    <>
      {manifestOf(source).name} ·{" "}
      {rags.length === 0
        ? "in no RAG yet: nothing of it is indexed."
        : `${inWords(files)}.${under}`}
      {rags.length === 0 ? null : (
        <>
          {" "}
          In{" "}
          {rags.slice(0, RAGS_SHOWN).map((rag, at) => (
            <>
              {at === 0 ? "" : ", "}
              <DataLink href={`/panel/rags/${rag.identifier}`} text={rag.name} />
            </>
          ))}
          {rags.length > RAGS_SHOWN ? ` and ${rags.length - RAGS_SHOWN} more` : ""}.
          <StatusBar counts={files} />
        </>
      )}
    </>
  );
};

const RAGS_SHOWN = 5;

const Actions = ({ shown: { source, rags, path } }: { shown: ShownSource }) => (
  <>
    {rags.length > 0 ? null : (
      <LinkButton href={`/panel/new/rag?source=${source.identifier}`} label="New RAG of it" />
    )}
    {manifestOf(source).open === null ? null : (
      <ActionButton action={`${path}/scan`} label="Scan now" kind="primary" />
    )}
  </>
);

/** What somebody has to do something about, with the remedy. */
const Troubles = ({ shown, mayAct }: { shown: ShownSource; mayAct: boolean }) => {
  const { lastScan, path, source } = shown;
  const cut = leftOutSentences(source, source.leftOut);
  const isFine = cut.length === 0 && lastScan?.error === null && lastScan.heldRemovals === 0;
  if (lastScan === null || isFine) return null;
  return (
    <div class={lastScan.error === null ? "notice warn" : "notice bad"} role="status">
      {lastScan.error === null ? null : (
        <p>
          The last scan failed: <Data>{lastScan.error}</Data>. What is indexed stays searchable.
        </p>
      )}
      {cut.map((sentence) => (
        <p>{sentence} Raise the limit in the settings to read more.</p>
      ))}
      {lastScan.heldRemovals === 0 ? null : (
        <p>
          {counted(lastScan.heldRemovals, "file")} would be removed, more than half of the source.
          Nothing was removed: if they are really gone, confirm it.
        </p>
      )}
      {lastScan.heldRemovals === 0 || !mayAct ? null : (
        <ActionButton
          action={`${path}/scan`}
          label={`Remove ${counted(lastScan.heldRemovals, "file")}`}
          values={{ confirmRemovals: "on" }}
          kind="danger"
        />
      )}
    </div>
  );
};
