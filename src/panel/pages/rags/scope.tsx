import { trailOf } from "../../../core/folders.ts";
import { trimEnd } from "../../../core/trim.ts";
import { readScopes } from "../../../db/catalog/rag-scope-store.ts";
import { listFolder, type FolderEntry } from "../../../db/files/source-file-list.ts";
import type { RagRecord } from "../../../db/records.ts";
import type { IndexScope } from "../../../ports/rag-index.ts";
import { Data, DataLink, LinkButton, Status, ForAdmins } from "../../components/data.tsx";
import { ActionButton } from "../../components/data.tsx";
import { count } from "../../components/figures.ts";
import { Form, SelectField, TextField, field } from "../../components/form.tsx";
import { freshForm, type FormState } from "../../components/form.tsx";
import { Empty } from "../../components/page-head.tsx";
import { Table } from "../../components/table.tsx";
import { type PageContext } from "../page.tsx";
import { withQuery, pathIn } from "../request/list.tsx";
import { ragAddress, ragTab } from "./rag-tab.tsx";

const ENTRIES = 100;
const SCOPES_LISTED = 100;

export async function scopePage(
  context: PageContext,
  rag: RagRecord,
  state: FormState = freshForm({ type: "path" }),
): Promise<Response> {
  return await ragTab(
    context,
    { rag, here: "/scope", window: `What ${rag.name} indexes`, status: state.status },
    rag.scopeMode === "global" ? <Everything rag={rag} /> : await scopeParts(context, rag, state),
  );
}

const Everything = ({ rag }: { rag: RagRecord }) => (
  <>
    <p>
      Everything in <Data>{rag.fileSource.name}</Data>, including files added later.
    </p>
    <ForAdmins>
      <p class="soft">
        To index a part of the source, choose folders and files. Other files are removed from the
        index.
      </p>
      <LinkButton
        href={`${ragAddress(rag.identifier)}/scope/narrow`}
        label="Index chosen parts only …"
      />
    </ForAdmins>
  </>
);

async function scopeParts(context: PageContext, rag: RagRecord, state: FormState) {
  const { db } = context.get("services");
  const path = pathIn(context, "path");
  const folder = path === "" ? "" : `${trimEnd(path, "/")}/`;
  const after = pathIn(context, "after");
  const slice = { sourceId: rag.fileSource.id, folder, after: after || null, limit: ENTRIES };
  const entries = await listFolder(db, slice);
  const above = trailOf(folder);
  const paths = [...entries.map(({ path }) => path), ...above];
  const query = { ragId: rag.id, paths, after: null, limit: SCOPES_LISTED };
  const { among, listed } = await readScopes(db, query);
  const through = above.find((path) => among.has(path)) ?? null;
  const address = `${ragAddress(rag.identifier)}/scope`;
  const tree: Tree = { here: address, folder, entries, among, through };
  return (
    <>
      <div class="cols">
        <section aria-labelledby="tree-title">
          <h2 id="tree-title">Folders and files of the source</h2>
          <Crumbs here={address} above={above} />
          <Folder tree={tree} />
        </section>
        <aside aria-label="Chosen">
          <section>
            <h2>Chosen</h2>
            <ChosenList tree={tree} scopes={listed} />
          </section>
        </aside>
      </div>
      <ForAdmins>
        <Typed here={address} state={state} rag={rag} />
      </ForAdmins>
    </>
  );
}

type Tree = {
  here: string;
  /** With its trailing slash; "" is the root. */
  folder: string;
  entries: FolderEntry[];
  /** Which of the entries are scopes of their own. */
  among: ReadonlySet<string>;
  /** The folder above that is a scope; null: there is none. */
  through: string | null;
};

const Folder = ({ tree }: { tree: Tree }) => {
  const { here, folder, entries, among, through } = tree;
  const last = entries.length === ENTRIES ? entries.at(-1) : undefined;
  return (
    <>
      <Table
        label="Folders and files"
        rows={entries}
        empty={
          <Empty title="This folder is empty.">
            The files of the source appear here after its first scan or upload.
          </Empty>
        }
        columns={[
          { head: "Name", cell: (entry) => <Entry tree={tree} entry={entry} /> },
          {
            head: "Indexed",
            cell: ({ path }) => <Chosen isChosen={among.has(path)} through={through} />,
          },
          { head: "", forAdmins: true, cell: ({ path }) => <Choose tree={tree} path={path} /> },
        ]}
      />
      {last === undefined ? null : (
        <p>
          <a href={withQuery(here, { path: folder, after: last.path })}>More of this folder</a>
        </p>
      )}
    </>
  );
};

