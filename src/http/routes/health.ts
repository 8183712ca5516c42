import { Hono } from "hono";

import type { AppEnv } from "../app-env.ts";

/**
 * `GET /health`: liveness. That it answers means that the Worker runs with a valid configuration;
 * a wrong one is a 500 that names the variable. It asks neither the database nor any other
 * service, so that who calls it, as often as they like, costs nothing and waits for nothing; what
 * is behind is shown by `/panel/api/overview`, to those who may see it.
 */
export const healthRoutes = new Hono<AppEnv>();

healthRoutes.get("/health", (context) => {
  const { config, version } = context.get("services");
  return context.json({ status: "ok", environment: config.ENVIRONMENT, version }, 200);
});
