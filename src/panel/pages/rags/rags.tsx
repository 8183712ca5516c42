import { updateRag } from "../../../catalog/rags/update-rag.ts";
import type { RagRecord } from "../../../db/records.ts";
import { retryFiles } from "../../../ingestion/indexing/retry-files.ts";
import { reindexRag, returnToIndex } from "../../../ingestion/rebuilds/reindex-rag.ts";
import { count, counted } from "../../components/figures.ts";
import type { PageContext, PageEnv, Pages } from "../page-env.ts";
import { auditAs, formOf, redirectWithNotice, submit } from "../request/form.ts";
import type { Form, FormState } from "../request/form.ts";
import { adminsOnly } from "../request/guards.ts";
import { previewPage } from "./preview.tsx";
import { NEW_RAG_FORM, ofRag, ragAddress, ragControls, RAGS } from "./rag-tab.tsx";
import { ragPage } from "./rag-page.tsx";
import { addRemovals } from "./scope-changes.tsx";
import { scopePage } from "./scope.tsx";
import { reindexPage, saveSettings, settingsCostPage, settingsPage } from "./settings.tsx";
import { listChoices, listRagLines, type RagLine } from "../../../db/catalog/panel-lists.ts";
import { LinkButton, Menu, Shortened, ShortenedLink } from "../../components/data.tsx";
import { Empty } from "../../components/page-head.tsx";
import { Status, StatusBar } from "../../components/status.tsx";
import type { Column } from "../../components/table.tsx";
import { isAdmin, page } from "../page.tsx";
import { listPage, listQuery } from "../request/list.tsx";
import { createRag } from "../../../catalog/rags/create-rag.ts";
import { optionsOf } from "../../components/choice-fields.tsx";
import { SelectField } from "../../components/form.tsx";
import { SettingForm } from "../../components/setting-fields.tsx";

export function ragPages(app: Pages): void {
  app.get("/", (context) => ragListPage(context));
  for (const path of ["/:id/reindex", "/:id/settings/cost"]) app.use(path, adminsOnly);
  app.get("/:id", ofRag(ragPage));
  app.get("/:id/scope", ofRag(scopePage));
  app.get("/:id/settings", ofRag(settingsPage));
  app.post("/:id/settings", ofRag(saveSettings));
  app.get("/:id/settings/cost", ofRag(settingsCostPage));
  app.get("/:id/preview", ofRag(previewPage));
  app.get("/:id/reindex", ofRag(reindexPage));
  addRemovals(app);
  for (const [path, action] of Object.entries(ACTIONS))
    app.post(`/:id/${path}`, ofRag(doing(action)));
}

/** A new RAG; no identifier can hide it, as none is below `/new`. */
export function newRagPages(app: Pages): void {
  app.use(adminsOnly);
  app.get("/", newRagPage);
  app.post("/", makeRag);
}

type Action = {
  audit: string;
  /** Returns the notice. */
  work: (services: PageEnv["Variables"]["services"], rag: RagRecord, form: Form) => Promise<string>;
};

const ACTIONS: Record<string, Action> = {
  reindex: {
    audit: "rags.reindex",
    work: async (services, { id: ragId }) => {
      await reindexRag(services, { ragId });
      return "A new index is being built.";
    },
  },
  return: {
    audit: "rags.return",
    work: async (services, { id: ragId }) => {
      await returnToIndex(services, { ragId });
      return "The previous index catches up with recent changes, then takes over.";
    },
  },
  retry: {
    audit: "rags.retry",
    work: async (services, { id: ragId }, form) => {
      const path = form.exact("path");
      const retried = await retryFiles(services, { ragId, paths: path === "" ? null : [path] });
      return `${counted(retried, "file")} will be retried.`;
    },
  },
  status: {
    audit: "rags.change",
    work: async (services, rag, form) => {
      const isPaused = form.text("status") === "paused";
      await updateRag(services, { rag, patch: { status: isPaused ? "paused" : "active" } });
      return isPaused ? "Indexing is paused." : "Indexing continues.";
    },
  },
};

const doing = (action: Action) => async (context: PageContext, rag: RagRecord) => {
  auditAs(context, action.audit, rag.identifier);
  const notice = await action.work(context.get("services"), rag, await formOf(context));
  return redirectWithNotice(context, ragAddress(rag.identifier), { notice });
};

/** Seconds between looks at what is being indexed. */
const LOOK_EVERY_SECONDS = 3;

async function ragListPage(context: PageContext): Promise<Response> {
  const query = listQuery(context);
  const { db } = context.get("services");
  const mayChange = isAdmin(context);
  const listed = await listRagLines(db, query, mayChange);
  const moves = listed.data.some(({ pending, processing, isBuilding }) => {
    return pending + processing > 0 || isBuilding;
  });
  return await listPage(context, {
    title: "RAGs",
    sub: "A RAG indexes the documents of one file source.",
    actions: mayChange ? ADD : null,
    refreshSeconds: moves ? LOOK_EVERY_SECONDS : null,
    one: "RAG",
    listed,
    search: "Name or identifier contains",
    columns: mayChange ? [...COLUMNS, { head: "", cell: Actions }] : COLUMNS,
    empty: (
      <Empty title="There are no RAGs yet.">
        <p>A RAG cuts the documents of a source into passages and finds the right ones.</p>
        {mayChange ? <p>{ADD}</p> : null}
      </Empty>
    ),
  });
}

const ADD = <LinkButton href="/panel/new/rag" label="New RAG" kind="primary" />;

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
];

/** `?source=` chooses the source beforehand. */
const newRagPage = (context: PageContext): Promise<Response> => {
  const fileSource = context.req.query("source") ?? "";
  return show(context, NEW_RAG_FORM.state({}, { fileSource, scopeMode: "global" }));
};

const makeRag = (context: PageContext) =>
  submit(context, {
    audit: ["rags.create"],
    fields: NEW_RAG_FORM.names,
    work: (form) => createRag(context.get("services"), NEW_RAG_FORM.read(form)),
    again: (state) => show(context, state),
    leads: ({ id, identifier, scopeMode }) => {
      const isScoped = scopeMode === "scoped";
      const next = isScoped ? "Choose what it indexes." : "Its files are being indexed.";
      const to = ragAddress(identifier) + (isScoped ? "/scope" : "");
      return { to, target: id, notice: `The RAG is created. ${next}` };
    },
  });

async function show(context: PageContext, state: FormState): Promise<Response> {
  const sources = await listChoices(context.get("services").db, "file_source");
  const options = optionsOf(sources);
  const choice = <SelectField state={state} name="fileSource" label="Source" options={options} />;
  return await page(
    context,
    { title: "New RAG", trail: [RAGS], status: state.status },
    options.length === 0 ? (
      <Empty title="There are no sources yet.">
        <p>A RAG indexes the documents of a file source. Create one first.</p>
        <p>
          <LinkButton href="/panel/new/source" label="New source" kind="primary" />
        </p>
      </Empty>
    ) : (
      <SettingForm
        action="/panel/new/rag"
        state={state}
        submit="Create RAG"
        cancel={RAGS.href}
        fields={NEW_RAG_FORM.fields}
        controls={{
          fileSource: choice,
          ...(await ragControls(context.get("services"), state)),
        }}
      />
    ),
  );
}
