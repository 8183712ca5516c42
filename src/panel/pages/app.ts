import { membersSearch } from "../api/request/members-search.ts";
import { Hono } from "hono";

import { notFound } from "../../core/errors.ts";
import { auditedPages } from "../../http/middleware/audit.ts";
import { adminsChange } from "../api/request/guards.ts";
import { accountPages } from "./account/account.tsx";
import { secondFactorPages } from "./account/second-factor.tsx";
import { errorPage } from "./error-page.tsx";
import { askedPage } from "./evaluation/asked-page.tsx";
import { evaluationPages } from "./evaluation/evaluation-pages.ts";
import { keepPage, newSetPages } from "./evaluation/sets.tsx";
import { firstStepsActions } from "./overview/first-steps-actions.ts";
import { overviewPages } from "./overview/overview.tsx";
import type { PageEnv } from "./page-env.ts";
import { adminsOnly, asPage, enrolledPage, ownForms, signedInPage } from "./request/guards.ts";
import { keyPages } from "./settings/keys.tsx";
import { logPage } from "./settings/log.tsx";
import { modelPages } from "./settings/models.tsx";
import { signInSettings } from "./settings/sign-in-settings.tsx";
import { userPages, userListPages } from "./settings/users.tsx";
import { selectedFiles } from "./sources/selected-files.tsx";
import { filePages } from "./sources/file.tsx";
import { newSourcePages } from "./sources/new-source.tsx";
import { sourceActions } from "./sources/source-actions.tsx";
import { sourceListPages } from "./sources/sources.tsx";
import { sourcePages } from "./sources/source.tsx";
import { answerPages, newModelPages, runPages } from "./answers/answer-pages.tsx";
import { programPages } from "./tokens/programs.tsx";
import { tokenPages } from "./tokens/tokens.tsx";
import { referencePage } from "../../http/reference-page.ts";
import { newRagPages, ragPages } from "./rags/rags.tsx";
import { searchPages } from "./search/search.tsx";
import { openidPages } from "./sign-in/openid-pages.tsx";
import { sessionPages } from "./sign-in/sign-in.tsx";

/**
 * The panel's pages, to be mounted under /panel of the app that provides the services. A page
 * passes the checks of the panel's API: session, origin, second factor, permission to change.
 */
export function panelPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.onError(errorPage);
  app.use(asPage, ownForms, auditedPages);
  app.route("/", sessionPages());
  app.route("/", openidPages());
  app.use(signedInPage);
  app.route("/account/second-factor", secondFactorPages());
  app.use(enrolledPage);
  app.route("/account", accountPages());
  app.route("/", overviewPages());
  app.get("/reference", (context) =>
    referencePage(context, { title: "Quarry panel API", document: "/panel/api/openapi.json" }),
  );
  // What members may post stands above, what administrators may below.
  app.route("/search", searchPages());
  app.route("/inferences", runPages("inference"));
  app.route("/agents", runPages("agent"));
  app.route("/tokens/programs", programPages());
  app.use(adminsChange, membersSearch);
  app.route("/first-steps", firstStepsActions());
  app.route("/new/source", newSourcePages());
  app.route("/new/rag", newRagPages());
  app.route("/new/inference", newModelPages("inference"));
  app.route("/new/agent", newModelPages("agent"));
  app.route("/new/question-set", newSetPages());
  app.get("/new/question", adminsOnly, keepPage);
  app.route("/sources", sourceListPages());
  app.route("/sources", sourcePages());
  app.route("/sources", sourceActions());
  app.route("/sources", filePages());
  app.route("/sources", selectedFiles());
  app.route("/settings", userListPages());
  app.route("/settings/users", userPages());
  app.route("/settings/keys", keyPages());
  app.route("/settings/models", modelPages());
  app.route("/settings/sign-in", signInSettings());
  app.get("/settings/log", adminsOnly, logPage);
  app.route("/rags", ragPages());
  app.route("/inferences", answerPages("inference"));
  app.route("/agents", answerPages("agent"));
  app.route("/evaluation", evaluationPages());
  app.get("/asked", adminsOnly, askedPage);
  app.route("/tokens", tokenPages());
  app.get("*", (context) => {
    const { path } = context.req;
    const { pathname, search } = new URL(context.req.url);
    const unslashed = withoutSlashesBehind(pathname);
    if (unslashed !== pathname && unslashed !== "") {
      return context.redirect(`${unslashed}${search}`, 303);
    }
    // Opened by hand, or after the colours were chosen on the page of a failed form.
    if (!takesForms(app, path)) throw notFound();
    return context.redirect(path.slice(0, path.lastIndexOf("/")), 303);
  });
  app.all("*", () => {
    throw notFound();
  });
  return app;
}

function withoutSlashesBehind(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/** Whether forms are sent to this path. */
const takesForms = ({ routes }: Hono<PageEnv>, path: string) =>
  routes.some(({ method, path: pattern }) => {
    const parts = pattern.split("/");
    const sent = path.split("/").slice(2);
    return (
      method === "POST" &&
      parts.length === sent.length + 1 &&
      sent.every((part, at) => parts[at + 1] === part || parts[at + 1]?.startsWith(":"))
    );
  });
