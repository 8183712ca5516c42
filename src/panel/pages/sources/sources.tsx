import { readSourcePage } from "../../../db/catalog/source-store.ts";
import { manifestOf, SOURCES } from "../../../sources/registry.ts";
import type { SourceManifest } from "../../../sources/source-manifest.ts";
import { sourceCreation } from "../../api/file-sources.ts";
import { Status, StatusBar, useView, Menu, MenuPost } from "../../components/data.tsx";
import { ShortenedLink, Time, TimeOr } from "../../components/data.tsx";
import { count } from "../../components/figures.ts";
import type { FormState } from "../../components/form.tsx";
import { SettingForm } from "../../components/setting-fields.tsx";
import type { Columns } from "../../components/table.tsx";
import { isAdmin, requireAdmin } from "../page-env.ts";
import { BUSY_SECONDS, page, type PageContext, type Pages } from "../page.tsx";
import { formOf } from "../request/form.ts";
import { listPage, listQuery } from "../request/list.tsx";
import { submit } from "../request/submit.ts";
import { IDLE_SECONDS, isScanning, isUnderWay } from "./scan-state.tsx";
import { sourceBody, sourceControls, sourceForm } from "./settings-tab.tsx";
import { indexedSources, SOURCES as LIST, type IndexedSource as Line } from "./shown-source.ts";
import { noticeFrom } from "./source-actions.tsx";

/** All file sources, with what came of them. */
export function sourceListPages(pages: Pages): void {
  pages.get("/", async (context) => {
    const { db, now: clock } = context.get("services");
    const now = clock();
    const lines = await readSourcePage(db, listQuery(context), isAdmin(context));
    const rows = await indexedSources(db, lines.data);
    const isBusy = rows.some((line) => isScanning(line, now) || isUnderWay(line.files));
    return await listPage(context, {
      title: "Sources",
      sub: "A file source contains the documents that RAGs index.",
      add: { href: "/panel/new/source", label: "New source" },
      refreshSeconds: isBusy ? BUSY_SECONDS : IDLE_SECONDS,
      one: "source",
      listed: { ...lines, data: rows },
      search: "Name or identifier contains",
      columns: COLUMNS,
      none: {
        title: "There are no sources yet.",
        says: `A source provides documents: ${SOURCES.map(({ name }) => name).join(", ")}. Quarry reads its files once, and again when they change.`,
      },
    });
  });
}

const COLUMNS: Columns<Line> = [
  {
    head: "Name",
    main: true,
    sort: "name",
    cell: ({ source }) => (
      <>
        <ShortenedLink href={pathOf(source)} text={source.name} />
        {source.status === "error" ? <Status tone="bad">not read</Status> : null}
      </>
    ),
  },
  { head: "Provider", wide: true, sort: "provider", cell: ({ source }) => manifestOf(source).name },
  {
    head: "Progress",
    cell: ({ rags, files }) =>
      rags.length === 0 ? <span class="soft">in no RAG</span> : <StatusBar counts={files} />,
  },
  { head: "Indexed", numeric: true, cell: indexedText },
  { head: "Last scan", wide: true, sort: "scanned", cell: (line) => <LastScan line={line} /> },
  {
    head: "Next",
    wide: true,
    sort: "next",
    cell: ({ source }) =>
      manifestOf(source).open === null ? (
        <span class="soft">when pushed</span>
      ) : (
        <TimeOr at={source.nextScanAt} none="on request" />
      ),
  },
  { head: "", forAdmins: true, cell: (line) => <Actions line={line} /> },
];

const pathOf = ({ identifier }: Line["source"]) => `/panel/sources/${identifier}`;

const Actions = ({ line: { source, rags } }: { line: Line }) => {
  const path = pathOf(source);
  return (
    <Menu of={source.name}>
      {manifestOf(source).open === null ? null : (
        <MenuPost action={`${path}/scan`} label="Scan now" />
      )}
      <a href={`/panel/new/rag?source=${source.identifier}`}>Create RAG</a>
      <a href={`${path}/settings`}>Change settings</a>
      {rags.length > 0 ? null : (
        <a class="danger" href={`${path}/remove`}>
          Remove …
        </a>
      )}
    </Menu>
  );
};

/** "1,204", "2,880 of 2,990". */
function indexedText({ rags, files }: Line): string {
  if (rags.length === 0) return "–";
  const { indexed, pending, processing, error } = files;
  const total = indexed + pending + processing + error;
  return indexed === total ? count(total) : `${count(indexed)} of ${count(total)}`;
}

const LastScan = ({ line }: { line: Line }) => {
  const { source, lastScan } = line;
  if (isScanning(line, useView().now)) return <Status tone="work">under way</Status>;
  if (lastScan === null) {
    return <span class="soft">{manifestOf(source).open === null ? "–" : "not yet"}</span>;
  }
  return (
    <>
      <Time at={lastScan.finishedAt ?? lastScan.startedAt} />
      {lastScan.error === null ? null : ", failed"}
    </>
  );
};

export function newSourcePages(pages: Pages): void {
  pages.use("*", requireAdmin);

  pages.get("/", async (context) => {
    const manifest = SOURCES.find(({ id }) => id === context.req.query("kind"));
    if (manifest === undefined) return await choosePage(context);
    const fresh = sourceForm(manifest, true).state({}, { scanIntervalMinutes: "360" });
    return await newSourcePage(context, manifest, fresh);
  });

  const create = async (context: PageContext) => {
    const form = await formOf(context);
    const manifest = SOURCES.find(({ id }) => id === form.text("kind"));
    if (manifest === undefined) {
      context.set("audit", undefined);
      return await choosePage(context);
    }
    const isHooked = manifest.takes === "addresses" || manifest.events !== undefined;
    return await submit(context, sourceCreation, {
      subject: undefined,
      form,
      fields: sourceForm(manifest, true).names,
      body: () => ({ ...sourceBody(form, manifest), provider: manifest.provider }),
      failedPage: (state) => newSourcePage(context, manifest, state),
      to: ({ source: { source } }) => `/panel/sources/${source.identifier}`,
      flashOf: ({ webhookSecret: value, checked }) => ({
        ...noticeFrom("The source is created.", checked),
        ...(isHooked && { secret: { label: "The secret of the source's webhook.", value } }),
      }),
    });
  };
  pages.receive("/", create, "admins", sourceCreation.name);
}

const HERE = { name: "New source", href: "/panel/new/source" };

const choosePage = (context: PageContext): Promise<Response> =>
  page(
    context,
    { title: HERE.name, trail: [LIST], sub: "Choose where your documents are." },
    <ul class="cards">
      {SOURCES.map(({ id, name, summary }) => (
        <li>
          <a href={`${HERE.href}?kind=${id}`}>
            <strong>{name}</strong>
            <span>{summary}</span>
          </a>
        </li>
      ))}
    </ul>,
  );

async function newSourcePage(context: PageContext, manifest: SourceManifest, state: FormState) {
  const { id, name, summary: sub } = manifest;
  return await page(
    context,
    {
      title: `New source: ${name}`,
      window: HERE.name,
      status: state.status,
      trail: [LIST, HERE],
      sub,
    },
    <SettingForm
      action={HERE.href}
      state={state}
      submit="Create source"
      cancel={LIST.href}
      fields={sourceForm(manifest, true).fields}
      controls={await sourceControls(context, state, null)}
    >
      <input type="hidden" name="kind" value={id} />
    </SettingForm>,
  );
}
