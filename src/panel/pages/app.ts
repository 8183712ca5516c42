import { Hono } from "hono";

import { notFound } from "../../core/errors.ts";
import { auditPages } from "../../http/middleware/audit.ts";
import { redirectTrailingSlash } from "../../http/middleware/redirect-trailing-slash.ts";
import { referencePage } from "../../http/reference-page.ts";
import { agentActions, inferenceActions } from "../api/answers.ts";
import { restrictMembers } from "../api/request/guards.ts";
import { accountPages } from "./account/account.tsx";
import { secondFactorPages } from "./account/second-factor.tsx";
import { answerPages, newModelPages, runPages } from "./answers/answer-pages.tsx";
import { errorPage } from "./error-page.tsx";
import { askedPage } from "./evaluation/asked-page.tsx";
import { comparePage } from "./evaluation/compare-page.tsx";
import { questionPages } from "./evaluation/question-page.tsx";
import { questionListPages } from "./evaluation/questions-tab.tsx";
import { runResultPages } from "./evaluation/run-page.tsx";
import { runListPages } from "./evaluation/runs-tab.tsx";
import { chooseSetPage, newSetPages, setPages } from "./evaluation/sets.tsx";
import { findPage } from "./find.tsx";
import { firstStepsActions, overviewPages } from "./overview/overview.tsx";
import { requireAdmin, Pages, type PageEnv } from "./page.tsx";
import { newRagPages, ragPages } from "./rags/rags.tsx";
import { setUpPage, requireTotp, requireOwnForms, requireSession } from "./request/guards.ts";
import { searchPages } from "./search/search.tsx";
import { archivePages } from "./settings/archive.tsx";
import { eventPages } from "./settings/events.tsx";
import { invitationPages } from "./settings/invitations.tsx";
import { keyPages } from "./settings/keys.tsx";
import { limitPages } from "./settings/limits.tsx";
import { logPage } from "./settings/log.tsx";
import { modelPages } from "./settings/models.tsx";
import { requestPage, requestsPage } from "./settings/requests.tsx";
import { signInSettings } from "./settings/sign-in-settings.tsx";
import { userListPages, userPages } from "./settings/users.tsx";
import { joinPages } from "./sign-in/invitation.tsx";
import { openidPages } from "./sign-in/openid-pages.tsx";
import { sessionPages } from "./sign-in/sign-in.tsx";
import { filePages } from "./sources/file.tsx";
import { selectedFiles } from "./sources/selected-files.tsx";
import { sourceActions } from "./sources/source-actions.tsx";
import { sourcePages } from "./sources/source.tsx";
import { newSourcePages, sourceListPages } from "./sources/sources.tsx";
import { programPages } from "./tokens/programs.tsx";
import { tokenPages } from "./tokens/tokens.tsx";

const SOURCES = [sourceListPages, sourcePages, sourceActions, filePages, selectedFiles];
const EVALUATION = [setPages, questionListPages, questionPages, runListPages, runResultPages];
const OPERATION = { archive: archivePages, events: eventPages };

/** Mounted under /panel. Pages pass the checks of the panel's API, and the second factor. */
export function panelPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  const pagesAt = (path: string) => new Pages(app.basePath(path), () => Promise.resolve(undefined));
  app.onError(errorPage);
  app.use(setUpPage, requireOwnForms, auditPages);
  sessionPages(pagesAt("/"));
  openidPages(pagesAt("/"));
  joinPages(pagesAt("/invitation"));
  app.use(requireSession, redirectTrailingSlash(303));
  secondFactorPages(pagesAt("/account/second-factor"));
  app.use(requireTotp);
  accountPages(pagesAt("/account"));
  overviewPages(pagesAt("/"));
  app.get("/find", findPage);
  app.get("/reference", (context) =>
    referencePage(context, { title: "Quarry panel API", document: "/panel/api/openapi.json" }),
  );
  // Searches of members with permissions stand above, what they may not see below.
  searchPages(pagesAt("/search"));
  runPages(pagesAt("/inferences"), "inference", inferenceActions.find);
  runPages(pagesAt("/agents"), "agent", agentActions.find);
  programPages(pagesAt("/tokens/programs"));
  app.use(restrictMembers);
  firstStepsActions(pagesAt("/first-steps"));
  newSourcePages(pagesAt("/new/source"));
  newRagPages(pagesAt("/new/rag"));
  newModelPages(pagesAt("/new/inference"), "inference", inferenceActions);
  newModelPages(pagesAt("/new/agent"), "agent", agentActions);
  newSetPages(pagesAt("/new/question-set"));
  app.get("/new/question", requireAdmin, chooseSetPage);
  for (const add of SOURCES) add(pagesAt("/sources"));
  userListPages(pagesAt("/settings"));
  userPages(pagesAt("/settings/users"));
  invitationPages(pagesAt("/settings/invitations"));
  for (const [path, add] of Object.entries(OPERATION)) add(pagesAt(`/settings/${path}`));
  keyPages(pagesAt("/settings/keys"));
  modelPages(pagesAt("/settings/models"));
  limitPages(pagesAt("/settings/limits"));
  signInSettings(pagesAt("/settings/sign-in"));
  app.get("/settings/log", requireAdmin, logPage);
  app.get("/settings/requests", requireAdmin, requestsPage);
  app.get("/settings/requests/:id", requireAdmin, requestPage);
  ragPages(pagesAt("/rags"));
  answerPages(pagesAt("/inferences"), "inference", inferenceActions);
  answerPages(pagesAt("/agents"), "agent", agentActions);
  app.get("/evaluation/:set/runs/compare", comparePage);
  for (const add of EVALUATION) add(pagesAt("/evaluation"));
  app.get("/asked", requireAdmin, askedPage);
  tokenPages(pagesAt("/tokens"));
  app.get("*", (context) => {
    const { path } = context.req;
    // Opened by hand, or after the colours were chosen on the page of a failed form.
    if (!hasFormRoute(app, path)) throw notFound();
    return context.redirect(path.slice(0, path.lastIndexOf("/")), 303);
  });
  app.all("*", () => {
    throw notFound();
  });
  return app;
}

const hasFormRoute = ({ routes }: Hono<PageEnv>, path: string) =>
  routes.some(({ method, path: pattern }) => {
    const parts = pattern.split("/");
    const segments = path.split("/").slice(2);
    return (
      method === "POST" &&
      parts.length === segments.length + 1 &&
      segments.every((part, at) => parts[at + 1] === part || parts[at + 1]?.startsWith(":"))
    );
  });
