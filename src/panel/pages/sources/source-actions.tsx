import { checkFileSource } from "../../../catalog/file-sources/check-file-source.ts";
import type { SourceCheck } from "../../../catalog/file-sources/check-file-source.ts";
import { removeFileSource } from "../../../catalog/file-sources/remove-file-source.ts";
import { renewWebhookSecret } from "../../../catalog/file-sources/renew-webhook-secret.ts";
import { requestScan } from "../../../catalog/file-sources/request-scan.ts";
import { updateFileSource } from "../../../catalog/file-sources/update-file-source.ts";
import { conflict, invalid, QuarryError } from "../../../core/errors.ts";
import { countSourceFiles } from "../../../db/catalog/rag-scope-store.ts";
import { manifestOf, takenBy } from "../../../sources/registry.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { sourcePatchOf } from "../../../catalog/file-sources/file-source-settings.ts";
import { given } from "../../../core/input/given.ts";
import { Data } from "../../components/data.tsx";
import { atLeast, sentence } from "../../components/figures.ts";
import type { PageContext, Pages } from "../page.tsx";
import { auditAs, multipartOf, redirectWithNotice } from "../request/form.ts";
import { PERMISSIONS, PERMISSIONS_FORM } from "./permissions.tsx";
import { sourceBody, sourceForm } from "./settings-tab.tsx";
import { sourceOf, trailTo, type ShownSource } from "./shown-source.ts";
import { failedTab } from "./source.tsx";
import type { Services } from "../../../services.ts";
import type { SourceWithScan } from "../../../db/catalog/source-store.ts";
import { mediaTypeByName, UNKNOWN_MEDIA_TYPE } from "../../../documents/media-type/media-types.ts";
import { putFile } from "../../../ingestion/uploads/put-file.ts";
import { storedPath } from "../../../sources/file-names.ts";
import { uploadInWords } from "../../browser/upload-results.ts";

/** Counting further would read one row per file. */
const FILES_COUNTED = 10_000;

/** What can be done with a source. */
export function sourceActions(pages: Pages): void {
  const ofSource = pages.of(sourceOf);
  ofSource.submit("/:id/scan", (_context, { source, path }) => ({
    audit: ["file-sources.scan", source.id],
    work: (services, form) => {
      const confirmRemovals = form.text("confirmRemovals") === "on";
      return requestScan(services, { sourceId: source.id, confirmRemovals });
    },
    leads: () => ({
      to: `${path}/runs`,
      notice: "The scan is queued; it shows here in a moment.",
    }),
  }));

  ofSource.submit("/:id/check", (_context, view) => ({
    work: (services) => checkFileSource(services, { source: view }),
    leads: (checked) => ({
      to: `${view.path}/settings`,
      ...noticeFrom("The connection was checked.", checked),
    }),
  }));

  ofSource.submit("/:id/webhook-secret", (_context, view) => ({
    audit: ["file-sources.webhook-secret", view.source.id],
    work: (services) => renewWebhookSecret(services, { source: view }),
    leads: (value) => ({
      to: `${view.path}/settings`,
      secret: { label: "The secret of the source's webhook.", value },
    }),
  }));

  ofSource.post("/:id/upload", async (context, { source, path }) => {
    auditAs(context, "file-sources.files.put", source.id);
    return redirectWithNotice(context, path, await uploadFiles(context, source));
  });
  addSaving(ofSource);
  ofSource.submit("/:id/permissions", (context, view) => ({
    audit: ["file-sources.change", view.source.id],
    fields: PERMISSIONS_FORM.names,
    work: async (services, form) => {
      const patch = PERMISSIONS_FORM.patch(form, sourcePatchOf(view, {}));
      await updateFileSource(services, { source: view, patch });
    },
    again: (state) => failedTab(context, PERMISSIONS, state),
    leads: () => ({
      to: view.path + PERMISSIONS,
      notice: "The permissions are saved. Files are found as soon as theirs are read.",
    }),
  }));
  ofSource.removal("/:id/remove", removalOf);
}

