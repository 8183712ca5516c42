import { Hono } from "hono";

import { membersSearch } from "../api/request/guards.ts";
import { notFound } from "../../core/errors.ts";
import { auditedPages } from "../../http/middleware/audit.ts";
import { withoutSlash } from "../../http/middleware/without-slash.ts";
import { agentActions, inferenceActions } from "../api/answers.ts";
import { accountPages } from "./account/account.tsx";
import { secondFactorPages } from "./account/second-factor.tsx";
import { errorPage } from "./error-page.tsx";
import { askedPage } from "./evaluation/asked-page.tsx";
import { comparePage } from "./evaluation/compare-page.tsx";
import { questionPages } from "./evaluation/question-page.tsx";
import { questionListPages } from "./evaluation/questions-tab.tsx";
import { runResultPages } from "./evaluation/run-page.tsx";
import { runListPages } from "./evaluation/runs-tab.tsx";
import { keepPage, newSetPages, setPages } from "./evaluation/sets.tsx";
import { findPage } from "./find.tsx";
import { firstStepsActions, overviewPages } from "./overview/overview.tsx";
import { adminsOnly, Pages, type PageEnv } from "./page.tsx";
import { asPage, enrolledPage, ownForms, signedInPage } from "./request/guards.ts";
import { archivePages } from "./settings/archive.tsx";
import { eventPages } from "./settings/events.tsx";
import { invitationPages } from "./settings/invitations.tsx";
import { keyPages } from "./settings/keys.tsx";
import { logPage } from "./settings/log.tsx";
import { modelPages } from "./settings/models.tsx";
import { requestPage, requestsPage } from "./settings/requests.tsx";
import { signInSettings } from "./settings/sign-in-settings.tsx";
import { userListPages, userPages } from "./settings/users.tsx";
import { selectedFiles } from "./sources/selected-files.tsx";
import { filePages } from "./sources/file.tsx";
import { limitPages } from "./settings/limits.tsx";
import { newSourcePages, sourceListPages } from "./sources/sources.tsx";
import { sourceActions } from "./sources/source-actions.tsx";
import { sourcePages } from "./sources/source.tsx";
import { answerPages, newModelPages, runPages } from "./answers/answer-pages.tsx";
import { programPages } from "./tokens/programs.tsx";
import { tokenPages } from "./tokens/tokens.tsx";
import { referencePage } from "../../http/reference-page.ts";
import { newRagPages, ragPages } from "./rags/rags.tsx";
import { searchPages } from "./search/search.tsx";
import { joinPages } from "./sign-in/invitation.tsx";
import { openidPages } from "./sign-in/openid-pages.tsx";
import { sessionPages } from "./sign-in/sign-in.tsx";

const SOURCES = [sourceListPages, sourcePages, sourceActions, filePages, selectedFiles];
const EVALUATION = [setPages, questionListPages, questionPages, runListPages, runResultPages];
const OPERATION = { archive: archivePages, events: eventPages };

/** Mounted under /panel. Pages pass the checks of the panel's API, and the second factor. */
export function panelPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  const at = (path: string) => new Pages(app.basePath(path), () => Promise.resolve(undefined));
  app.onError(errorPage);
  app.use(asPage, ownForms, auditedPages);
  sessionPages(at("/"));
  openidPages(at("/"));
  joinPages(at("/invitation"));
  app.use(signedInPage, withoutSlash(303));
  secondFactorPages(at("/account/second-factor"));
  app.use(enrolledPage);
  accountPages(at("/account"));
  overviewPages(at("/"));
  app.get("/find", findPage);
  app.get("/reference", (context) =>
    referencePage(context, { title: "Quarry panel API", document: "/panel/api/openapi.json" }),
  );
  // Searches of members with permissions stand above, what they may not see below.
  searchPages(at("/search"));
  runPages(at("/inferences"), "inference", inferenceActions.find);
  runPages(at("/agents"), "agent", agentActions.find);
  programPages(at("/tokens/programs"));
  app.use(membersSearch);
  firstStepsActions(at("/first-steps"));
  newSourcePages(at("/new/source"));
  newRagPages(at("/new/rag"));
  newModelPages(at("/new/inference"), "inference", inferenceActions);
  newModelPages(at("/new/agent"), "agent", agentActions);
  newSetPages(at("/new/question-set"));
  app.get("/new/question", adminsOnly, keepPage);
  for (const add of SOURCES) add(at("/sources"));
  userListPages(at("/settings"));
  userPages(at("/settings/users"));
  invitationPages(at("/settings/invitations"));
  for (const [path, add] of Object.entries(OPERATION)) add(at(`/settings/${path}`));
  keyPages(at("/settings/keys"));
  modelPages(at("/settings/models"));
  limitPages(at("/settings/limits"));
  signInSettings(at("/settings/sign-in"));
  app.get("/settings/log", adminsOnly, logPage);
  app.get("/settings/requests", adminsOnly, requestsPage);
  app.get("/settings/requests/:id", adminsOnly, requestPage);
  ragPages(at("/rags"));
  answerPages(at("/inferences"), "inference", inferenceActions);
  answerPages(at("/agents"), "agent", agentActions);
  app.get("/evaluation/:set/runs/compare", comparePage);
  for (const add of EVALUATION) add(at("/evaluation"));
  app.get("/asked", adminsOnly, askedPage);
  tokenPages(at("/tokens"));
  app.get("*", (context) => {
    const { path } = context.req;
    // Opened by hand, or after the colours were chosen on the page of a failed form.
    if (!takesForms(app, path)) throw notFound();
    return context.redirect(path.slice(0, path.lastIndexOf("/")), 303);
  });
  app.all("*", () => {
    throw notFound();
  });
  return app;
}

const takesForms = ({ routes }: Hono<PageEnv>, path: string) =>
  routes.some(({ method, path: pattern }) => {
    const parts = pattern.split("/");
    const segments = path.split("/").slice(2);
    return (
      method === "POST" &&
      parts.length === segments.length + 1 &&
      segments.every((part, at) => parts[at + 1] === part || parts[at + 1]?.startsWith(":"))
    );
  });
