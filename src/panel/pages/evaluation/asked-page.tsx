import { listLeastFoundQueries, type QueryGroup } from "../../../db/evaluation/query-store.ts";
import { Data, Time, DataLink } from "../../components/data.tsx";
import { count, countText } from "../../components/figures.ts";
import { Empty } from "../../components/page-head.tsx";
import { Table } from "../../components/table.tsx";
import { page, type PageContext } from "../page.tsx";
import { newQuestionAddress, PLACE } from "./set-parts.tsx";

const GROUPS_SHOWN = 100;
const SCORE_DIGITS = 3;

/** For administrators: queries can be personal. */
export async function askedPage(context: PageContext): Promise<Response> {
  const { config, db } = context.get("services");
  const days = config.KEEP_QUERIES_DAYS;
  const groups = days === 0 ? [] : await listLeastFoundQueries(db, GROUPS_SHOWN);
  const lead = `Queries of the last ${countText(days, "day")}, the worst results first.`;
  return await page(
    context,
    {
      title: "What people ask and do not find",
      trail: [PLACE],
      sub: days === 0 ? undefined : lead,
    },
    <Table
      label="Queries"
      rows={groups}
      empty={<NothingKept days={days} />}
      columns={[
        { head: "Query", cell: (group) => <Query group={group} /> },
        { head: "Times", numeric: true, cell: ({ times }) => count(times) },
        {
          head: "Best score",
          numeric: true,
          cell: ({ bestScore }) => bestScore?.toFixed(SCORE_DIGITS) ?? "nothing found",
        },
        { head: "Last", wide: true, cell: ({ lastAt }) => <Time at={lastAt} /> },
        {
          head: "",
          cell: ({ ragIdentifier: rag, query, file }) => (
            <a href={newQuestionAddress({ rag, question: query.split("\n", 1)[0] ?? "", file })}>
              Keep as a question
            </a>
          ),
        },
      ]}
    />,
  );
}

const NothingKept = ({ days }: { days: number }) =>
  days === 0 ? (
    <Empty title="No queries are kept.">
      The variable <code>KEEP_QUERIES_DAYS</code> sets how many days Quarry keeps the queries of
      programs, with the scores of their results. Queries can be personal, so the default is 0.
    </Empty>
  ) : (
    <Empty title="No program has searched yet." />
  );

const Query = ({ group: { ragIdentifier, ragName, query, file } }: { group: QueryGroup }) => {
  const search = new URLSearchParams({ rag: ragIdentifier, q: query });
  return (
    <>
      <DataLink href={`/panel/search?${search.toString()}`} text={query} />
      <div class="faint">
        <Data>{ragName}</Data>
        {file === null ? null : (
          <>
            : <Data>{file}</Data>
          </>
        )}
      </div>
    </>
  );
};
