import { Hono } from "hono";
import type { Child } from "hono/jsx";

import { findRag } from "../../../catalog/rags/find-rag.ts";
import { notFound } from "../../../core/errors.ts";
import { findFileDetail } from "../../../db/files/file-store.ts";
import { retryFiles } from "../../../ingestion/indexing/retry-files.ts";
import { removePushedFile } from "../../../ingestion/uploads/remove-pushed-file.ts";
import { Data } from "../../components/data.tsx";
import { counted, size } from "../../components/figures.ts";
import { ActionButton } from "../../components/form.tsx";
import { LinkButton } from "../../components/link.tsx";
import { Tabs } from "../../components/page-head.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { formOf } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { removable } from "../request/removal.tsx";
import { passagesTab, textTab, type ShownFile } from "./file-content.tsx";
import { FileFacts } from "./file-facts.tsx";
import { sourceOf } from "./shown-source.ts";

const BUSY_SECONDS = 3;

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
      await retryFiles(services, { ragId: rag.id, path: file.path });
    }
    return redirectWithNotice(context, here, { notice: "It is tried again now." });
  });

  removable(app, "/:id/file/remove", async (context, form) => {
    const { shown, file, here } = await fileOf(context, form.exact("path"));
    const { source } = shown;
    if (source.provider !== "file_system") throw notFound();
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

const trailTo = ({ source, path }: ShownFile["shown"]) => [
  { name: "Sources", href: "/panel/sources" },
  { name: source.name, href: path },
];

async function filePage(
  context: PageContext,
  { shown, file, here }: ShownFile,
  rag: string | undefined,
  tab: Child,
): Promise<Response> {
  const isBusy = file.rags.some(({ status }) => status === "pending" || status === "processing");
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
        here={rag === undefined ? here : `${here}&rag=${rag}`}
        tabs={[
          { name: "Text as it was read", href: here },
          ...file.rags.map(({ ragIdentifier, ragName }) => ({
            name: `Passages in ${ragName}`,
            href: `${here}&rag=${ragIdentifier}`,
          })),
        ]}
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
    {shown.source.provider === "file_system" && file.deletedAt === null ? (
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