const Crumbs = ({ here: address, above }: { here: string; above: string[] }) => (
  <nav class="trail" aria-label="Folders above">
    <a href={address}>All</a>
    {above.map((path) => (
      <>
        <span aria-hidden="true"> / </span>
        <DataLink href={withQuery(address, { path })} text={path.split("/").at(-2) ?? ""} />
      </>
    ))}
  </nav>
);

const Entry = ({ tree: { here: address, folder }, entry }: { tree: Tree; entry: FolderEntry }) => {
  const name = entry.path.slice(folder.length);
  if (!entry.isFolder) return <Data>{name}</Data>;
  return <DataLink href={withQuery(address, { path: entry.path })} text={name} />;
};

const Chosen = ({ isChosen, through }: { isChosen: boolean; through: string | null }) => {
  if (isChosen) return <Status tone="ok">yes</Status>;
  if (through === null) return <span class="soft">–</span>;
  return (
    <span class="soft">
      yes, in <Data>{through}</Data>
    </span>
  );
};

const Choose = ({ tree, path: value }: { tree: Tree; path: string }) => {
  const scope: IndexScope = { type: "path", value };
  if (tree.among.has(value)) return <LeaveOut tree={tree} scope={scope} />;
  if (tree.through !== null) return null;
  // A key of a bucket may begin with a slash; a requested path may not.
  if (value.startsWith("/")) return <span class="soft">only by its id</span>;
  const values = { ...scope, path: tree.folder };
  return <ActionButton action={`${tree.here}/add`} label="Index" values={values} />;
};

/** Leads to the page that shows how much it is. */
const LeaveOut = ({ tree, scope }: { tree: Tree; scope: IndexScope }) => {
  const href = withQuery(`${tree.here}/remove`, { ...scope, path: tree.folder });
  return <LinkButton href={href} label="Leave out …" />;
};

const ChosenList = ({ tree, scopes }: { tree: Tree; scopes: IndexScope[] }) => {
  if (scopes.length === 0)
    return <p class="soft">Nothing is chosen yet, so searches find nothing.</p>;
  return (
    <>
      <ul class="plain chosen">
        {scopes.map((scope) => (
          <li>
            <span>
              {scope.type === "externalId" ? <span class="soft">id </span> : null}
              <Data>{scope.value}</Data>
            </span>
            <ForAdmins>
              <LeaveOut tree={tree} scope={scope} />
            </ForAdmins>
          </li>
        ))}
      </ul>
      {scopes.length < SCOPES_LISTED ? null : (
        <p class="soft">The first {count(SCOPES_LISTED)}. The API lists them all.</p>
      )}
    </>
  );
};

/** A scope as somebody types it: `type` and `value`. */
export const ScopeFields = ({ state }: { state: FormState }) => (
  <>
    <SelectField
      {...field(state, "type", "By")}
      options={[
        { value: "path", label: "Path (a folder ends with /)" },
        { value: "externalId", label: "Id in the drive" },
      ]}
    />
    <TextField state={state} name="value" label="Path or id" />
  </>
);

/** Values that the tree does not show: ids of a drive, paths that come later; and the way back. */
const Typed = (props: { here: string; state: FormState; rag: RagRecord }) => (
  <>
    <details class="options" open={props.state.status !== 200}>
      <summary>Choose by path or id</summary>
      <Form action={`${props.here}/add`} state={props.state} submit="Index it">
        <input type="hidden" name="typed" value="on" />
        <ScopeFields state={props.state} />
      </Form>
    </details>
    <p class="soft">
      Or index everything in <Data>{props.rag.fileSource.name}</Data> again and discard the choice.
    </p>
    <LinkButton href={`${props.here}/everything`} label="Index everything …" />
  </>
);
