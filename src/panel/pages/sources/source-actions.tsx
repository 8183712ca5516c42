import { checkFileSource } from "../../../catalog/file-sources/check-file-source.ts";
import type { SourceCheck } from "../../../catalog/file-sources/check-file-source.ts";
import { conflict, invalid, QuarryError } from "../../../core/errors.ts";
import { countSourceFiles } from "../../../db/catalog/rag-scope-store.ts";
import type { SourceWithScan } from "../../../db/catalog/source-store.ts";
import { mediaTypeByName, UNKNOWN_MEDIA_TYPE } from "../../../documents/media-type/media-types.ts";
import { putFile } from "../../../ingestion/uploads/put-file.ts";
import { storedPath } from "../../../sources/file-names.ts";
import { manifestOf, pushKind } from "../../../sources/registry.ts";
import { recordFiles } from "../../action.ts";
import {
  sourceChange,
  sourceRemoval,
  sourceScan,
  webhookSecretRenewal,
} from "../../api/file-sources.ts";
import { uploadInWords } from "../../browser/uploads.ts";
import { Data } from "../../components/data.tsx";
import { countOrMore, sentence } from "../../components/figures.ts";
import type { PageContext, Pages } from "../page.tsx";
import { multipartOf, redirectWithNotice } from "../request/form.ts";
import { FILES_COUNTED } from "../request/list.tsx";
import { PERMISSIONS, PERMISSIONS_FORM } from "./permissions.tsx";
import { sourceBody, sourceForm } from "./settings-tab.tsx";
import { sourceOf, SOURCES, trailTo, type ShownSource } from "./shown-source.ts";
import { failedTab } from "./source.tsx";

/** The actions of a source. */
export function sourceActions(pages: Pages): void {
  const ofSource = pages.forRecord(sourceOf);
  ofSource.form("/:id/scan", sourceScan, (_context, view) => ({
    body: (form) => ({ confirmRemovals: form.text("confirmRemovals") === "on" }),
    to: `${view.path}/runs`,
  }));

  ofSource.receive("/:id/check", async (context, view) => {
    const checked = await checkFileSource(context.get("services"), { source: view });
    const flash = noticeFrom("The connection was checked.", checked);
    return redirectWithNotice(context, `${view.path}/settings`, flash);
  });

  ofSource.form("/:id/webhook-secret", webhookSecretRenewal, (_context, view) => ({
    to: `${view.path}/settings`,
    flashOf: (value) => ({ secret: { label: "The secret of the source's webhook.", value } }),
  }));

  const upload = async (context: PageContext, { source, path }: ShownSource) =>
    redirectWithNotice(context, path, await uploadFiles(context, source));
  ofSource.receive("/:id/upload", upload, "admins", "file-sources.files.put");

  ofSource.form("/:id/settings", sourceChange, (context, view) => {
    const manifest = manifestOf(view.source);
    return {
      fields: sourceForm(manifest, false).names,
      body: (form) => sourceBody(form, manifest),
      changes: view.source,
      failedPage: (state) => failedTab(context, "/settings", state),
      to: `${view.path}/settings`,
      flashOf: ({ checked }) => noticeFrom("The settings are saved.", checked),
    };
  });
  ofSource.form("/:id/permissions", sourceChange, (context, view) => ({
    declared: PERMISSIONS_FORM,
    failedPage: (state) => failedTab(context, PERMISSIONS, state),
    to: view.path + PERMISSIONS,
    flashOf: () => ({
      notice: "The permissions are saved. Files are found as soon as theirs are read.",
    }),
  }));
  ofSource.removal("/:id/remove", sourceRemoval, removalOf);
}

/** The outcome, and the answer of the source's provider, for the page after a redirect. */
export function noticeFrom(outcome: string, check: SourceCheck | null) {
  if (check?.ok == null) return { notice: outcome };
  const { ok, message } = check;
  const sentenceText = sentence(message);
  return ok ? { notice: `${outcome} ${sentenceText}` } : { notice: outcome, problem: sentenceText };
}

async function removalOf(context: PageContext, view: ShownSource) {
  const { source, path, rags } = view;
  if (rags.length > 0) throw conflict("RAGs use this source: remove them first");
  const isPushed = manifestOf(source).takes === "files";
  const files = await countSourceFiles(context.get("services").db, source.id, FILES_COUNTED);
  return {
    subject: view,
    title: "Remove a source",
    trail: trailTo(view),
    name: source.name,
    isMuch: true,
    cancel: `${path}/settings`,
    submit: "Remove this source",
    says: (
      <p>
        Removes <Data>{source.name}</Data>, the list of its{" "}
        {countOrMore(files, FILES_COUNTED, "file")}, and the record of its runs.{" "}
        {isPushed
          ? "The files that were pushed to it are deleted. Quarry may have the only copy."
          : "The documents stay where they are."}{" "}
        No RAG uses it. This cannot be undone.
      </p>
    ),
    to: SOURCES.href,
  };
}

/** Bytes of one form: it is read into memory as a whole, unlike what the page's script sends. */
const UPLOAD_LIMIT_BYTES = 32 * 1_024 * 1_024;
const MAX_FILES = 100;
const MAX_FAILURES = 5;

/** Returns a notice or a problem. @throws QuarryError `too-large`, `invalid` */
async function uploadFiles(context: PageContext, source: SourceWithScan["source"]) {
  if (pushKind(source.provider) !== "files") throw invalid("this source reads its files by itself");
  const files = (await multipartOf(context, UPLOAD_LIMIT_BYTES)).files("files");
  if (files.length === 0) throw invalid("no files were chosen");
  if (files.length > MAX_FILES) throw invalid(`at most ${MAX_FILES} files at a time`);
  const failed: string[] = [];
  for (const file of files) {
    const problem = await storeFile(context, source, file);
    if (problem !== null) failed.push(`${file.name}: ${problem}`);
  }
  const uploaded = files.length - failed.length;
  const action = `file-sources.files.${uploaded > 0 ? "put" : "refused"}` as const;
  recordFiles(context, { action, source, files: uploaded > 0 ? uploaded : files.length });
  const words = uploadInWords({ chosen: files.length, uploaded, skipped: 0, failed });
  if (failed.length === 0) return { notice: `${words}.` };
  const more = failed.length - MAX_FAILURES;
  const rest = more > 0 ? `; and ${more} more` : "";
  return { problem: `${words}. ${failed.slice(0, MAX_FAILURES).join("; ")}${rest}` };
}

async function storeFile(context: PageContext, source: SourceWithScan["source"], file: File) {
  try {
    await putFile(context.get("services"), {
      source,
      path: storedPath(file.name),
      body: await file.arrayBuffer(),
      contentLength: file.size,
      mimeType:
        file.type === "" || file.type === UNKNOWN_MEDIA_TYPE
          ? mediaTypeByName(file.name)
          : file.type,
      metadata: null,
    });
    return null;
  } catch (thrown) {
    if (thrown instanceof QuarryError) return thrown.message;
    throw thrown;
  }
}
