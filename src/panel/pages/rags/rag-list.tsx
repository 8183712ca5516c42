import { listRagLines, type RagLine } from "../../../db/catalog/panel-lists.ts";
import { Data } from "../../components/data.tsx";
import { count } from "../../components/figures.ts";
import { Empty, PageHead } from "../../components/page-head.tsx";
import { inWords, Status, StatusBar } from "../../components/status.tsx";
import type { Column } from "../../components/table.tsx";
import { DataLink, LinkButton } from "../../components/link.tsx";
import type { PageContext } from "../page-env.ts";
import { page } from "../page.tsx";
import { isAdmin } from "../request/guards.ts";
import { List } from "../request/list.tsx";
import { filterIn, pageAt } from "../request/list-query.ts";
import { ragAddress } from "./rag-address.ts";

/** Seconds between looks at what is being indexed. */
const LOOK_EVERY_SECONDS = 3;

export async function ragListPage(context: PageContext): Promise<Response> {
  const prefix = (filterIn(context, "begins") ?? "").toLowerCase();
  const { db } = context.get("services");
  const listed = await listRagLines(db, pageAt(context), prefix);
  const mayChange = isAdmin(context);
  const moves = listed.data.some(({ pending, processing, isBuilding }) => {
    return pending + processing > 0 || isBuilding;
  });
  const content = (
    <>
      <PageHead title="RAGs" sub="A RAG indexes the documents of one file source.">
        {mayChange ? <LinkButton href="/panel/new/rag" label="New RAG" kind="primary" /> : null}
      </PageHead>
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
      />
    </>
  );
  const refreshSeconds = moves ? LOOK_EVERY_SECONDS : null;
  return await page(context, { title: "RAGs", place: "rags", refreshSeconds }, content);
}

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
