import { listRagLines, type RagLine } from "../../../db/catalog/panel-lists.ts";
import { Data } from "../../components/data.tsx";
import { count } from "../../components/figures.ts";
import { PrefixFilter } from "../../components/filters.tsx";
import { Empty, PageHead } from "../../components/page-head.tsx";
import { Pager } from "../../components/pager.tsx";
import { inWords, Status, StatusBar } from "../../components/status.tsx";
import { Table } from "../../components/table.tsx";
import type { PageContext } from "../page-env.ts";
import { page } from "../page.tsx";
import { isAdmin } from "../request/guards.ts";
import { filterIn, hereOf, pageAt } from "../request/list-query.ts";

/** Seconds between looks at what is being indexed. */
const LOOK_EVERY_SECONDS = 3;

export const ragAddress = (identifier: string) => `/panel/rags/${encodeURIComponent(identifier)}`;

export async function ragListPage(context: PageContext): Promise<Response> {
  const prefix = (filterIn(context, "begins") ?? "").toLowerCase();
  const { db } = context.get("services");
  const { data, before, after } = await listRagLines(db, pageAt(context), prefix);
  const mayChange = isAdmin(context);
  const moves = data.some(({ pending, processing, isBuilding }) => {
    return pending + processing > 0 || isBuilding;
  });
  const content = (
    <>
      <PageHead title="RAGs" sub="A RAG indexes the documents of one file source.">
        {mayChange ? (
          <a class="btn primary" href="/panel/new/rag">
            New RAG
          </a>
        ) : null}
      </PageHead>
      <PrefixFilter action="/panel/rags" label="Identifier begins with" prefix={prefix} />
      <div id="rags" data-live>
        <Table
          label="RAGs"
          rows={data}
          empty={
            prefix === "" ? (
              <Empty title="There are no RAGs yet.">
                <p>A RAG cuts the documents of a source into passages and finds the right ones.</p>
              </Empty>
            ) : (
              <Empty title="No RAG is like that." />
            )
          }
          columns={[
            { head: "Name", cell: (line) => <Name line={line} /> },
            { head: "Files", cell: (line) => <Files line={line} /> },
            { head: "Passages", numeric: true, cell: ({ passages }) => count(passages) },
            {
              head: "Embedding model",
              wide: true,
              cell: ({ embeddingModel }) => <Data mono>{embeddingModel}</Data>,
            },
          ]}
        />
      </div>
      <Pager here={hereOf(context)} before={before} after={after} />
    </>
  );
  const refreshSeconds = moves ? LOOK_EVERY_SECONDS : null;
  return await page(context, { title: "RAGs", place: "rags", refreshSeconds }, content);
}

const Name = ({ line }: { line: RagLine }) => (
  <>
    <a href={ragAddress(line.identifier)}>
      <Data>{line.name}</Data>
    </a>
    <div class="faint">
      {line.status === "paused" ? <Status tone="off">paused · </Status> : null}
      {line.sourceFailed && line.status === "active" ? (
        <Status tone="bad">source failed · </Status>
      ) : null}
      {line.isBuilding ? <Status tone="work">new index is being built · </Status> : null}
      of{" "}
      <a href={`/panel/sources/${encodeURIComponent(line.sourceIdentifier)}`}>
        <Data>{line.sourceName}</Data>
      </a>
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
