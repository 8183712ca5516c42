import type { Child } from "hono/jsx";

import { waitReasons } from "../../../db/catalog/source-counts.ts";
import { manifestOf } from "../../../sources/registry.ts";
import { Data, DataLink, LinkButton, describeCounts, StatusBar } from "../../components/data.tsx";
import { ForAdmins, Problem, useView, ActionButton } from "../../components/data.tsx";
import { countText } from "../../components/figures.ts";
import type { FormState } from "../../components/form.tsx";
import { Tabs } from "../../components/page-head.tsx";
import { BUSY_SECONDS, page, isAdmin, type PageContext, type Pages } from "../page.tsx";
import { filesCsv, filesTab } from "./files-tab.tsx";
import { LEFT_OUT, leftOutTab } from "./left-out.tsx";
import { AccessTroubles, PERMISSIONS, permissionsTab } from "./permissions.tsx";
import { leftOutSentences, ScanProblems, IDLE_SECONDS } from "./scan-state.tsx";
import { isScanning, isUnderWay, runsTab } from "./scan-state.tsx";
import { settingsTab } from "./settings-tab.tsx";
import { sourceOf, SOURCES, type ShownSource } from "./shown-source.ts";

const TABS = {
  "": filesTab,
  "/runs": runsTab,
  [LEFT_OUT]: leftOutTab,
  [PERMISSIONS]: permissionsTab,
  "/settings": settingsTab,
} as const;

/** The pages of one source by what follows its address. */
const NAMES = {
  "": "Files",
  "/runs": "Runs",
  [LEFT_OUT]: "Left out",
  [PERMISSIONS]: "Permissions",
  "/settings": "Settings",
};
/** A source that is pushed has no runs. */
const { "/runs": _runs, ...PUSHED_NAMES } = NAMES;

/** One source: its files, the runs over it, its settings. */
export function sourcePages(pages: Pages): void {
  const ofSource = pages.forRecord(sourceOf);
  for (const tab of ["", "/runs", LEFT_OUT, PERMISSIONS, "/settings"] as const) {
    ofSource.get(`/:id${tab}`, async (context, view) =>
      sourcePage(context, view, tab, await TABS[tab](context, view)),
    );
  }
  ofSource.get("/:id/files.csv", filesCsv);
}

/** A tab again, after a form of it that failed. */
export async function failedTab(
  context: PageContext,
  tab: typeof PERMISSIONS | "/settings",
  state: FormState,
): Promise<Response> {
  const view = await sourceOf(context);
  return await sourcePage(context, view, tab, await TABS[tab](context, view, state), state);
}

async function sourcePage(
  context: PageContext,
  view: ShownSource,
  tab: keyof typeof TABS,
  content: Child,
  state: FormState | null = null,
): Promise<Response> {
  const { source, path, lastScan, rags } = view;
  const manifest = manifestOf(source);
  const { db, now } = context.get("services");
  const waiting = await waitReasons(
    db,
    rags.filter(({ pending }) => pending > 0),
  );
  const isBusy = isScanning(view, now()) || isUnderWay(view.files);
  return await page(
    context,
    {
      title: source.name,
      data: true,
      trail: [SOURCES],
      status: state?.status ?? 200,
      // A preview of permissions lists the source: it is made once.
      refreshSeconds: tab === PERMISSIONS ? null : isBusy ? BUSY_SECONDS : IDLE_SECONDS,
      sub: (
        <span id="source-state" data-live>
          <State shown={view} />
        </span>
      ),
      actions: isAdmin(context) ? <Actions shown={view} /> : null,
    },
    <>
      <div id="source-troubles" data-live>
        <Troubles shown={view} />
        {waiting.map(({ reason, files }) => (
          <Problem
            text={`${countText(files, "file")} ${files === 1 ? "waits" : "wait"}: ${reason}`}
          />
        ))}
        <AccessTroubles {...view} here={tab} />
        {lastScan === null ? null : <ScanProblems scan={lastScan} manifest={manifest} />}
      </div>
      <Tabs
        label="Pages of this source"
        address={path}
        names={manifest.open === null ? PUSHED_NAMES : NAMES}
        here={tab}
      />
      {content}
    </>,
  );
}

const State = ({ shown }: { shown: ShownSource }) => {
  const { source, rags, files } = shown;
  const copying =
    source.copyOf === null
      ? ""
      : " Files are still being copied into it. The copy is complete when this sentence is gone.";
  const under = isScanning(shown, useView().now) ? " It is being scanned now." : copying;
  return (
    <>
      {manifestOf(source).name} ·{" "}
      {rags.length === 0
        ? "in no RAG yet, so nothing is indexed."
        : `${describeCounts(files)}.${under}`}
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

const RAGS_SHOWN = 3;

const Actions = ({ shown: { source, rags, path } }: { shown: ShownSource }) => (
  <>
    {rags.length > 0 ? null : (
      <LinkButton href={`/panel/new/rag?source=${source.identifier}`} label="Create RAG" />
    )}
    {manifestOf(source).open === null ? null : (
      <ActionButton action={`${path}/scan`} label="Scan now" kind="primary" />
    )}
  </>
);

/** Faults with their remedies. */
const Troubles = ({ shown }: { shown: ShownSource }) => {
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
        <>
          <p>
            {countText(lastScan.heldRemovals, "file")} would be removed, more than half of the
            source. Nothing was removed. If the files are really gone, confirm the removal.
          </p>
          <ForAdmins>
            <ActionButton
              action={`${path}/scan`}
              label={`Remove ${countText(lastScan.heldRemovals, "file")}`}
              values={{ confirmRemovals: "on" }}
              kind="danger"
            />
          </ForAdmins>
        </>
      )}
    </div>
  );
};
