import { Hono } from "hono";

import type { AppEnv } from "../http/app-env.ts";
import { difyProtocol } from "./dify/app.ts";
import { mcpProtocol } from "./mcp/app.ts";
import { oauthProtocol } from "./oauth/app.ts";
import { openAiProtocol } from "./openai/app.ts";

/** APIs that programs already speak; absent from the published specification. */
export function protocols(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.route("/v1", openAiProtocol());
  app.route("/mcp", mcpProtocol());
  app.route("/dify", difyProtocol());
  app.route("/", oauthProtocol());
  return app;
}
