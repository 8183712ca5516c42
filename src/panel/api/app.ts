import { OpenAPIHono, z } from "@hono/zod-openapi";

import { baseUrlOf } from "../../http/client-address.ts";
import { finishDocument } from "../../http/finish-document.ts";
import { auditRequests } from "../../http/middleware/audit.ts";
import { serviceInfo } from "../../http/open-api-document.ts";
import { agentActions, inferenceActions } from "./answers.ts";
import { archiveRoutes } from "./archive.ts";
import { auditRoutes } from "./audit.ts";
import { configRoutes } from "./config.ts";
import { questionRoutes, questionSetRoutes } from "./evaluation/questions.ts";
import { runListRoutes, runRoutes } from "./evaluation/runs.ts";
import { eventEndpointRoutes } from "./event-endpoints.ts";
import { fileBatchRoutes } from "./file-batch.ts";
import { fileReaderRoutes } from "./file-readers.ts";
import { fileSourceRoutes } from "./file-sources.ts";
import { invitationRoutes } from "./invitations.ts";
import { limitRoutes } from "./limits.ts";
import { modelRoutes } from "./models.ts";
import { overviewRoutes, usageRoutes } from "./overview.ts";
import { ragIndexRoutes, ragSearchRoutes } from "./rag-index.ts";
import { ragRoutes } from "./rags.ts";
import { Endpoints, TAGS } from "./request/endpoint.ts";
import { requireTotp, restrictMembers, requireOwnPages, requireSignIn } from "./request/guards.ts";
import type { PanelEnv } from "./request/route.ts";
import { requestRoutes } from "./requests.ts";
import { sessionRoutes, signInRoutes, totpRoutes } from "./session.ts";
import { sourceFileRoutes } from "./source-files.ts";
import { tokenRoutes } from "./tokens.ts";
import { keyRoutes, openSessionRoutes, userRoutes } from "./users.ts";

const SOURCES = [fileSourceRoutes, fileReaderRoutes, sourceFileRoutes, fileBatchRoutes];
const RAGS = [ragRoutes, ragIndexRoutes, inferenceActions.routes, agentActions.routes];
const EVALUATION = [questionSetRoutes, questionRoutes, runListRoutes, runRoutes];
const SERVICE = [
  tokenRoutes,
  modelRoutes,
  usageRoutes,
  overviewRoutes,
  auditRoutes,
  configRoutes,
  limitRoutes,
  eventEndpointRoutes,
  invitationRoutes,
  requestRoutes,
  archiveRoutes,
];
/** Routes that administrators change and members see, in the order of the reference. */
const GUARDED = [
  userRoutes,
  keyRoutes,
  signInRoutes,
  ...SOURCES,
  ...RAGS,
  ...EVALUATION,
  ...SERVICE,
];

/**
 * The panel's API, to be mounted under /panel/api of the app that provides services and error
 * handling. Everything but one's own session passes the same three checks: credentials (401),
 * origin, and permission to change (403).
 */
export function panelApi(): OpenAPIHono<PanelEnv> {
  const app = new OpenAPIHono<PanelEnv>();
  app.use(auditRequests);
  app.route("/", sessionRoutes);
  app.route("/", totpRoutes);
  app.use(requireSignIn, requireOwnPages, requireTotp);
  app.route("/", openSessionRoutes);
  app.route("/", ragSearchRoutes);
  app.route("/", documentRoute(app));
  app.use(restrictMembers);
  for (const routes of GUARDED) app.route("/", routes);
  return app;
}

const documentRoute = (app: OpenAPIHono<PanelEnv>) =>
  new Endpoints("service").json(
    "get /openapi.json",
    "This document. For generators and readers.",
    { answer: z.record(z.string(), z.unknown()) },
    ({ context, services }) => ({
      ...panelDocument(baseUrlOf(services.config, context.req.raw), app),
    }),
  ).app;

const DESCRIPTION = `Set up Quarry: users, keys, file sources, RAGs, inferences, agents and tokens. The pages under /panel do the same.

Send an automation key (\`qrya_…\`), or the cookie of a session; a change with the cookie must come from a page of the service itself. Keys and administrators read everything, and administrators change everything. Members change nothing, and search files with permissions as themselves. A field that is not known is refused with the name of the field that was probably meant.`;

export function panelDocument(baseUrl: string, app = panelApi()) {
  const { openAPIRegistry } = app;
  openAPIRegistry.registerComponent("securitySchemes", "automationKey", {
    type: "http",
    scheme: "bearer",
    description: "An automation key.",
  });
  openAPIRegistry.registerComponent("securitySchemes", "session", {
    type: "apiKey",
    in: "cookie",
    name: "quarry_session",
    description: "The session of a signed-in user.",
  });
  const { webhooks: _none, ...document } = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { ...serviceInfo(baseUrl), title: "Quarry panel API", description: DESCRIPTION },
    servers: [{ url: `${baseUrl}/panel/api`, description: "This service." }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ automationKey: [] }, { session: [] }],
  });
  return finishDocument(document, { closesBodies: true });
}
