import type { OpenAPIHono } from "@hono/zod-openapi";
import { Hono, type Handler } from "hono";
import { etag } from "hono/etag";

import type { AppEnv } from "../app-env.ts";
import { baseUrlOf } from "../client-address.ts";
import { redirectTrailingSlash } from "../middleware/redirect-trailing-slash.ts";
import { openApiDocument, registerComponents, unpublishedDocument } from "../open-api-document.ts";
import { referencePage } from "../reference-page.ts";
import { agentReference } from "./agents.ts";
import { webhookReference } from "./webhooks.ts";

const DOCUMENT = "/api/openapi.json";
/** Agents and webhooks are part of the API and not of its published specification. */
const UNPUBLISHED_DOCUMENT = "/api/openapi-agents-and-webhooks.json";

/** The public documents and a page for each; none is part of the published specification. */
export function documentation(api: OpenAPIHono<AppEnv>): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  registerComponents(api);
  const unpublished = [...agentReference, ...webhookReference];
  const documents = {
    [DOCUMENT]: (base: string) => openApiDocument(api, base),
    [UNPUBLISHED_DOCUMENT]: (base: string) => unpublishedDocument(unpublished, base),
  };
  for (const [path, documentOf] of Object.entries(documents))
    app.get(path, etag(), documentRoute(documentOf));
  app.use("/api/docs/*", redirectTrailingSlash(301));
  app.get("/api/docs", (context) =>
    referencePage(context, { title: "Quarry API", document: DOCUMENT }),
  );
  app.get("/api/docs/agents-and-webhooks", (context) =>
    referencePage(context, {
      title: "Quarry API: agents and webhooks",
      document: UNPUBLISHED_DOCUMENT,
    }),
  );
  return app;
}

/** Cached for one base address; a request under another address rebuilds it. */
function documentRoute(documentOf: (base: string) => object): Handler<AppEnv> {
  let cached: { base: string; text: string } | null = null;
  return (context) => {
    const base = baseUrlOf(context.get("services").config, context.req.raw);
    if (cached?.base !== base) cached = { base, text: JSON.stringify(documentOf(base)) };
    return context.body(cached.text, 200, { "Content-Type": "application/json" });
  };
}
