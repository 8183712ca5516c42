import { Hono } from "hono";

import type { AppEnv } from "../http/app-env.ts";
import { difyDoor } from "./dify/app.ts";
import { mcpDoor } from "./mcp/app.ts";
import { openAiDoor } from "./openai/app.ts";

/**
 * The APIs that programs already speak, over the verbs of our own: under the same tokens, rate
 * budget and limits, and absent from the published specification. To be mounted on the app that
 * provides the services.
 */
export function doors(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.route("/v1", openAiDoor());
  app.route("/mcp", mcpDoor());
  app.route("/dify", difyDoor());
  return app;
}
