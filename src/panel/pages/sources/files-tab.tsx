import type { Child } from "hono/jsx";

import type { SourceFile } from "../../../db/files/source-file-list.ts";
import { readFilePage, readFilePageByStatus } from "../../../db/files/source-file-pages.ts";
import { FILE_STATUSES } from "../../../db/schema/rags.ts";
import { Data } from "../../components/data.tsx";
import { size } from "../../components/figures.ts";
import { Filters, FilterSelect, FilterText } from "../../components/filters.tsx";
import { Empty } from "../../components/page-head.tsx";
import { Pager } from "../../components/pager.tsx";
import { FileStatus } from "../../components/status.tsx";
import { Table, type Column } from "../../components/table.tsx";
import { TimeOr } from "../../components/time.tsx";
import type { PageContext } from "../page-env.ts";
import { isAdmin } from "../request/guards.ts";
import { choiceIn, filterIn, hereOf, pageAt } from "../request/list-query.ts";
import type { ShownSource } from "./shown-source.ts";
import { DropPlace } from "./drop-place.tsx";

const STATUSES = [
  { value: "", label: "any status" },
  { value: "indexed", label: "indexed" },
  { value: "error", label: "failed" },
  { value: "pending", label: "waiting" },
  { value: "processing", label: "being read" },
  { value: "deleted", label: "deleted" },
];

/** A source's files, filtered by how their paths begin and by status. */
export async function filesTab(context: PageContext, shown: ShownSource): Promise<Child> {
  const { db, now } = context.get("services");
  const { source, rags, path } = shown;
  const prefix = filterIn(context, "path") ?? "";
  const status = choiceIn(context, "status", FILE_STATUSES);
  const query = { sourceId: source.id, prefix, at: pageAt(context) };
  const listed =
    status === null
      ? await readFilePage(db, query)
      : await readFilePageByStatus(db, query, { status, indexes: rags });
  const isFiltered = prefix !== "" || status !== null;
  const takesFiles = source.provider === "file_system" && isAdmin(context);
  return (
    <>
      {takesFiles ? <DropPlace path={path} identifier={source.identifier} /> : null}
      <Filters action={path} active={isFiltered}>
        <FilterText name="path" label="Path begins with" value={prefix} />
        <FilterSelect name="status" label="Status" value={status ?? ""} options={STATUSES} />
      </Filters>
      <div id="files" data-live>
        <Table
          label="Files"
          rows={listed.data}
          columns={columnsOf(path, now())}
          empty={<NoFiles isFiltered={isFiltered} isPushed={source.provider === "file_system"} />}
        />
      </div>
      <Pager here={hereOf(context)} before={listed.before} after={listed.after} />
    </>
  );
}

const NoFiles = ({ isFiltered, isPushed }: { isFiltered: boolean; isPushed: boolean }) =>
  isFiltered ? (
    <Empty title="No file is like that." />
  ) : (
    <Empty title="There are no files yet.">
      <p>
        {isPushed ? "Upload some, or push a folder." : "They show here once a scan has found them."}
      </p>
    </Empty>
  );

const columnsOf = (sourcePath: string, now: number): Column<SourceFile>[] => [
  {
    head: "File",
    cell: (file) => (
      <>
        <a href={`${sourcePath}/file?path=${encodeURIComponent(file.path)}`}>
          <Data>{file.path}</Data>
        </a>
        {file.errorMessage === null ? null : (
          <div class="problem">
            <Data>{file.errorMessage}</Data>
          </div>
        )}
      </>
    ),
  },
  { head: "Status", cell: ({ status }) => <FileStatus status={status} /> },
  { head: "Size", numeric: true, wide: true, cell: (file) => size(file.size) },
  {
    head: "Indexed",
    wide: true,
    cell: ({ indexedAt }) => <TimeOr at={indexedAt} now={now} none="–" />,
  },
];
