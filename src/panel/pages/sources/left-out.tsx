import { listExclusions, type Exclusion } from "../../../db/catalog/exclusion-store.ts";
import { Faint, Shortened, ShortenedLink, Time, ActionButton } from "../../components/data.tsx";
import { Empty } from "../../components/page-head.tsx";
import { Table, type Columns } from "../../components/table.tsx";
import { type PageContext } from "../page-env.ts";
import { sliceIn, Part, ROWS } from "../request/list.tsx";
import { fileAddress } from "../search/hits.tsx";
import type { ShownSource } from "./shown-source.ts";

/** The end of the address below a source; forms that lead back name it. */
export const LEFT_OUT = "/left-out";

/** Files and passages of a source that no search finds, each with the way back. */
export async function leftOutTab(context: PageContext, { source, path }: ShownSource) {
  const { db } = context.get("services");
  const slice = sliceIn(context, ROWS);
  const { data, total } = await listExclusions(db, { sourceId: source.id, ...slice });
  const columns: Columns<Exclusion> = [
    {
      head: "Left out",
      main: true,
      cell: (exclusion) => (
        <>
          <ShortenedLink
            href={fileAddress(source.identifier, exclusion.path)}
            text={exclusion.path}
          />
          {exclusion.kind === "file" ? null : <Faint text={exclusion.excerpt} />}
        </>
      ),
    },
    { head: "What", cell: ({ kind }) => (kind === "file" ? "whole file" : "one passage") },
    { head: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { head: "By", wide: true, cell: ({ createdBy }) => <Shortened text={createdBy ?? "–"} /> },
    {
      head: "",
      forAdmins: true,
      cell: ({ kind, value, path: file }) => {
        const passage = kind === "file" ? {} : { textHash: value };
        const values = { path: file, ...passage, excluded: "", back: LEFT_OUT };
        return <ActionButton action={`${path}/file/search`} label="Include" values={values} />;
      },
    },
  ];
  return (
    <>
      <Table
        label="Left out of search"
        rows={data}
        columns={columns}
        empty={
          <Empty title="Nothing is left out of search.">
            The page of a file leaves it, or one of its passages, out of every search.
          </Empty>
        }
      />
      <Part here={path + LEFT_OUT} {...slice} total={total} unit="item" />
    </>
  );
}
