import { Hono } from "hono";

import type { AppEnv } from "../http/app-env.ts";
import { difyProtocol } from "./dify/app.ts";
import { mcpProtocol } from "./mcp/app.ts";
import { oauthProtocol } from "./oauth/app.ts";
import { openAiProtocol } from "./openai/app.ts";

/**
 * The APIs that programs already speak, over the verbs of our own: under the same tokens, rate
 * budget and limits, and absent from the published specification. To be mounted on the app that
 * provides the services.
 */
export function protocols(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.route("/v1", openAiProtocol());
  app.route("/mcp", mcpProtocol());
  app.route("/dify", difyProtocol());
  app.route("/", oauthProtocol());
  return app;
}
