import type { Child } from "hono/jsx";

import { readRunPage, type ScanRun } from "../../../db/scans/run-pages.ts";
import { manifestOf } from "../../../sources/registry.ts";
import { Problem, Time } from "../../components/data.tsx";
import { count, duration } from "../../components/figures.ts";
import { leftOutSentences } from "../../components/left-out.ts";
import { Status } from "../../components/status.tsx";
import type { Column } from "../../components/table.tsx";
import type { PageContext } from "../page-env.ts";
import { List } from "../request/list.tsx";
import { pageAt } from "../request/list-query.ts";
import { ScanProblems } from "./scan-problems.tsx";
import type { ShownSource } from "./shown-source.ts";
import { runState } from "./source-state.ts";

/** The scans of a source, the newest first, with what each found. */
export async function runsTab(context: PageContext, { source }: ShownSource): Promise<Child> {
  const { db, now } = context.get("services");
  return (
    <List
      context={context}
      label="Runs"
      listed={await readRunPage(db, source.id, pageAt(context))}
      columns={columnsAt(now(), source)}
      empty="It has not been scanned yet."
    />
  );
}

const figure = (head: string, field: "added" | "changed" | "removed" | "unchanged" | "failed") => ({
  head,
  numeric: true,
  wide: field !== "added" && field !== "failed",
  cell: (run: ScanRun) => count(run[field]),
});

const columnsAt = (now: number, source: ShownSource["source"]): Column<ScanRun>[] => [
  { head: "Began", cell: ({ startedAt }) => <Time at={startedAt} now={now} /> },
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
