import { updateRag } from "../../../catalog/rags/update-rag.ts";
import type { RagRecord } from "../../../db/records.ts";
import { retryFiles } from "../../../ingestion/indexing/retry-files.ts";
import { reindexRag, returnToIndex } from "../../../ingestion/rebuilds/reindex-rag.ts";
import { counted } from "../../components/figures.ts";
import type { PageContext, PageEnv, Pages } from "../page-env.ts";
import { auditAs, redirectWithNotice, formOf, type Form } from "../request/form.ts";
import { adminsOnly } from "../request/guards.ts";
import { makeRag, newRagPage, ragListPage } from "./rag-list.tsx";
import { previewPage } from "./preview.tsx";
import { ofRag, ragAddress } from "./rag-tab.tsx";
import { ragPage } from "./rag-page.tsx";
import { addRemovals } from "./scope-changes.tsx";
import { scopePage } from "./scope.tsx";
import { reindexPage, saveSettings, settingsCostPage, settingsPage } from "./settings.tsx";

export function ragPages(app: Pages): void {
  app.get("/", ragListPage);
  for (const path of ["/:id/reindex", "/:id/settings/cost"]) app.use(path, adminsOnly);
  app.get("/:id", ofRag(ragPage));
  app.get("/:id/scope", ofRag(scopePage));
  app.get("/:id/settings", ofRag(settingsPage));
  app.post("/:id/settings", ofRag(saveSettings));
  app.get("/:id/settings/cost", ofRag(settingsCostPage));
  app.get("/:id/preview", ofRag(previewPage));
  app.get("/:id/reindex", ofRag(reindexPage));
  addRemovals(app);
  for (const [path, action] of Object.entries(ACTIONS))
    app.post(`/:id/${path}`, ofRag(doing(action)));
}

/** A new RAG; no identifier can hide it, as none is below `/new`. */
export function newRagPages(app: Pages): void {
  app.use(adminsOnly);
  app.get("/", newRagPage);
  app.post("/", makeRag);
}

type Action = {
  audit: string;
  /** Returns the notice. */
  work: (services: PageEnv["Variables"]["services"], rag: RagRecord, form: Form) => Promise<string>;
};

const ACTIONS: Record<string, Action> = {
  reindex: {
    audit: "rags.reindex",
    work: async (services, { id: ragId }) => {
      await reindexRag(services, { ragId });
      return "A new index is being built.";
    },
  },
  return: {
    audit: "rags.return",
    work: async (services, { id: ragId }) => {
      await returnToIndex(services, { ragId });
      return "The previous index catches up with recent changes, then takes over.";
    },
  },
  retry: {
    audit: "rags.retry",
    work: async (services, { id: ragId }, form) => {
      const path = form.exact("path");
      const retried = await retryFiles(services, { ragId, paths: path === "" ? null : [path] });
      return `${counted(retried, "file")} will be retried.`;
    },
  },
  status: {
    audit: "rags.change",
    work: async (services, rag, form) => {
      const isPaused = form.text("status") === "paused";
      await updateRag(services, { rag, patch: { status: isPaused ? "paused" : "active" } });
      return isPaused ? "Indexing is paused." : "Indexing continues.";
    },
  },
};

const doing = (action: Action) => async (context: PageContext, rag: RagRecord) => {
  auditAs(context, action.audit, rag.identifier);
  const notice = await action.work(context.get("services"), rag, await formOf(context));
  return redirectWithNotice(context, ragAddress(rag.identifier), { notice });
};
