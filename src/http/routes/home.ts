import { Hono } from "hono";

import type { AppEnv } from "../app-env.ts";
import { baseUrlOf } from "../base-url.ts";

/** The root leads people to the panel, and tells programs what is here. */
export const homeRoutes = new Hono<AppEnv>();

homeRoutes.get("/", (context) => {
  context.header("Vary", "Accept");
  const isBrowser = (context.req.header("Accept") ?? "").includes("text/html");
  if (isBrowser) return context.redirect("/panel", 302);
  const base = baseUrlOf(context.get("services").config, context.req.raw);
  return context.json({
    name: "Quarry",
    panel: `${base}/panel`,
    reference: `${base}/api/docs`,
    agentsAndWebhooks: `${base}/api/docs/agents-and-webhooks`,
    openapi: `${base}/api/openapi.json`,
  });
});
