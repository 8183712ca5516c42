import type { Child } from "hono/jsx";

import type { SourceFile } from "../../../db/files/source-file-list.ts";
import { countListedFiles, readFilePage } from "../../../db/files/source-file-pages.ts";
import { readFilesBySize, readFilesByStatus } from "../../../db/files/source-file-pages.ts";
import { FILE_STATUSES, type FileStatus } from "../../../db/schema/rags.ts";
import type { Database } from "../../../db/sql.ts";
import { textStream } from "../../../http/text-stream.ts";
import { pushKind } from "../../../sources/registry.ts";
import { TimeOr, ShortenedLink, Problem, Menu, MenuPost } from "../../components/data.tsx";
import { FileStatus as Status, FILE_STATES, ForAdmins } from "../../components/data.tsx";
import { size } from "../../components/figures.ts";
import { Empty } from "../../components/page-head.tsx";
import { Filters, FilterSelect, FilterText } from "../../components/table.tsx";
import type { Column, Columns } from "../../components/table.tsx";
import { type PageContext } from "../page-env.ts";
import { FILES_COUNTED, List, choiceIn, filterIn, pageAt, sortIn } from "../request/list.tsx";
import { filesAsCsv } from "./export-files.ts";
import { SelectionBar } from "./selected-files.tsx";
import type { ShownSource } from "./shown-source.ts";

const STATUSES = [
  { value: "", label: "any status" },
  ...FILE_STATUSES.map((value) => ({ value, label: FILE_STATES[value][1] })),
];

export async function filesTab(context: PageContext, view: ShownSource): Promise<Child> {
  const { source, path } = view;
  const part = filterIn(context, "path") ?? "";
  const status = choiceIn(context, "status", FILE_STATUSES);
  const { listed, sort, sorts } = await readSortedFiles(context, view);
  const isFiltered = part !== "" || status !== null;
  const isPushed = pushKind(source.provider) === "files";
  const total = part === "" ? await countListed(context.get("services").db, view, status) : null;
  const hasRows = listed.data.length > 0;
  return (
    <>
      <ForAdmins>
        {isPushed ? <DropPlace path={path} identifier={source.identifier} /> : null}
      </ForAdmins>
      <Filters action={path} active={isFiltered}>
        <FilterText name="path" label="Path contains" value={part} />
        <FilterSelect name="status" label="Status" value={status ?? ""} options={STATUSES} />
      </Filters>
      <ForAdmins>
        <SelectionBar path={path} isPushed={isPushed} hasRows={hasRows} />
      </ForAdmins>
      <List
        context={context}
        label="Files"
        one="file"
        listed={{ ...listed, total, sort, isIndexed: true }}
        countedTo={FILES_COUNTED}
        columns={columnsOf({ path, isPushed, sorts })}
        beside={hasRows ? <a href={csvAddress(context, path)}>Export as CSV</a> : null}
        empty={
          <NoFiles isFiltered={isFiltered} hasMore={listed.after !== null} isPushed={isPushed} />
        }
      />
    </>
  );
}

/** One page in the order that the address asks for. A filtered list is in order of path alone. */
async function readSortedFiles(context: PageContext, view: ShownSource) {
  const { db } = context.get("services");
  const query = fileQueryOf(context, view);
  const isFiltered = query.part !== "" || query.status !== null;
  const index = isFiltered ? null : wholeIndexOf(view);
  const sorts = new Set([
    "path",
    ...(isFiltered ? [] : ["size"]),
    ...(index === null ? [] : ["status"]),
  ]);
  const order = sortIn(context);
  const sort = order !== null && sorts.has(order.by) ? order : { by: "path", descending: false };
  const list = { ...query, at: pageAt(context), descending: sort.descending };
  if (sort.by === "size") return { listed: await readFilesBySize(db, list), sort, sorts };
  if (sort.by === "status" && index !== null) {
    return { listed: await readFilesByStatus(db, { ...list, index }), sort, sorts };
  }
  return { listed: await readFilePage(db, list), sort, sorts };
}

/** The one index that holds all files: with several, or a part, no index has a file's status. */
const wholeIndexOf = ({ rags: [rag, secondRag] }: ShownSource) =>
  rag?.scopeMode === "global" && secondRag === undefined && rag.coming === 0 ? rag : null;

function fileQueryOf(context: PageContext, { source, rags }: ShownSource) {
  const status = choiceIn(context, "status", FILE_STATUSES);
  const sort = sortIn(context);
  return {
    sourceId: source.id,
    part: filterIn(context, "path") ?? "",
    descending: sort?.by === "path" && sort.descending,
    status: status === null ? null : { status, indexes: rags },
  };
}

export function filesCsv(context: PageContext, view: ShownSource): Response {
  const lines = filesAsCsv(context.get("services").db, fileQueryOf(context, view));
  return context.body(textStream(lines), 200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${view.source.identifier}.csv"`,
  });
}

