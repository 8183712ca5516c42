import { Hono } from "hono";

import {
  checkFileSource,
  type SourceCheck,
} from "../../../catalog/file-sources/check-file-source.ts";
import { removeFileSource } from "../../../catalog/file-sources/remove-file-source.ts";
import { renewWebhookSecret } from "../../../catalog/file-sources/renew-webhook-secret.ts";
import { requestScan } from "../../../catalog/file-sources/request-scan.ts";
import { updateFileSource } from "../../../catalog/file-sources/update-file-source.ts";
import { conflict, forbidden, invalidField } from "../../../core/errors.ts";
import { countSourceFiles } from "../../../db/catalog/scope-files.ts";
import { manifestOf } from "../../../sources/registry.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { sourcePatchOf } from "../../../catalog/file-sources/file-source-settings.ts";
import { given } from "../../../core/given.ts";
import { ConfirmRemoval } from "../../components/confirm-removal.tsx";
import { Data } from "../../components/data.tsx";
import { atLeast } from "../../components/figures.ts";
import { PageHead } from "../../components/page-head.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formOf, freshForm, type FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { refuseStale } from "../request/stale.ts";
import { fieldsOf, sourceChangeBody } from "./config-form.ts";
import { sourceOf, type ShownSource } from "./shown-source.ts";
import { failedSettings } from "./source.tsx";
import { uploadFiles } from "./upload-files.ts";

/** Counting further would read one row per file. */
const FILES_COUNTED = 10_000;

/** What can be done with a source. */
export function sourceActions(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

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

  app.post("/:id/settings", async (context) => {
    const shown = await sourceOf(context);
    const form = await formOf(context);
    const manifest = manifestOf(shown.source);
    auditAs(context, "file-sources.change", shown.source.id);
    const services = context.get("services");
    const saved = await attempt(form, fieldsOf(manifest), async () => {
      await refuseStale(context, form, ["fileSources", shown.source.id]);
      const body = sourceChangeBody(form, manifest);
      const patch = given(parseKnownOrRefuse(sourcePatchOf(shown, body), body));
      return await updateFileSource(services, { source: shown, patch });
    });
    if (!saved.done) return await failedSettings(context, saved.state);
    const checked = await checkFileSource(services, { source: saved.result });
    const address = `${shown.path}/settings`;
    return redirectWithNotice(context, address, noticeFrom("The settings are saved.", checked));
  });

  app.post("/:id/check", async (context) => {
    const shown = await sourceOf(context);
    const checked = await checkFileSource(context.get("services"), { source: shown });
    return redirectWithNotice(
      context,
      `${shown.path}/settings`,
      noticeFrom("The provider was asked.", checked),
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
    const notice = await uploadFiles(context, source);
    return redirectWithNotice(context, path, { notice });
  });
  addRemoval(app);
  return app;
}

/** What was done, and what the source's provider said of it, for the page after a redirect. */
export function noticeFrom(done: string, { ok, message }: SourceCheck) {
  const said = `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, "")}.`;
  if (ok === null) return { notice: done };
  return ok ? { notice: `${done} ${said}` } : { notice: done, problem: said };
}

function addRemoval(app: Hono<PageEnv>): void {
  app.get("/:id/remove", async (context) => {
    if (!isAdmin(context)) throw forbidden();
    return await removalPage(context, await sourceOf(context), freshForm());
  });

  app.post("/:id/remove", async (context) => {
    const shown = await sourceOf(context);
    const form = await formOf(context);
    auditAs(context, "file-sources.remove", shown.source.id);
    const removed = await attempt(form, ["confirmation"], async () => {
      const isNamed = form.text("confirmation") === shown.source.name.trim();
      if (!isNamed) throw invalidField("confirmation", "is not the source's name");
      await removeFileSource(context.get("services"), { source: shown });
    });
    if (!removed.done) return await removalPage(context, shown, removed.state);
    return redirectWithNotice(context, "/panel/sources", {
      notice: `“${shown.source.name}” is removed.`,
    });
  });
}

async function removalPage(context: PageContext, shown: ShownSource, state: FormState) {
  const { source, path, rags } = shown;
  if (rags.length > 0) throw conflict("RAGs use this source: remove them first");
  const isPushed = manifestOf(source).takes === "files";
  const { db } = context.get("services");
  const files = await countSourceFiles(db, source.id, FILES_COUNTED);
  const content = (
    <>
      <PageHead
        title="Remove a source"
        trail={[
          { name: "Sources", href: "/panel/sources" },
          { name: source.name, href: path },
        ]}
      />
      <ConfirmRemoval
        action={`${path}/remove`}
        state={state}
        name={source.name}
        isMuch
        cancel={`${path}/settings`}
        submit="Remove this source"
      >
        <p>
          Removes <Data>{source.name}</Data>, the list of its{" "}
          {atLeast(files, FILES_COUNTED, "file")}, and the record of its runs.{" "}
          {isPushed
            ? "The files that were pushed to it are deleted; nobody else holds them for you."
            : "The documents stay where they are."}{" "}
          No RAG uses it. It cannot be undone.
        </p>
      </ConfirmRemoval>
    </>
  );
  const of = { title: "Remove a source", place: "sources", status: state.status } as const;
  return await page(context, of, content);
}
