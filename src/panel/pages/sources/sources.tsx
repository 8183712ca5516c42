import { Hono } from "hono";

import { readSourcePage } from "../../../db/catalog/source-store.ts";
import { manifestOf } from "../../../sources/registry.ts";
import { count } from "../../components/figures.ts";
import { Empty } from "../../components/page-head.tsx";
import { Status, StatusBar } from "../../components/status.tsx";
import type { Column } from "../../components/table.tsx";
import { Time, TimeOr, DataLink, LinkButton } from "../../components/data.tsx";
import { page, isAdmin, type PageEnv } from "../page.tsx";
import { List } from "../request/list.tsx";
import { pageAt } from "../request/list-query.ts";
import { indexedSources, type IndexedSource as Line } from "./shown-source.ts";
import { BUSY_SECONDS, IDLE_SECONDS, isScanning, isUnderWay } from "./source-state.ts";

/** All file sources, with what came of them. */
export function sourceListPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/", async (context) => {
    const { db, now: clock } = context.get("services");
    const now = clock();
    const listed = await readSourcePage(db, pageAt(context));
    const rows = await indexedSources(db, listed.data);
    const isBusy = rows.some((line) => isScanning(line, now) || isUnderWay(line.files));
    return await page(
      context,
      {
        title: "Sources",
        place: "sources",
        sub: "Where documents come from.",
        actions: isAdmin(context) ? ADD : null,
        refreshSeconds: isBusy ? BUSY_SECONDS : IDLE_SECONDS,
      },
      <List
        context={context}
        label="Sources"
        listed={{ ...listed, data: rows }}
        columns={columnsAt(now)}
        empty={<NoSources />}
      />,
    );
  });
  return app;
}

const ADD = <LinkButton href="/panel/new/source" label="New source" kind="primary" />;

const NoSources = () => (
  <Empty title="There are no sources yet.">
    <p>
      A source is a folder that you push, a web site, a bucket, a Google Drive or a SharePoint
      library. What it holds is read once, and again when it changes.
    </p>
  </Empty>
);

const columnsAt = (now: number): Column<Line>[] => [
  {
    head: "Source",
    cell: ({ source }) => (
      <>
        <DataLink href={`/panel/sources/${source.identifier}`} text={source.name} />{" "}
        {source.status === "error" ? <Status tone="bad">not read</Status> : null}
      </>
    ),
  },
  { head: "Provider", wide: true, cell: ({ source }) => manifestOf(source).name },
  {
    head: "Files",
    cell: ({ rags, files }) =>
      rags.length === 0 ? <span class="soft">in no RAG</span> : <StatusBar counts={files} />,
  },
  { head: "Indexed", numeric: true, cell: indexedOf },
  { head: "Last scan", wide: true, cell: (line) => <LastScan line={line} now={now} /> },
  {
    head: "Next",
    wide: true,
    cell: ({ source }) =>
      manifestOf(source).open === null ? (
        <span class="soft">when pushed</span>
      ) : (
        <TimeOr at={source.nextScanAt} now={now} none="on request" />
      ),
  },
];

/** "1,204", "2,880 of 2,990". */
function indexedOf({ rags, files }: Line): string {
  if (rags.length === 0) return "–";
  const { indexed, pending, processing, error } = files;
  const total = indexed + pending + processing + error;
  return indexed === total ? count(total) : `${count(indexed)} of ${count(total)}`;
}

const LastScan = ({ line, now }: { line: Line; now: number }) => {
  const { source, lastScan } = line;
  if (isScanning(line, now)) return <Status tone="work">under way</Status>;
  if (lastScan === null) {
    return <span class="soft">{manifestOf(source).open === null ? "–" : "not yet"}</span>;
  }
  return (
    <>
      <Time at={lastScan.finishedAt ?? lastScan.startedAt} now={now} />
      {lastScan.error === null ? null : ", failed"}
    </>
  );
};
