import { listChoices, listRagLines, type RagLine } from "../../../db/catalog/panel-lists.ts";
import type { RagRecord } from "../../../db/records.ts";
import { indexReturn } from "../../api/rag-index.ts";
import {
  ragChange,
  ragCopy,
  ragCreation,
  ragTakeOver,
  ragReindex,
  ragRetry,
} from "../../api/rags.ts";
import { optionsOf } from "../../components/choice-fields.tsx";
import { Menu, Shortened, ShortenedLink, Status, StatusBar } from "../../components/data.tsx";
import { count } from "../../components/figures.ts";
import { SelectField, type FormState } from "../../components/form.tsx";
import { Empty } from "../../components/page-head.tsx";
import { SettingForm } from "../../components/setting-fields.tsx";
import type { Column } from "../../components/table.tsx";
import { isAdmin, requireAdmin } from "../page-env.ts";
import { BUSY_SECONDS, page, type PageContext, type Pages } from "../page.tsx";
import { listPage, listQuery } from "../request/list.tsx";
import { previewPage } from "./preview.tsx";
import { ragPage } from "./rag-page.tsx";
import { NEW_RAG_FORM, ragAddress, ragControls, ragOf, RAGS } from "./rag-tab.tsx";
import { addRemovals } from "./scope-changes.tsx";
import { scopePage } from "./scope.tsx";
import { reindexPage, saveSettings, settingsCostPage, settingsPage } from "./settings.tsx";

export function ragPages(pages: Pages): void {
  pages.get("/", (context) => ragListPage(context));
  for (const path of ["/:id/reindex", "/:id/settings/cost"]) pages.use(path, requireAdmin);
  const ofRag = pages.forRecord(ragOf);
  ofRag.get("/:id", ragPage);
  ofRag.get("/:id/scope", (context, rag) => scopePage(context, rag));
  ofRag.get("/:id/settings", settingsPage);
  ofRag.receive("/:id/settings", saveSettings, "admins", "rags.change");
  ofRag.get("/:id/settings/cost", settingsCostPage);
  ofRag.get("/:id/preview", previewPage);
  ofRag.get("/:id/reindex", reindexPage);
  addRemovals(ofRag);
  for (const [path, change] of [
    ["reindex", ragReindex],
    ["return", indexReturn],
  ] as const) {
    ofRag.form(`/:id/${path}`, change, (_context, rag) => ({ to: addressOf(rag) }));
  }
  ofRag.form("/:id/copy", ragCopy, (_context, rag) => ({
    body: () => ({ name: `${rag.name.slice(0, COPIED_LENGTH)} (copy)` }),
    to: (copy) => `${addressOf(copy)}/settings`,
  }));
  ofRag.form("/:id/take-over", ragTakeOver, (_context, rag) => ({
    body: (form) => ({ from: form.text("from") }),
    to: addressOf(rag),
  }));
  ofRag.form("/:id/retry", ragRetry, (_context, rag) => ({
    body: (form) => ({ path: form.has("path") ? form.exact("path") : undefined }),
    to: addressOf(rag),
  }));
  ofRag.form("/:id/status", ragChange, (_context, rag) => ({
    body: (form) => ({ status: form.text("status") === "paused" ? "paused" : "active" }),
    to: addressOf(rag),
    flashOf: ({ status }) => ({
      notice: status === "paused" ? "Indexing is paused." : "Indexing continues.",
    }),
  }));
}

/** A name has at most 200 characters. */
const COPIED_LENGTH = 190;

const addressOf = ({ identifier }: RagRecord) => ragAddress(identifier);

/** A new RAG; no identifier can hide it, as none is below `/new`. */
export function newRagPages(pages: Pages): void {
  pages.use("*", requireAdmin);
  // `?source=` chooses the source beforehand.
  pages.get("/", (context) => {
    const fileSource = context.req.query("source") ?? "";
    return show(context, NEW_RAG_FORM.state({}, { fileSource, scopeMode: "global" }));
  });
  pages.form("/", ragCreation, (context) => ({
    declared: NEW_RAG_FORM,
    failedPage: (state) => show(context, state),
    to: (rag) => addressOf(rag) + (rag.scopeMode === "scoped" ? "/scope" : ""),
    flashOf: ({ scopeMode }) => {
      const isScoped = scopeMode === "scoped";
      const next = isScoped ? "Choose what it indexes." : "Its files are being indexed.";
      return { notice: `The RAG is created. ${next}` };
    },
  }));
}

