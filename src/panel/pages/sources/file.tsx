import { notFound, requireFound } from "../../../core/errors.ts";
import { findFileDetail } from "../../../db/files/file-store.ts";
import type { FileStatus } from "../../../db/schema/rags.ts";
import { keepsOriginals } from "../../../ingestion/uploads/pushed-files.ts";
import { pushKind } from "../../../sources/registry.ts";
import { fileExclusion, fileRemoval, metadataChange } from "../../api/source-files.ts";
import { Data, LinkButton, ForAdmins, ActionButton } from "../../components/data.tsx";
import { countText, size } from "../../components/figures.ts";
import { freshForm, type FormState } from "../../components/form.tsx";
import { BUSY_SECONDS, page, isAdmin, type PageContext, type Pages } from "../page.tsx";
import { formOf, omitBlank } from "../request/form.ts";
import { fileAddress } from "../search/hits.tsx";
import { fileContent } from "./file-content.tsx";
import { FileFacts, remedyOf } from "./file-facts.tsx";
import { FileMetadata, metadataOf } from "./file-metadata.tsx";
import { LEFT_OUT } from "./left-out.tsx";
import { imageOfPage, originalOf } from "./original.tsx";
import { readersOfFile } from "./permissions.tsx";
import { sourceOf, trailTo, type ShownFile, type ShownSource } from "./shown-source.ts";

/** The file that the address names. @throws QuarryError `not-found`. */
async function fileOf(
  context: PageContext,
  sourceView: ShownSource,
  path = context.req.query("path") ?? "",
): Promise<ShownFile> {
  const file = await findFileDetail(context.get("services").db, sourceView.source.id, path);
  const address = fileAddress(sourceView.source.identifier, path);
  return { shown: sourceView, file: requireFound(file), here: address };
}

export function filePages(pages: Pages): void {
  const ofFile = pages.forRecord(async (context) => fileOf(context, await sourceOf(context)));
  ofFile.get("/:id/file", (context, file) => filePage(context, file));
  ofFile.get("/:id/file/original", originalOf);
  ofFile.get("/:id/file/page", imageOfPage);
  const ofSource = pages.forRecord(sourceOf);
  addChanges(ofSource);
  ofSource.removal("/:id/file/remove", fileRemoval, async (context, sourceView, form) => {
    const { file, here: address } = await fileOf(context, sourceView, form.exact("path"));
    const { source } = sourceView;
    if (pushKind(source.provider) !== "files") throw notFound();
    const { path } = file;
    return {
      subject: { source, path },
      title: "Remove the file",
      trail: [...trailTo(sourceView), { name: path, href: address }],
      name: path,
      values: { path },
      says: (
        <p>
          Deletes <Data>{path}</Data>, {size(file.size)}, with its{" "}
          {countText(passagesOf(file), "passage")} in {countText(file.rags.length, "RAG")}. Quarry
          has no other copy.
        </p>
      ),
      to: sourceView.path,
    };
  });
}

function addChanges(ofSource: Pages<ShownSource>): void {
  ofSource.form("/:id/file/search", fileExclusion, async (context, sourceView) => {
    const form = await formOf(context);
    const path = form.exact("path");
    const back = form.text("back");
    const address = fileAddress(sourceView.source.identifier, path);
    const to = back === "" ? address : `${address}&rag=${encodeURIComponent(back)}`;
    return {
      form,
      body: () => ({
        path,
        textHash: omitBlank(form.text("textHash")),
        excerpt: form.exact("excerpt"),
        excluded: form.text("excluded") === "on",
      }),
      to: back === LEFT_OUT ? sourceView.path + LEFT_OUT : to,
    };
  });

  ofSource.form("/:id/file/metadata", metadataChange, async (context, sourceView) => {
    const form = await formOf(context);
    const view = await fileOf(context, sourceView, form.exact("path"));
    const { source } = sourceView;
    if (!keepsOriginals(source)) throw notFound();
    return {
      subject: { source, ...view.file },
      form,
      body: () => ({ metadata: metadataOf(form, view.file.metadata) }),
      failedPage: (state) => filePage(context, view, state),
      to: view.here,
    };
  });
}

async function filePage(context: PageContext, of: ShownFile, state: FormState = freshForm()) {
  const { shown: sourceView, file } = of;
  const isBusy = file.rags.some(({ status }) => status === "pending" || status === "processing");
  return await page(
    context,
    {
      title: file.path,
      data: true,
      status: state.status,
      refreshSeconds: isBusy ? BUSY_SECONDS : null,
      trail: trailTo(sourceView),
      actions: isAdmin(context) ? <Actions of={of} /> : null,
    },
    <>
      <div id="file-state" data-live>
        <FileState of={of} />
      </div>
      {await readersOfFile(context, { shown: sourceView, path: file.path })}
      {await fileContent(context, of)}
      <div id="file-facts" data-live>
        <FileFacts file={file} />
      </div>
      <FileMetadata of={of} state={state} />
    </>,
  );
}

const FileState = ({ of: { shown: sourceView, file } }: { of: ShownFile }) => {
  const failed = file.rags.find(({ status }) => status === "error");
  return (
    <>
      {failed === undefined ? null : (
        <div class="notice bad" role="status">
          <p>
            <strong>Not indexed:</strong>{" "}
            <Data>{failed.errorMessage?.replace(/\.$/, "") ?? "it could not be read"}</Data>.{" "}
            {remedyOf(failed?.errorCode ?? null, keepsOriginals(sourceView.source))}
          </p>
        </div>
      )}
      {file.isExcluded ? (
        <div class="notice warn" role="status">
          <p>This file is left out of search, and stays left out when it changes or moves.</p>
          <ForAdmins>
            <SearchButton of={{ shown: sourceView, file }} />
          </ForAdmins>
        </div>
      ) : null}
    </>
  );
};

const SearchButton = ({ of: { shown: sourceView, file } }: { of: Omit<ShownFile, "here"> }) => (
  <ActionButton
    action={`${sourceView.path}/file/search`}
    label={file.isExcluded ? "Include in search" : "Leave out of search"}
    values={{ path: file.path, excluded: file.isExcluded ? "" : "on" }}
  />
);

const Actions = ({ of: { shown: sourceView, file } }: { of: ShownFile }) => {
  const isAny = (state: FileStatus) => file.rags.some(({ status }) => status === state);
  const action = isAny("error") ? "retry" : isAny("indexed") ? "reindex" : null;
  return (
    <>
      {action === null ? null : (
        <ActionButton
          action={`${sourceView.path}/selected`}
          label={action === "retry" ? "Try again" : "Index again"}
          values={{ path: file.path, action, back: "file" }}
          kind={action === "retry" ? "primary" : "plain"}
        />
      )}
      {file.isExcluded || file.deletedAt !== null ? null : (
        <SearchButton of={{ shown: sourceView, file }} />
      )}
      {pushKind(sourceView.source.provider) === "files" && file.deletedAt === null ? (
        <LinkButton
          href={`${sourceView.path}/file/remove?path=${encodeURIComponent(file.path)}`}
          label="Remove …"
          kind="danger"
        />
      ) : null}
    </>
  );
};

const passagesOf = ({ rags }: ShownFile["file"]) =>
  rags.reduce((sum, { chunkCount }) => sum + chunkCount, 0);
