import { Hono } from "hono";

import { findRag } from "../../../catalog/rags/find-rag.ts";
import { updateRag } from "../../../catalog/rags/update-rag.ts";
import { retryFiles } from "../../../ingestion/indexing/retry-on-request.ts";
import { reindexRag } from "../../../ingestion/rebuilds/reindex-rag.ts";
import { returnToIndex } from "../../../ingestion/rebuilds/return-to-index.ts";
import { counted } from "../../components/figures.ts";
import type { PageContext, PageEnv } from "../page-env.ts";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { adminsOnly } from "../request/guards.ts";
import { formOf } from "../request/form.ts";
import { makeRag, newRagPage } from "./new-rag.tsx";
import { previewPage } from "./preview.tsx";
import { ragAddress, ragListPage } from "./rag-list.tsx";
import { ragPage } from "./rag-page.tsx";
import { remove, removalPage } from "./removal.tsx";
import { addToScope, everythingPage, indexEverything, leaveOut } from "./scope-changes.tsx";
import { leaveOutPage, narrow, narrowPage } from "./scope-changes.tsx";
import { scopePage } from "./scope.tsx";
import { reindexPage, saveSettings, settingsCostPage, settingsPage } from "./settings.tsx";

const ragOf = (context: PageContext) =>
  findRag(context.get("services"), { key: context.req.param("id") ?? "" });

/** RAGs: their list, a new one, and the pages of each. */
export function ragPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/", ragListPage);
  for (const path of ["/:id/remove", "/:id/reindex", "/:id/settings/cost", "/:id/scope/:change"]) {
    app.use(path, adminsOnly);
  }
  app.get("/:id", async (context) => await ragPage(context, await ragOf(context)));
  app.get("/:id/scope", async (context) => await scopePage(context, await ragOf(context)));
  app.get("/:id/settings", async (context) => await settingsPage(context, await ragOf(context)));
  app.post("/:id/settings", async (context) => await saveSettings(context, await ragOf(context)));
  app.get("/:id/settings/cost", async (context) => {
    return await settingsCostPage(context, await ragOf(context));
  });
  app.get("/:id/preview", async (context) => await previewPage(context, await ragOf(context)));
  app.get("/:id/reindex", async (context) => await reindexPage(context, await ragOf(context)));
  addScopeChanges(app);
  addActions(app);
  app.get("/:id/remove", async (context) => await removalPage(context, await ragOf(context)));
  app.post("/:id/remove", async (context) => await remove(context, await ragOf(context)));
  return app;
}

/** A new RAG; no identifier can hide it, as none is below `/new`. */
export function newRagPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.use(adminsOnly);
  app.get("/", newRagPage);
  app.post("/", makeRag);
  return app;
}

function addScopeChanges(app: Hono<PageEnv>): void {
  app.post("/:id/scope/add", async (context) => await addToScope(context, await ragOf(context)));
  app.get("/:id/scope/remove", async (context) => {
    return await leaveOutPage(context, await ragOf(context));
  });
  app.post("/:id/scope/remove", async (context) => await leaveOut(context, await ragOf(context)));
  app.get("/:id/scope/narrow", async (context) => await narrowPage(context, await ragOf(context)));
  app.post("/:id/scope/narrow", async (context) => await narrow(context, await ragOf(context)));
  app.get("/:id/scope/everything", async (context) => {
    return await everythingPage(context, await ragOf(context));
  });
  app.post("/:id/scope/everything", async (context) => {
    return await indexEverything(context, await ragOf(context));
  });
}

function addActions(app: Hono<PageEnv>): void {
  app.post("/:id/reindex", async (context) => {
    const rag = await ragOf(context);
    auditAs(context, "rags.reindex", rag.identifier);
    await reindexRag(context.get("services"), { ragId: rag.id });
    return redirectWithNotice(context, ragAddress(rag.identifier), {
      notice: "A new index is being built.",
    });
  });

  app.post("/:id/return", async (context) => {
    const rag = await ragOf(context);
    auditAs(context, "rags.return", rag.identifier);
    await returnToIndex(context.get("services"), { ragId: rag.id });
    return redirectWithNotice(context, ragAddress(rag.identifier), {
      notice: "What changed since is indexed in the index before, then it answers.",
    });
  });

  app.post("/:id/retry", async (context) => {
    const rag = await ragOf(context);
    auditAs(context, "rags.retry", rag.identifier);
    const path = (await formOf(context)).exact("path");
    const ragId = rag.id;
    const retried = await retryFiles(context.get("services"), { ragId, path: path || null });
    const notice = `${counted(retried, "file")} will be tried again.`;
    return redirectWithNotice(context, ragAddress(rag.identifier), { notice });
  });

  app.post("/:id/status", async (context) => {
    const rag = await ragOf(context);
    auditAs(context, "rags.change", rag.identifier);
    const isPaused = (await formOf(context)).text("status") === "paused";
    const patch = { status: isPaused ? "paused" : "active" } as const;
    await updateRag(context.get("services"), { rag, patch });
    return redirectWithNotice(context, ragAddress(rag.identifier), {
      notice: isPaused ? "Indexing is paused." : "Indexing goes on.",
    });
  });
}
