import type { z } from "zod";

import { invalid, notFound } from "../../../core/errors.ts";
import type { RagId } from "../../../core/ids.ts";
import { reindexFiles, retryFiles } from "../../../ingestion/indexing/retry-files.ts";
import { pushKind } from "../../../sources/registry.ts";
import { action, perform, type ActionCall } from "../../action.ts";
import { filesRemoval } from "../../api/file-batch.ts";
import { Data } from "../../components/data.tsx";
import { countText } from "../../components/figures.ts";
import type { FormValues } from "../../components/form.tsx";
import { confirmPage, type PageContext, type Pages } from "../page.tsx";
import { redirectWithNotice, formOf } from "../request/form.ts";
import { ROWS } from "../request/list.tsx";
import { submit } from "../request/submit.ts";
import { fileAddress } from "../search/hits.tsx";
import { sourceOf, trailTo, type ShownSource } from "./shown-source.ts";

/** A longer list of what is removed is folded. */
const LISTED_OPEN = 10;

type BarProps = { path: string; isPushed: boolean; hasRows: boolean };

/** The bar above a source's files: what is done with those that are ticked. */
export const SelectionBar = ({ path, isPushed, hasRows }: BarProps) => (
  <form method="post" action={`${path}/selected`} id="selected" class="selection" hidden={!hasRows}>
    <span class="faint" data-selected>
      Selected files:
    </span>
    <button class="btn small" name="action" value="retry">
      Try again
    </button>
    <button class="btn small" name="action" value="reindex">
      Index again
    </button>
    {isPushed ? (
      <button class="btn small danger" name="action" value="remove">
        Remove …
      </button>
    ) : null}
  </form>
);

/** Several files of one page of the list: tried again, or removed after a question. */
export function selectedFiles(pages: Pages): void {
  pages.forRecord(sourceOf).receive("/:id/selected", async (context, view) => {
    const form = await formOf(context);
    const paths = [...new Set(form.all("path"))];
    if (paths.length > ROWS) throw invalid(`at most ${ROWS} files at a time`);
    if (paths.length === 0) {
      return redirectWithNotice(context, view.path, { problem: "No files were selected." });
    }
    const action = form.text("action");
    if (action === "retry" || action === "reindex") {
      return await indexSelected(context, view, { paths, form });
    }
    if (pushKind(view.source.provider) !== "files") throw notFound();
    if (action !== "confirmed") return await askToRemove(context, view, paths);
    return await submit(context, filesRemoval, {
      subject: view.source,
      form,
      body: () => ({ paths }),
      to: view.path,
      flashOf: ({ missing, count }) => removalNotice(count, missing),
    });
  });
}

type FilesInRag = { ragId: RagId; identifier: string; paths: string[] };

const createIndexAction = (verb: "retry" | "reindex") =>
  action({
    name: `rags.${verb}`,
    about: "Index files of a RAG again: those that failed, or all.",
    work: ({ services, subject }: ActionCall<FilesInRag, z.ZodUndefined>) =>
      (verb === "retry" ? retryFiles : reindexFiles)(services, subject),
  });

/** Queues them in each RAG: those that failed, or all that are not queued yet. */
async function indexSelected(
  context: PageContext,
  { rags, path, source }: ShownSource,
  { paths, form }: { paths: string[]; form: FormValues },
) {
  const isRetry = form.text("action") === "retry";
  const isFile = form.text("back") === "file";
  const to = isFile ? fileAddress(source.identifier, paths[0] ?? "") : path;
  const change = createIndexAction(isRetry ? "retry" : "reindex");
  let queued = 0;
  for (const { ragId, identifier } of rags) {
    // Each RAG has an entry of its own in the audit trail.
    context.set("audit", undefined);
    const subject = { ragId, identifier, paths };
    queued = Math.max(queued, await perform(context, change, { subject, input: undefined }));
  }
  const notice = `${countText(queued, "file is", "files are")} being ${isRetry ? "tried" : "indexed"} again.`;
  const problem = isRetry
    ? "None of the selected files had failed."
    : "None of the selected files was indexed, or they are being indexed now.";
  return redirectWithNotice(context, to, queued === 0 ? { problem } : { notice });
}

const askToRemove = (context: PageContext, view: ShownSource, paths: string[]) =>
  confirmPage(context, {
    title: `Remove ${countText(paths.length, "file")}`,
    trail: trailTo(view),
    name: view.source.name,
    submit: `Remove ${countText(paths.length, "file")}`,
    values: { action: "confirmed" },
    fields: { show: () => paths.map((path) => <input type="hidden" name="path" value={path} />) },
    says: (
      <>
        <p>
          Deletes {countText(paths.length, "file")} with their passages in{" "}
          {countText(view.rags.length, "RAG")}. Quarry has no other copies.
        </p>
        <details open={paths.length <= LISTED_OPEN}>
          <summary>Which files</summary>
          <ul>
            {paths.map((path) => (
              <li>
                <Data>{path}</Data>
              </li>
            ))}
          </ul>
        </details>
      </>
    ),
  });

function removalNotice(count: number, missing: string[]) {
  const notice = `${countText(count, "file")} removed`;
  if (missing.length === 0) return { notice: `${notice}.` };
  const examples = missing.slice(0, 5).map((path) => `${path}: there is no such file`);
  return { problem: `${notice}, ${missing.length} not: ${examples.join("; ")}` };
}
