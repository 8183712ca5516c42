import { Hono } from "hono";
import type { Child } from "hono/jsx";

import { findRag } from "../../../catalog/rags/find-rag.ts";
import { notFound } from "../../../core/errors.ts";
import { findFileDetail, type FileDetail } from "../../../db/files/file-store.ts";
import { retryFiles } from "../../../ingestion/indexing/retry-files.ts";
import { removePushedFile } from "../../../ingestion/uploads/remove-pushed-file.ts";
import { Data, LinkButton, safeHref, TimeOr, DataLink, Problem } from "../../components/data.tsx";
import { counted, size, count } from "../../components/figures.ts";
import { ActionButton } from "../../components/form.tsx";
import { Tabs, Empty, Facts } from "../../components/page-head.tsx";
import { page, isAdmin, type PageContext, type PageEnv } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { formOf } from "../request/form.ts";
import { removable } from "../request/removal.tsx";
import { BUSY_SECONDS } from "./source-state.ts";
import { passagesTab, textTab, type ShownFile } from "./file-content.tsx";
import { sourceOf, trailTo } from "./shown-source.ts";
import { CodeLine, CopyButton } from "../../components/code-block.tsx";
import { FileStatus } from "../../components/status.tsx";
import { Table } from "../../components/table.tsx";
import { takenBy } from "../../../sources/registry.ts";

/** The file that the address names. @throws QuarryError `not-found`. */
async function fileOf(context: PageContext, path: string): Promise<ShownFile> {
  const shown = await sourceOf(context);
  const file = await findFileDetail(context.get("services").db, shown.source.id, path);
  if (file === null) throw notFound();
  return { shown, file, here: `${shown.path}/file?path=${encodeURIComponent(path)}` };
}

/** One file: what was read from it, how it was cut, and where it is. */
export function filePages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/:id/file", async (context) => {
    const of = await fileOf(context, context.req.query("path") ?? "");
    const rag = context.req.query("rag");
    const tab =
      rag === undefined ? await textTab(context, of) : await passagesTab(context, of, rag);
    return await filePage(context, of, rag, tab);
  });

  app.post("/:id/file/retry", async (context) => {
    const form = await formOf(context);
    const { file, here } = await fileOf(context, form.exact("path"));
    const services = context.get("services");
    for (const { ragIdentifier } of file.rags.filter(({ status }) => status === "error")) {
      auditAs(context, "rags.retry", ragIdentifier);
      const rag = await findRag(services, { key: ragIdentifier });
      await retryFiles(services, { ragId: rag.id, paths: [file.path] });
    }
    return redirectWithNotice(context, here, { notice: "It is tried again now." });
  });

  removable(app, "/:id/file/remove", async (context, form) => {
    const { shown, file, here } = await fileOf(context, form.exact("path"));
    const { source } = shown;
    if (takenBy(source.provider) !== "files") throw notFound();
    const { path } = file;
    return {
      title: "Remove the file",
      place: "sources",
      trail: [...trailTo(shown), { name: path, href: here }],
      name: path,
      values: { path },
      says: (
        <p>
          Deletes <Data>{path}</Data>, {size(file.size)}, with its{" "}
          {counted(passagesOf(file), "passage")} in {counted(file.rags.length, "RAG")}. This service
          holds no other copy of it.
        </p>
      ),
      audit: ["file-sources.files.remove", source.id],
      remove: () => removePushedFile(context.get("services"), { source: { id: source.id }, path }),
      to: shown.path,
      notice: "The file is removed; no search finds it any more.",
    };
  });
  return app;
}

async function filePage(
  context: PageContext,
  { shown, file, here }: ShownFile,
  rag: string | undefined,
  tab: Child,
): Promise<Response> {
  const isBusy = file.rags.some(({ status }) => status === "pending" || status === "processing");
  const passages = file.rags.map(({ ragIdentifier, ragName }) => {
    return [`&rag=${ragIdentifier}`, `Passages in ${ragName}`];
  });
  return await page(
    context,
    {
      title: file.path,
      data: true,
      place: "sources",
      refreshSeconds: isBusy ? BUSY_SECONDS : null,
      trail: trailTo(shown),
      actions: isAdmin(context) ? <Actions of={{ shown, file, here }} /> : null,
    },
    <>
      <div id="file-state" data-live>
        <FileFacts file={file} now={context.get("services").now()} />
      </div>
      <Tabs
        label="Pages of this file"
        address={here}
        names={Object.fromEntries([["", "Text as it was read"], ...passages])}
        here={rag === undefined ? "" : `&rag=${rag}`}
      />
      {tab}
    </>,
  );
}

const Actions = ({ of: { shown, file } }: { of: ShownFile }) => (
  <>
    {file.rags.some(({ status }) => status === "error") ? (
      <ActionButton
        action={`${shown.path}/file/retry`}
        label="Try again"
        values={{ path: file.path }}
        kind="primary"
      />
    ) : null}
    {takenBy(shown.source.provider) === "files" && file.deletedAt === null ? (
      <LinkButton
        href={`${shown.path}/file/remove?path=${encodeURIComponent(file.path)}`}
        label="Remove …"
        kind="danger"
      />
    ) : null}
  </>
);

const passagesOf = ({ rags }: ShownFile["file"]) =>
  rags.reduce((sum, { chunkCount }) => sum + chunkCount, 0);

/** What is known of a file, in which RAGs it is, and what was left out of it. */
const FileFacts = ({ file, now }: { file: FileDetail; now: number }) => {
  const href = safeHref(file.url);
  const notes = [...new Set(file.rags.flatMap((rag) => rag.notes))];
  return (
    <>
      <Facts
        facts={[
          ["Path", <CodeLine text={file.path} label="path" />],
          ["Size", size(file.size)],
          ["Type", <Data>{file.mimeType}</Data>],
          ...(href === null
            ? []
            : ([
                [
                  "Address",
                  <>
                    <a href={href} rel="noreferrer">
                      <Data>{href}</Data>
                    </a>{" "}
                    <CopyButton text={href} label="address" />
                  </>,
                ],
              ] as const)),
          ["Last changed", <TimeOr at={file.modifiedAt} now={now} none="–" />],
          ["Known since", <TimeOr at={file.createdAt} now={now} none="–" />],
        ]}
      />
      <h2>In RAGs</h2>
      <InRags rags={file.rags} now={now} />
      {notes.length === 0 ? null : (
        <>
          <h2>Left out or repaired</h2>
          <ul>
            {notes.map((note) => (
              <li>
                <Data>{note}</Data>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>Content</h2>
    </>
  );
};

type InRagsProps = { rags: FileDetail["rags"]; now: number };

const InRags = ({ rags, now }: InRagsProps) => (
  <Table
    label="RAGs"
    rows={rags}
    empty={
      <Empty title="It is in no RAG.">
        <p>No RAG reads this source, or the file lies outside the scopes of those that do.</p>
      </Empty>
    }
    columns={[
      {
        head: "RAG",
        cell: (rag) => (
          <>
            <DataLink href={`/panel/rags/${rag.ragIdentifier}`} text={rag.ragName} />
            <Problem text={rag.errorMessage} />
          </>
        ),
      },
      { head: "Status", cell: ({ status }) => <FileStatus status={status} /> },
      { head: "Passages", numeric: true, cell: ({ chunkCount }) => count(chunkCount) },
      {
        head: "Indexed",
        wide: true,
        cell: ({ indexedAt }) => <TimeOr at={indexedAt} now={now} none="–" />,
      },
    ]}
  />
);
