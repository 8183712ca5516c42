import { Hono } from "hono";

import { agentRoutes } from "./agents.ts";
import { baseUrlOf } from "../../http/base-url.ts";
import { audited } from "../../http/middleware/audit.ts";
import { auditRoutes } from "./audit.ts";
import { fileBatchRoutes } from "./file-batch.ts";
import { fileSourceRoutes } from "./file-sources.ts";
import { questionSetRoutes } from "./evaluation/question-sets.ts";
import { adminsChange, enrolledOnly, ownPagesOnly, signedInOnly } from "./request/guards.ts";
import { inferenceRoutes } from "./inferences.ts";
import { keyRoutes } from "./keys.ts";
import { modelRoutes } from "./models.ts";
import { overviewRoutes } from "./overview.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { ragSearchRoutes } from "./rag-search.ts";
import { ragRoutes } from "./rags.ts";
import { sessionRoutes } from "./session.ts";
import { openSessionRoutes } from "./sessions.ts";
import { sourceFileRoutes } from "./source-files.ts";
import { tokenRoutes } from "./tokens.ts";
import { usageRoutes } from "./usage.ts";
import { userRoutes } from "./users.ts";

/**
 * The panel's API, to be mounted under /panel/api of the app that provides services and error
 * handling. Everything but one's own sessions passes the same three checks: credentials (401),
 * origin, and permission to change (403).
 */
export function panelApi(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();
  app.use(audited("/panel/api"));
  app.route("/session", sessionRoutes());
  app.use(signedInOnly, ownPagesOnly, enrolledOnly);
  app.route("/sessions", openSessionRoutes());
  app.route("/rags", ragSearchRoutes());
  app.get("/openapi.json", async (context) => {
    const { panelDocument } = await import("./reference/document.ts");
    const { config } = context.get("services");
    return context.json(panelDocument(baseUrlOf(config, context.req.raw)));
  });
  app.use(adminsChange);
  app.route("/users", userRoutes());
  app.route("/keys", keyRoutes());
  app.route("/file-sources", fileSourceRoutes());
  app.route("/file-sources", sourceFileRoutes());
  app.route("/file-sources", fileBatchRoutes());
  app.route("/rags", ragRoutes());
  app.route("/inferences", inferenceRoutes());
  app.route("/agents", agentRoutes());
  app.route("/question-sets", questionSetRoutes());
  app.route("/tokens", tokenRoutes());
  app.route("/models", modelRoutes());
  app.route("/usage", usageRoutes());
  app.route("/overview", overviewRoutes());
  app.route("/audit", auditRoutes());
  return app;
}
