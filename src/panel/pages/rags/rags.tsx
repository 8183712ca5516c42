import { Hono } from "hono";

import { findRag } from "../../../catalog/rags/find-rag.ts";
import { removeRag } from "../../../catalog/rags/remove-rag.ts";
import { updateRag } from "../../../catalog/rags/update-rag.ts";
import { invalid } from "../../../core/errors.ts";
import type { RagRecord } from "../../../db/records.ts";
import { retryFiles } from "../../../ingestion/indexing/retry-on-request.ts";
import { reindexRag } from "../../../ingestion/rebuilds/reindex-rag.ts";
import { returnToIndex } from "../../../ingestion/rebuilds/return-to-index.ts";
import { ConfirmRemoval } from "../../components/confirm-removal.tsx";
import { Data } from "../../components/data.tsx";
import { counted } from "../../components/figures.ts";
import { PageHead } from "../../components/page-head.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, goTo } from "../request/action.ts";
import { adminsOnly } from "../request/guards.ts";
import { attempt, formOf, freshForm, type FormState } from "../request/form.ts";
import { makeRag, newRagPage } from "./new-rag.tsx";
import { previewPage } from "./preview.tsx";
import { ragAddress, ragListPage } from "./rag-list.tsx";
import { ragPage } from "./rag-page.tsx";
import { changeScope, changeScopeMode, scopePage } from "./scope.tsx";
import { reindexPage, saveSettings, settingsCostPage, settingsPage } from "./settings.tsx";

/** From so many passages on the name is asked for. */
const MUCH = 1_000;

const ragOf = (context: PageContext) =>
  findRag(context.get("services"), { key: context.req.param("id") ?? "" });

/** RAGs: their list, a new one, and the pages of each. */
export function ragPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/", ragListPage);
  // A member is offered nothing that would be refused.
  for (const path of ["/new", "/:id/remove", "/:id/reindex", "/:id/settings/cost"]) {
    app.use(path, adminsOnly);
  }
  app.get("/new", newRagPage);
  app.post("/new", makeRag);
  app.get("/:id", async (context) => await ragPage(context, await ragOf(context)));
  app.get("/:id/scope", async (context) => await scopePage(context, await ragOf(context)));
  app.post("/:id/scope/mode", async (context) => {
    return await changeScopeMode(context, await ragOf(context));
  });
  app.post("/:id/scope/add", async (context) => {
    return await changeScope(context, await ragOf(context), "add");
  });
  app.post("/:id/scope/remove", async (context) => {
    return await changeScope(context, await ragOf(context), "remove");
  });
  app.get("/:id/settings", async (context) => await settingsPage(context, await ragOf(context)));
  app.post("/:id/settings", async (context) => await saveSettings(context, await ragOf(context)));
  app.get("/:id/settings/cost", async (context) => {
    return await settingsCostPage(context, await ragOf(context));
  });
  app.get("/:id/preview", async (context) => await previewPage(context, await ragOf(context)));
  app.get("/:id/reindex", async (context) => await reindexPage(context, await ragOf(context)));
  addActions(app);
  addRemoval(app);
  return app;
}

function addActions(app: Hono<PageEnv>): void {
  app.post("/:id/reindex", async (context) => {
    const rag = await ragOf(context);
    auditAs(context, "rags.reindex", rag.identifier);
    await reindexRag(context.get("services"), { ragId: rag.id });
    return goTo(context, ragAddress(rag.identifier), { notice: "A new index is being built." });
  });

  app.post("/:id/return", async (context) => {
    const rag = await ragOf(context);
    auditAs(context, "rags.return", rag.identifier);
    await returnToIndex(context.get("services"), { ragId: rag.id });
    return goTo(context, ragAddress(rag.identifier), {
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
    return goTo(context, ragAddress(rag.identifier), { notice });
  });

  app.post("/:id/status", async (context) => {
    const rag = await ragOf(context);
    auditAs(context, "rags.change", rag.identifier);
    const isPaused = (await formOf(context)).text("status") === "paused";
    const patch = { status: isPaused ? "paused" : "active" } as const;
    await updateRag(context.get("services"), { rag, patch });
    return goTo(context, ragAddress(rag.identifier), {
      notice: isPaused ? "Indexing is paused." : "Indexing goes on.",
    });
  });
}

function addRemoval(app: Hono<PageEnv>): void {
  app.get("/:id/remove", async (context) => {
    return await removalPage(context, await ragOf(context), freshForm());
  });

  app.post("/:id/remove", async (context) => {
    const rag = await ragOf(context);
    auditAs(context, "rags.remove", rag.identifier);
    const form = await formOf(context);
    const tried = await attempt(form, ["confirmation"], async () => {
      if (rag.numberVectors >= MUCH && form.text("confirmation") !== rag.name) {
        throw invalid("confirmation must be the name of the RAG");
      }
      await removeRag(context.get("services"), { rag });
    });
    if (!tried.done) return await removalPage(context, rag, tried.state);
    return goTo(context, "/panel/rags", { notice: `${rag.name} is removed.` });
  });
}

async function removalPage(context: PageContext, rag: RagRecord, state: FormState) {
  const address = ragAddress(rag.identifier);
  const trail = [
    { name: "RAGs", href: "/panel/rags" },
    { name: rag.name, href: address },
  ];
  const content = (
    <>
      <PageHead title="Remove the RAG" trail={trail} />
      <ConfirmRemoval
        action={`${address}/remove`}
        state={state}
        name={rag.name}
        isMuch={rag.numberVectors >= MUCH}
        cancel={address}
        submit="Remove it"
      >
        <p>
          Removes <Data>{rag.name}</Data> with its {counted(rag.numberVectors, "passage")} of{" "}
          {counted(rag.processedFiles, "file")}. The documents stay in{" "}
          <Data>{rag.fileSource.name}</Data>. Tokens lose their right to it; programs that search it
          get 404.
        </p>
      </ConfirmRemoval>
    </>
  );
  const title = `Remove ${rag.name}`;
  return await page(context, { title, place: "rags", status: state.status }, content);
}
