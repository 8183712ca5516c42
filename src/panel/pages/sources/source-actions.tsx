import {
  checkFileSource,
  type SourceCheck,
} from "../../../catalog/file-sources/check-file-source.ts";
import { removeFileSource } from "../../../catalog/file-sources/remove-file-source.ts";
import { renewWebhookSecret } from "../../../catalog/file-sources/renew-webhook-secret.ts";
import { requestScan } from "../../../catalog/file-sources/request-scan.ts";
import { updateFileSource } from "../../../catalog/file-sources/update-file-source.ts";
import { conflict } from "../../../core/errors.ts";
import { countSourceFiles } from "../../../db/catalog/rag-scope-store.ts";
import { manifestOf } from "../../../sources/registry.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { sourcePatchOf } from "../../../catalog/file-sources/file-source-settings.ts";
import { given } from "../../../core/input/given.ts";
import { Data } from "../../components/data.tsx";
import { atLeast } from "../../components/figures.ts";
import type { PageContext, Pages } from "../page-env.ts";
import { auditAs, redirectWithNotice, submit } from "../request/action.ts";
import { formOf } from "../request/form.ts";
import { removable } from "../request/removal.tsx";
import { refuseStale } from "../request/stale.ts";
import { permissionPages } from "./permissions.tsx";
import { fieldsOf, sourceChangeBody } from "./config-form.tsx";
import { sourceOf, trailTo } from "./shown-source.ts";
import { failedSettings } from "./source.tsx";
import { uploadFiles } from "./upload-files.ts";

/** Counting further would read one row per file. */
const FILES_COUNTED = 10_000;

/** What can be done with a source. */
export function sourceActions(app: Pages): void {
  app.post("/:id/scan", async (context) => {
    const { source, path } = await sourceOf(context);
    const form = await formOf(context);
    auditAs(context, "file-sources.scan", source.id);
    const confirmRemovals = form.text("confirmRemovals") === "on";
    await requestScan(context.get("services"), { sourceId: source.id, confirmRemovals });
    return redirectWithNotice(context, `${path}/runs`, {
      notice: "The scan is queued; it shows here in a moment.",
    });
  });

  app.post("/:id/check", async (context) => {
    const shown = await sourceOf(context);
    const checked = await checkFileSource(context.get("services"), { source: shown });
    return redirectWithNotice(
      context,
      `${shown.path}/settings`,
      noticeFrom("The connection was checked.", checked),
    );
  });

  app.post("/:id/webhook-secret", async (context) => {
    const shown = await sourceOf(context);
    auditAs(context, "file-sources.webhook-secret", shown.source.id);
    const value = await renewWebhookSecret(context.get("services"), { source: shown });
    const secret = { label: "The secret of the source's webhook.", value };
    return redirectWithNotice(context, `${shown.path}/settings`, { secret });
  });

  app.post("/:id/upload", async (context) => {
    const { source, path } = await sourceOf(context);
    auditAs(context, "file-sources.files.put", source.id);
    return redirectWithNotice(context, path, await uploadFiles(context, source));
  });
  addSaving(app);
  permissionPages(app);
  removable(app, "/:id/remove", async (context) => await removalOf(context));
}

function addSaving(app: Pages): void {
  app.post("/:id/settings", async (context) => {
    const shown = await sourceOf(context);
    const manifest = manifestOf(shown.source);
    const services = context.get("services");
    return await submit(context, {
      audit: ["file-sources.change", shown.source.id],
      fields: fieldsOf(manifest),
      work: async (form) => {
        await refuseStale(context, form, ["fileSources", shown.source.id]);
        const body = sourceChangeBody(form, manifest);
        const patch = given(parseKnownOrRefuse(sourcePatchOf(shown, body), body));
        const source = await updateFileSource(services, { source: shown, patch });
        return await checkFileSource(services, { source });
      },
      again: (state) => failedSettings(context, state),
      leads: (checked) => ({
        to: `${shown.path}/settings`,
        ...noticeFrom("The settings are saved.", checked),
      }),
    });
  });
}

/** What was done, and what the source's provider said of it, for the page after a redirect. */
export function noticeFrom(done: string, { ok, message }: SourceCheck) {
  const said = `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, "")}.`;
  if (ok === null) return { notice: done };
  return ok ? { notice: `${done} ${said}` } : { notice: done, problem: said };
}

async function removalOf(context: PageContext) {
  const shown = await sourceOf(context);
  const { source, path, rags } = shown;
  if (rags.length > 0) throw conflict("RAGs use this source: remove them first");
  const isPushed = manifestOf(source).takes === "files";
  const files = await countSourceFiles(context.get("services").db, source.id, FILES_COUNTED);
  return {
    title: "Remove a source",
    trail: trailTo(shown),
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
    remove: () => removeFileSource(context.get("services"), { source: shown }),
    to: "/panel/sources",
    notice: `“${source.name}” is removed.`,
  } as const;
}
