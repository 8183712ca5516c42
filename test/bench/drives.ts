import Table from "cli-table3";

import type { FileId } from "../../src/core/ids.ts";
import type { ListedFile } from "../../src/ports/source-reader.ts";
import { knownFilesOf } from "../../src/sources/open-source.ts";
import { readerStore } from "../../src/sources/reader-store.ts";
import { SharePointReader } from "../../src/sources/sharepoint/sharepoint-reader.ts";
import { GraphDouble } from "../doubles/microsoft-graph/graph-double.ts";
import { graphConfig } from "../doubles/microsoft-graph/scanning.ts";
import { heapMeter, shownHeap } from "./support/heap-meter.ts";
import { EVERYTHING_INDEXED, scan, SOURCE, withSource } from "./support/scan-world.ts";
import type { Bindings, MakeReader } from "./support/scan-world.ts";

const FILES = 20_000;
const FOLDERS = 200;
const CHANGED = 10;
/** A tenth of what SharePoint grants a small tenant, so that scans do meet it. */
const CALLS_A_MINUTE = 20;
const FOREVER = new AbortController().signal;

/** A site with one library. */
function populated(count: number) {
  const graph = new GraphDouble();
  const { library, id } = graph.site("hr");
  const top = library.folder(library.root, "Top");
  const folders = Array.from({ length: FOLDERS }, (_, at) => library.folder(top, `Folder ${at}`));
  const ids = Array.from({ length: count }, (_, at) =>
    library.file(folders[at % FOLDERS] ?? top, `file-${at}.md`, `Text ${at}.`),
  );
  return { graph, library, top, ids, siteId: id };
}

type Site = ReturnType<typeof populated>;

function readerOf({ graph, siteId }: Site, onPage: () => void): MakeReader {
  return ({ db, files, now }) => {
    graph.now = graph.entra.now = now;
    const fetch: typeof graph.fetch = async (address, request) => {
      if (address.includes("/delta")) onPage();
      return await graph.fetch(address, request);
    };
    return new SharePointReader(graphConfig(graph, { siteId }), graph.entra.secret, {
      outgoing: { fetch, allowPrivate: false },
      now,
      store: readerStore(files, SOURCE),
      known: knownFilesOf(db, SOURCE),
    });
  };
}

/** Opens what a scan queued, as indexing would. */
async function openAll(bindings: Bindings, site: Site, ids: FileId[]): Promise<void> {
  const reader = new SharePointReader(
    graphConfig(site.graph, { siteId: site.siteId }),
    site.graph.entra.secret,
    {
      outgoing: { fetch: site.graph.fetch, allowPrivate: false },
      now: site.graph.now,
      store: readerStore(bindings.FILES, SOURCE),
      known: { byPath: async () => [], byExternalId: async () => [] },
    },
  );
  for (const id of ids) {
    const row = await bindings.DB.prepare(
      "select external_id as externalId, size, source_state as state from files where id = ?",
    )
      .bind(id)
      .first<{ externalId: string; size: number; state: string }>();
    if (row === null) continue;
    const sourceState = JSON.parse(row.state) as ListedFile["sourceState"];
    await reader.open({ ...row, sourceState } as Partial<ListedFile> as ListedFile, FOREVER);
  }
}

const SCENES: { name: string; prepare: (site: Site) => void; opens: boolean }[] = [
  { name: "first scan", prepare: () => undefined, opens: false },
  { name: "nothing changed", prepare: () => undefined, opens: true },
  {
    name: `${CHANGED} files changed`,
    prepare: ({ library, ids }) => {
      for (const id of ids.slice(0, CHANGED)) library.change(id, { content: `changed ${id}` });
    },
    opens: true,
  },
  {
    name: "link expired, 10 changed",
    prepare: ({ library, ids }) => {
      for (const id of ids.slice(-CHANGED)) library.change(id, { content: `changed ${id}` });
      library.expireLinks();
    },
    opens: true,
  },
  {
    name: "a folder of 100 renamed",
    prepare: ({ library, ids }) =>
      library.change(library.item(ids[0] ?? "").parent ?? "", { name: "Renamed" }),
    opens: false,
  },
  {
    name: `link expired, ${CALLS_A_MINUTE} calls a minute`,
    prepare: ({ graph, library }) => {
      graph.callsAMinute = CALLS_A_MINUTE;
      library.expireLinks();
    },
    opens: true,
  },
];

async function measure(count: number) {
  return await withSource(async (bindings) => {
    const site = populated(count);
    const results = [];
    for (const { name, prepare, opens } of SCENES) {
      prepare(site);
      site.graph.asked.length = 0;
      const heap = heapMeter();
      const { costs, indexed, waitedSeconds } = await scan(bindings, readerOf(site, heap.sample));
      if (opens)
        await openAll(
          bindings,
          site,
          indexed.map(({ fileId }) => fileId),
        );
      await bindings.DB.prepare(EVERYTHING_INDEXED).run();
      const downloads = site.graph.asked.filter((asked) => asked.includes("download")).length;
      results.push({
        scene: name,
        ...costs,
        calls: site.graph.asked.length - downloads,
        downloads,
        waitedSeconds,
        heapMiB: heap.inMiB(),
        error: await lastError(bindings),
      });
    }
    return results;
  });
}

const lastError = async ({ DB }: Bindings) =>
  await DB.prepare(
    "select error from scan_runs order by started_at desc, rowid desc limit 1",
  ).first<string | null>("error");

/**
 * `npm run bench -- drives [FILES]`: what scans of a SharePoint site cost, by the double: rows that
 * D1 reports, R2 operations, messages, calls of Graph, downloads, seconds that throttling asked
 * for, and the heap at each page (with `node --expose-gc`, without what can be collected).
 */
export async function run([files]: string[]): Promise<Record<string, unknown>> {
  const results = await measure(Number(files ?? FILES));
  const rows = results.map(({ heapMiB, ...rest }) => {
    return { ...rest, error: rest.error ?? "–", heap: shownHeap(heapMiB) };
  });
  const table = new Table({ head: Object.keys(rows[0] ?? {}) });
  for (const row of rows) table.push(Object.values(row));
  console.log(table.toString());
  return { results };
}