/** How many files the list has, from counters where a RAG indexes all of them; null: unknown. */
async function countListed(db: Database, { source, rags }: ShownSource, status: FileStatus | null) {
  const [rag, secondRag] = rags;
  if (status !== null) {
    return rag === undefined || secondRag !== undefined || rag.coming > 0 ? null : rag[status];
  }
  const all = rags.find(({ scopeMode }) => scopeMode === "global");
  if (all === undefined) return await countListedFiles(db, source.id, FILES_COUNTED);
  return FILE_STATUSES.reduce((sum, status) => sum + all[status], 0);
}

type NoFilesProps = { isFiltered: boolean; hasMore: boolean; isPushed: boolean };

const NoFiles = ({ isFiltered, hasMore, isPushed }: NoFilesProps) =>
  hasMore ? (
    <Empty title="No match among 100,000 files. The search continues on the next page." />
  ) : isFiltered ? (
    <Empty title="No matches." />
  ) : (
    <Empty title="There are no files yet.">
      {isPushed ? "Upload some, or push a folder." : "They appear here after the first scan."}
    </Empty>
  );

type FilesView = {
  path: string;
  isPushed: boolean;
  /** The columns by which this list can be sorted. */
  sorts: ReadonlySet<string>;
};

const sortColumn = (sorts: ReadonlySet<string>, by: string) => (sorts.has(by) ? { sort: by } : {});

const csvAddress = (context: PageContext, path: string) =>
  `${path}/files.csv${new URL(context.req.url).search}`;

const SELECTED: Column<SourceFile> = {
  forAdmins: true,
  head: (
    <>
      {/* The box is hidden until its script runs. */}
      <span class="hidden">Selection</span>
      <input type="checkbox" data-select-all="" aria-label="Select all on this page" />
    </>
  ),
  cell: ({ path }) => (
    <input type="checkbox" name="path" value={path} form="selected" aria-label={`Select ${path}`} />
  ),
};

const columnsOf = ({ path, isPushed, sorts }: FilesView): Columns<SourceFile> => [
  SELECTED,
  {
    head: "Path",
    main: true,
    sort: "path",
    cell: (file) => (
      <>
        <ShortenedLink
          href={`${path}/file?path=${encodeURIComponent(file.path)}`}
          text={file.path}
        />
        <Problem text={file.errorMessage} />
        {file.isExcluded ? <div class="faint">left out of search</div> : null}
      </>
    ),
  },
  {
    head: "Status",
    ...sortColumn(sorts, "status"),
    cell: ({ status }) => <Status status={status} />,
  },
  {
    head: "Size",
    ...sortColumn(sorts, "size"),
    numeric: true,
    wide: true,
    cell: (file) => size(file.size),
  },
  { head: "Indexed", wide: true, cell: ({ indexedAt }) => <TimeOr at={indexedAt} none="–" /> },
  { head: "", forAdmins: true, cell: (file) => <Actions of={{ path, file, isPushed }} /> },
];

type ActionsOf = { path: string; file: SourceFile; isPushed: boolean };

const Actions = ({ of: { path, file, isPushed } }: { of: ActionsOf }) => {
  const query = `?path=${encodeURIComponent(file.path)}`;
  const indexing = (label: string, action: "retry" | "reindex") => (
    <MenuPost action={`${path}/selected`} label={label} values={{ path: file.path, action }} />
  );
  const isFailed = file.status === "error";
  return (
    <Menu of={file.path}>
      <a href={`${path}/file${query}`}>Open</a>
      {isFailed ? indexing("Try again", "retry") : null}
      {file.status === "deleted" ? null : (
        <MenuPost
          action={`${path}/file/search`}
          label={file.isExcluded ? "Include in search" : "Leave out of search"}
          values={{ path: file.path, excluded: file.isExcluded ? "" : "on" }}
        />
      )}
      {isFailed || file.status === "indexed" ? indexing("Index again", "reindex") : null}
      {isPushed && file.status !== "deleted" ? (
        <a class="danger" href={`${path}/file/remove${query}`}>
          Remove …
        </a>
      ) : null}
    </Menu>
  );
};

/** Where files and folders are dropped or chosen; without a script, files are chosen and sent. */
const DropPlace = ({ path, identifier }: { path: string; identifier: string }) => (
  <section
    class="drop"
    aria-label="Upload"
    data-drop={`/panel/api/file-sources/${identifier}/files`}
  >
    <form method="post" action={`${path}/upload`} enctype="multipart/form-data">
      <span class="needs-script">Drop files or a folder here, or</span>
      <label class="btn primary file">
        Choose files
        <input type="file" name="files" multiple required />
      </label>
      <label class="btn file needs-script">
        Choose folder
        <input type="file" name="folder" webkitdirectory />
      </label>
      <button class="btn without-script">Upload</button>
      <span class="chosen-files without-script">Files are chosen.</span>
    </form>
    <div data-drop-progress hidden>
      <progress max="1" value="0" aria-label="Files uploaded"></progress>
      <p role="status"></p>
      <ul class="plain problem" data-drop-failed></ul>
      <ul class="plain faint" data-drop-files></ul>
    </div>
  </section>
);