function addSaving(ofSource: Pages<ShownSource>): void {
  ofSource.submit("/:id/settings", (context, view) => {
    const manifest = manifestOf(view.source);
    return {
      audit: ["file-sources.change", view.source.id],
      fields: sourceForm(manifest, false).names,
      changes: view.source,
      work: async (services, form) => {
        const body = sourceBody(form, manifest);
        const patch = given(parseKnownOrRefuse(sourcePatchOf(view, body), body));
        const source = await updateFileSource(services, { source: view, patch });
        return await checkFileSource(services, { source });
      },
      again: (state) => failedTab(context, "/settings", state),
      leads: (checked) => ({
        to: `${view.path}/settings`,
        ...noticeFrom("The settings are saved.", checked),
      }),
    };
  });
}

/** What was done, and what the source's provider said of it, for the page after a redirect. */
export function noticeFrom(outcome: string, { ok, message }: SourceCheck) {
  const sentenceText = sentence(message);
  if (ok === null) return { notice: outcome };
  return ok ? { notice: `${outcome} ${sentenceText}` } : { notice: outcome, problem: sentenceText };
}

async function removalOf(context: PageContext, view: ShownSource) {
  const { source, path, rags } = view;
  if (rags.length > 0) throw conflict("RAGs use this source: remove them first");
  const isPushed = manifestOf(source).takes === "files";
  const files = await countSourceFiles(context.get("services").db, source.id, FILES_COUNTED);
  return {
    title: "Remove a source",
    trail: trailTo(view),
    name: source.name,
    isMuch: true,
    cancel: `${path}/settings`,
    submit: "Remove this source",
    says: (
      <p>
        Removes <Data>{source.name}</Data>, the list of its {atLeast(files, FILES_COUNTED, "file")},
        and the record of its runs.{" "}
        {isPushed
          ? "The files that were pushed to it are deleted. Quarry may have the only copy."
          : "The documents stay where they are."}{" "}
        No RAG uses it. This cannot be undone.
      </p>
    ),
    audit: ["file-sources.remove", source.id] satisfies [string, string],
    remove: (services: Services) => removeFileSource(services, { source: view }),
    to: "/panel/sources",
    notice: `“${source.name}” is removed.`,
  } as const;
}

/** Bytes of one form: it is read into memory as a whole, unlike what the page's script sends. */
const UPLOAD_LIMIT_BYTES = 32 * 1_024 * 1_024;
const MAX_FILES = 100;
const FAILURES_TOLD = 5;

/** Returns a notice or a problem. @throws QuarryError `too-large`, `invalid` */
async function uploadFiles(
  context: PageContext,
  source: SourceWithScan["source"],
): Promise<{ notice: string } | { problem: string }> {
  if (takenBy(source.provider) !== "files") throw invalid("this source reads its files by itself");
  const files = (await multipartOf(context, UPLOAD_LIMIT_BYTES)).files("files");
  if (files.length === 0) throw invalid("no files were chosen");
  if (files.length > MAX_FILES) throw invalid(`at most ${MAX_FILES} files at a time`);
  const failed: string[] = [];
  for (const file of files) {
    const problem = await store(context, source, file);
    if (problem !== null) failed.push(`${file.name}: ${problem}`);
  }
  const uploaded = files.length - failed.length;
  const words = uploadInWords({ chosen: files.length, uploaded, skipped: 0, failed });
  if (failed.length === 0) return { notice: `${words}.` };
  const more = failed.length - FAILURES_TOLD;
  const rest = more > 0 ? `; and ${more} more` : "";
  return { problem: `${words}. ${failed.slice(0, FAILURES_TOLD).join("; ")}${rest}` };
}

async function store(
  context: PageContext,
  source: SourceWithScan["source"],
  file: File,
): Promise<string | null> {
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
