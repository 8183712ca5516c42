import { listRagLines, type RagLine, listChoices } from "../../../db/catalog/panel-lists.ts";
import { Data, DataLink, LinkButton } from "../../components/data.tsx";
import { count } from "../../components/figures.ts";
import { Empty } from "../../components/page-head.tsx";
import { inWords, Status, StatusBar } from "../../components/status.tsx";
import type { Column } from "../../components/table.tsx";
import { page, isAdmin, type PageContext } from "../page.tsx";
import { List } from "../request/list.tsx";
import { filterIn, pageAt } from "../request/list-query.ts";
import { ragAddress, RAGS } from "./rag-tab.tsx";
import { createRag } from "../../../catalog/rags/create-rag.ts";
import { SelectField } from "../../components/form.tsx";
import { SettingForm } from "../../components/setting-fields.tsx";
import { submit } from "../request/action.ts";
import type { FormState } from "../request/form.ts";
import { NEW_RAG_FORM, ragHints } from "./rag-fields.tsx";

/** Seconds between looks at what is being indexed. */
const LOOK_EVERY_SECONDS = 3;

export async function ragListPage(context: PageContext): Promise<Response> {
  const prefix = (filterIn(context, "begins") ?? "").toLowerCase();
  const { db } = context.get("services");
  const listed = await listRagLines(db, pageAt(context), prefix);
  const moves = listed.data.some(({ pending, processing, isBuilding }) => {
    return pending + processing > 0 || isBuilding;
  });
  return await page(
    context,
    {
      title: "RAGs",
      place: "rags",
      sub: "A RAG indexes the documents of one file source.",
      actions: isAdmin(context) ? ADD : null,
      refreshSeconds: moves ? LOOK_EVERY_SECONDS : null,
    },
    <List
      context={context}
      label="RAGs"
      listed={listed}
      begins={{ label: "Identifier begins with", prefix }}
      columns={COLUMNS}
      empty={
        <Empty title="There are no RAGs yet.">
          <p>A RAG cuts the documents of a source into passages and finds the right ones.</p>
        </Empty>
      }
    />,
  );
}

const ADD = <LinkButton href="/panel/new/rag" label="New RAG" kind="primary" />;

const Name = ({ line }: { line: RagLine }) => (
  <>
    <DataLink href={ragAddress(line.identifier)} text={line.name} />
    <div class="faint">
      {line.status === "paused" ? <Status tone="off">paused · </Status> : null}
      {line.sourceFailed && line.status === "active" ? (
        <Status tone="bad">source failed · </Status>
      ) : null}
      {line.isBuilding ? <Status tone="work">new index is being built · </Status> : null}
      of{" "}
      <DataLink
        href={`/panel/sources/${encodeURIComponent(line.sourceIdentifier)}`}
        text={line.sourceName}
      />
    </div>
  </>
);

const Files = ({ line }: { line: RagLine }) => (
  <>
    <StatusBar counts={line} />
    <div class="faint">
      {count(line.pending + line.processing + line.indexed + line.error)} · {inWords(line)}
    </div>
  </>
);

const COLUMNS: Column<RagLine>[] = [
  { head: "Name", cell: (line) => <Name line={line} /> },
  { head: "Files", cell: (line) => <Files line={line} /> },
  { head: "Passages", numeric: true, cell: ({ passages }) => count(passages) },
  {
    head: "Embedding model",
    wide: true,
    cell: ({ embeddingModel }) => <Data mono>{embeddingModel}</Data>,
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
      return { to, target: id, notice: `The RAG is made. ${next}` };
    },
  });

async function show(context: PageContext, state: FormState): Promise<Response> {
  const sources = await listChoices(context.get("services").db, "file_source");
  const options = sources.map(({ identifier, name }) => ({ value: identifier, label: name }));
  const choice = <SelectField state={state} name="fileSource" label="Source" options={options} />;
  return await page(
    context,
    { title: "New RAG", place: "rags", trail: [RAGS], status: state.status },
    options.length === 0 ? (
      <Empty title="There is no source yet.">
        <p>A RAG indexes the documents of a source: make one first.</p>
        <p>
          <LinkButton href="/panel/new/source" label="New source" kind="primary" />
        </p>
      </Empty>
    ) : (
      <SettingForm
        action="/panel/new/rag"
        state={state}
        submit="Make the RAG"
        cancel={RAGS.href}
        fields={NEW_RAG_FORM.fields}
        hints={await ragHints(context.get("services"))}
        controls={{ fileSource: choice }}
      />
    ),
  );
}
