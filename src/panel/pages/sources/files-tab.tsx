import type { Child } from "hono/jsx";

import type { SourceFile } from "../../../db/files/source-file-list.ts";
import { readFilePage } from "../../../db/files/source-file-pages.ts";
import { FILE_STATUSES } from "../../../db/schema/rags.ts";
import { TimeOr, DataLink, Problem } from "../../components/data.tsx";
import { size } from "../../components/figures.ts";
import { Filters, FilterSelect, FilterText } from "../../components/filters.tsx";
import { Empty } from "../../components/page-head.tsx";
import { FileStatus, FILE_WORDS } from "../../components/status.tsx";
import type { Column } from "../../components/table.tsx";
import { type PageContext, isAdmin } from "../page-env.ts";
import { List } from "../request/list.tsx";
import { choiceIn, filterIn, pageAt } from "../request/list-query.ts";
import type { ShownSource } from "./shown-source.ts";
import { takenBy } from "../../../sources/registry.ts";

const STATUSES = [
  { value: "", label: "any status" },
  ...FILE_STATUSES.map((value) => ({ value, label: FILE_WORDS[value] ?? value })),
];

/** A source's files, filtered by a part of their paths and by status. */
export async function filesTab(context: PageContext, shown: ShownSource): Promise<Child> {
  const { db, now } = context.get("services");
  const { source, rags, path } = shown;
  const part = filterIn(context, "path") ?? "";
  const status = choiceIn(context, "status", FILE_STATUSES);
  const listed = await readFilePage(db, {
    sourceId: source.id,
    part,
    at: pageAt(context),
    status: status === null ? null : { status, indexes: rags },
  });
  const isFiltered = part !== "" || status !== null;
  const isPushed = takenBy(source.provider) === "files";
  return (
    <>
      {isPushed && isAdmin(context) ? (
        <DropPlace path={path} identifier={source.identifier} />
      ) : null}
      <Filters action={path} active={isFiltered}>
        <FilterText name="path" label="Path contains" value={part} />
        <FilterSelect name="status" label="Status" value={status ?? ""} options={STATUSES} />
      </Filters>
      <List
        context={context}
        label="Files"
        listed={listed}
        columns={columnsOf(path, now())}
        empty={
          <NoFiles isFiltered={isFiltered} hasMore={listed.after !== null} isPushed={isPushed} />
        }
      />
    </>
  );
}

type NoFilesProps = { isFiltered: boolean; hasMore: boolean; isPushed: boolean };

const NoFiles = ({ isFiltered, hasMore, isPushed }: NoFilesProps) =>
  hasMore ? (
    <Empty title="No match among 100,000 files. The search continues on the next page." />
  ) : isFiltered ? (
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
        <DataLink
          href={`${sourcePath}/file?path=${encodeURIComponent(file.path)}`}
          text={file.path}
        />
        <Problem text={file.errorMessage} />
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

/** Where files and folders are dropped or chosen; without a script, files are chosen and sent. */
const DropPlace = ({ path, identifier }: { path: string; identifier: string }) => (
  <section
    class="drop"
    aria-label="Upload"
    data-drop={`/panel/api/file-sources/${identifier}/files`}
  >
    <form method="post" action={`${path}/upload`} enctype="multipart/form-data">
      <label>
        Files <input type="file" name="files" multiple />
      </label>
      <label class="needs-script">
        or a folder <input type="file" name="folder" webkitdirectory />
      </label>
      <button class="btn">Upload</button>
      <span class="faint needs-script">or drop files and folders here</span>
    </form>
    <div data-drop-progress hidden role="status">
      <progress max="1" value="0" aria-label="Uploaded"></progress>
      <p></p>
      <ul class="plain problem"></ul>
    </div>
  </section>
);