async function ragListPage(context: PageContext): Promise<Response> {
  const query = listQuery(context);
  const lines = await listRagLines(context.get("services").db, query, isAdmin(context));
  const moves = lines.data.some(({ pending, processing, isBuilding }) => {
    return pending + processing > 0 || isBuilding;
  });
  return await listPage(context, {
    title: "RAGs",
    sub: "A RAG indexes the documents of one file source.",
    add: { href: "/panel/new/rag", label: "New RAG" },
    refreshSeconds: moves ? BUSY_SECONDS : null,
    one: "RAG",
    listed: lines,
    search: "Name or identifier contains",
    columns: COLUMNS,
    none: {
      title: "There are no RAGs yet.",
      says: "A RAG cuts the documents of a source into passages and finds the right ones.",
    },
  });
}

const Name = ({ line }: { line: RagLine }) => (
  <>
    <ShortenedLink href={ragAddress(line.identifier)} text={line.name} />
    <div class="faint">
      {line.status === "paused" ? <Status tone="off">paused ·</Status> : null}
      {line.sourceFailed && line.status === "active" ? (
        <Status tone="bad">source failed ·</Status>
      ) : null}
      {line.isBuilding ? <Status tone="work">new index is being built ·</Status> : null}
      <span>of</span>
      <ShortenedLink href={`/panel/sources/${line.sourceIdentifier}`} text={line.sourceName} />
    </div>
  </>
);

const Progress = ({ line }: { line: RagLine }) => (
  <>
    <StatusBar counts={line} />
    {line.error === 0 ? null : <Status tone="bad">{count(line.error)} failed</Status>}
  </>
);

const Actions = ({ identifier, name }: RagLine) => {
  const address = ragAddress(identifier);
  return (
    <Menu of={name}>
      <a href={`/panel/search?rag=${identifier}`}>Search</a>
      <a href={`${address}/scope`}>Choose files</a>
      <a href={`${address}/settings`}>Change settings</a>
      <a href={`/panel/tokens/new?rag=${identifier}`}>Create token</a>
      <a class="danger" href={`${address}/remove`}>
        Remove …
      </a>
    </Menu>
  );
};

const COLUMNS: Column<RagLine>[] = [
  { head: "Name", main: true, sort: "name", cell: (line) => <Name line={line} /> },
  { head: "Progress", cell: (line) => <Progress line={line} /> },
  { head: "Files", numeric: true, sort: "files", cell: ({ files }) => count(files) },
  { head: "Passages", numeric: true, sort: "passages", cell: ({ passages }) => count(passages) },
  {
    head: "Embedding model",
    wide: true,
    sort: "model",
    cell: ({ embeddingModel }) => <Shortened text={embeddingModel} mono />,
  },
  { head: "", forAdmins: true, cell: Actions },
];

async function show(context: PageContext, state: FormState): Promise<Response> {
  const sources = await listChoices(context.get("services").db, "file_source");
  const options = optionsOf(sources);
  const choice = <SelectField state={state} name="fileSource" label="Source" options={options} />;
  return await page(
    context,
    { title: "New RAG", trail: [RAGS], status: state.status },
    options.length === 0 ? (
      <Empty
        title="There are no sources yet."
        action={{ href: "/panel/new/source", label: "New source" }}
      >
        A RAG indexes the documents of a file source. Create one first.
      </Empty>
    ) : (
      <SettingForm
        action="/panel/new/rag"
        state={state}
        submit="Create RAG"
        cancel={RAGS.href}
        fields={NEW_RAG_FORM.fields}
        controls={{ fileSource: choice, ...(await ragControls(context.get("services"), state)) }}
      />
    ),
  );
}
