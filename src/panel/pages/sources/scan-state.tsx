import type { Child } from "hono/jsx";

import { settingFields } from "../../../core/input/setting-fields.ts";
import { readRunPage, type ScanRunRow } from "../../../db/catalog/source-store.ts";
import type { SourceWithScan } from "../../../db/catalog/source-store.ts";
import type { LeftOut } from "../../../ports/source-reader.ts";
import { manifestOf } from "../../../sources/registry.ts";
import type { SourceManifest } from "../../../sources/source-manifest.ts";
import { valueAt } from "../../../sources/source-secrets.ts";
import { Data, Problem, Time, type FileCounts, type Tone, Status } from "../../components/data.tsx";
import { countText, count, duration } from "../../components/figures.ts";
import type { Column } from "../../components/table.tsx";
import type { PageContext } from "../page-env.ts";
import { List, pageAt } from "../request/list.tsx";
import type { ShownSource } from "./shown-source.ts";

type ScanFacts = Pick<ScanRunRow, "failed" | "problems" | "added" | "changed" | "unchanged">;

/** The unread parts of a scan, why, and what to do about it; nothing where it read all. */
export const ScanProblems = ({ scan, manifest }: { scan: ScanFacts; manifest: SourceManifest }) => {
  const isWeb = manifest.takes === "addresses";
  const { failed, problems, added, changed, unchanged } = scan;
  if (failed === 0 && problems.length === 0) return null;
  const items = countText(failed, isWeb ? "address" : "item", isWeb ? "addresses" : "items");
  const what = failed === 0 ? "The scan waited" : `${items} not read`;
  const untold = failed - problems.length;
  const isAll = added + changed + unchanged === 0;
  return (
    <details class="why" open={isAll} data-unfolded={isAll ? "" : undefined}>
      <summary>{what}: show reasons</summary>
      <ul>
        {problems.map(({ path, message }) => (
          <li>
            <Data>{path}</Data>
            <Problem text={message} />
          </li>
        ))}
      </ul>
      {untold <= 0 ? null : <p>And {untold} more.</p>}
      <p class="soft">
        {manifest.notifications !== undefined
          ? "Searches do not find them. Quarry tries them again when they change, and at every full listing."
          : "Earlier versions of them stay searchable. Every scan tries them again."}
        {isWeb ? " The settings can leave out pages that you do not need." : ""}
      </p>
    </details>
  );
};

/** Seconds between two looks while nothing is under way. */
export const IDLE_SECONDS = 20;

export const isUnderWay = ({ pending, processing }: FileCounts) => pending + processing > 0;

/** Whether a scan is running now. */
export const isScanning = ({ source }: SourceWithScan, now: number) =>
  source.scanClaimedUntil !== null && source.scanClaimedUntil > now;

/** How a run ended, as a dot's tone and a word. */
function runState(run: Pick<ScanRunRow, "error" | "finishedAt" | "heldRemovals" | "failed">): {
  tone: Tone;
  word: string;
} {
  if (run.error !== null) return { tone: "bad", word: "failed" };
  if (run.finishedAt === null) return { tone: "work", word: "under way" };
  if (run.heldRemovals > 0) return { tone: "warn", word: "removals held back" };
  if (run.failed > 0) return { tone: "warn", word: `${countText(run.failed, "file")} not read` };
  return { tone: "ok", word: "done" };
}

type LimitedSource = { provider: string; config: unknown };

/** `At least 169 addresses are left out by “Pages at most” (1,000).`, a sentence for each limit. */
export function leftOutSentences(source: LimitedSource, leftOut: readonly LeftOut[]): string[] {
  const fields = settingFields(manifestOf(source).config);
  return leftOut.map(({ limit, about, addresses, isAtLeast }) => {
    const label = fields.find(({ path }) => path.join(".") === limit)?.meta.label ?? limit;
    const value = Number(valueAt(source.config, [limit]));
    const verb = addresses === 1 ? "is" : "are";
    const what = `${isAtLeast ? "At least " : ""}${countText(addresses, "address", "addresses")}`;
    const setting = Number.isNaN(value) ? `“${label}”` : `“${label}” (${count(value)})`;
    return `${what} ${verb} left out${about === undefined ? ` by ${setting}` : `: ${about}`}.`;
  });
}

/** The scans of a source, the newest first, with what each found. */
export async function runsTab(context: PageContext, { source }: ShownSource): Promise<Child> {
  return (
    <List
      context={context}
      label="Runs"
      listed={await readRunPage(context.get("services").db, source.id, pageAt(context))}
      columns={columnsOf(source)}
      empty="It has not been scanned yet."
    />
  );
}

const figure = (head: string, field: "added" | "changed" | "removed" | "unchanged" | "failed") => ({
  head,
  numeric: true,
  wide: field !== "added" && field !== "failed",
  cell: (run: ScanRunRow) => count(run[field]),
});

const columnsOf = (source: ShownSource["source"]): Column<ScanRunRow>[] => [
  { head: "Began", cell: ({ startedAt }) => <Time at={startedAt} /> },
  {
    head: "Outcome",
    main: true,
    cell: (run) => {
      const { tone, word } = runState(run);
      return (
        <>
          <Status tone={tone}>{word}</Status>
          <Problem text={run.error} />
          {leftOutSentences(source, run.leftOut).map((sentence) => (
            <div class="soft">{sentence}</div>
          ))}
          <ScanProblems scan={run} manifest={manifestOf(source)} />
        </>
      );
    },
  },
  {
    head: "Took",
    numeric: true,
    wide: true,
    cell: ({ startedAt, finishedAt }) =>
      finishedAt === null ? "–" : duration(finishedAt - startedAt),
  },
  figure("Added", "added"),
  figure("Changed", "changed"),
  figure("Removed", "removed"),
  figure("Unchanged", "unchanged"),
  figure("Failed", "failed"),
];
