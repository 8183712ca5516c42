import { Hono } from "hono";

import type { AppEnv } from "../app-env.ts";

/**
 * `GET /health`: liveness. An answer means that the Worker runs with a valid configuration; an
 * invalid one is a 500 that names the variable. It calls neither the database nor any other
 * service, so that frequent calls are free and fast; `/panel/api/overview` shows those.
 */
export const healthRoutes = new Hono<AppEnv>();

healthRoutes.get("/health", (context) => {
  const { config, version } = context.get("services");
  return context.json({ status: "ok", environment: config.ENVIRONMENT, version }, 200);
});
