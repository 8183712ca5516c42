import { listRagLines, type RagLine, listChoices } from "../../../db/catalog/panel-lists.ts";
import { LinkButton, Shortened, ShortenedLink, Menu } from "../../components/data.tsx";
import { count } from "../../components/figures.ts";
import { Empty } from "../../components/page-head.tsx";
import { Status, StatusBar } from "../../components/status.tsx";
import type { Column } from "../../components/table.tsx";
import { page, isAdmin, type PageContext } from "../page.tsx";
import { listPage, listQuery } from "../request/list.tsx";
import { ragAddress, RAGS, NEW_RAG_FORM, ragControls } from "./rag-tab.tsx";
import { createRag } from "../../../catalog/rags/create-rag.ts";
import { optionsOf } from "../../components/choice-fields.tsx";
import { SelectField } from "../../components/form.tsx";
import { SettingForm } from "../../components/setting-fields.tsx";
import { submit, type FormState } from "../request/form.ts";

/** Seconds between looks at what is being indexed. */
const LOOK_EVERY_SECONDS = 3;

export async function ragListPage(context: PageContext): Promise<Response> {
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
export const newRagPage = (context: PageContext): Promise<Response> => {
  const fileSource = context.req.query("source") ?? "";
  return show(context, NEW_RAG_FORM.state({}, { fileSource, scopeMode: "global" }));
};

export const makeRag = (context: PageContext) =>
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
