import { Hono } from "hono";

import { notFound } from "../../core/errors.ts";
import { closestName } from "../../core/input/closest-name.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { rateLimit } from "../../http/middleware/rate-limit.ts";
import { requireAccess } from "../require-token.ts";
import { answerTurn } from "./answer-turn.ts";
import { chatCompletions } from "./chat-answer.ts";
import { embeddingRoutes } from "./embeddings.ts";
import { openAiError, openAiTooMany } from "./errors.ts";
import { modelRoutes } from "./models.ts";
import { responses } from "./responses-answer.ts";
import { vectorStoreRoutes } from "./vector-stores.ts";

/** OpenAI's API over inferences, agents and RAGs: https://platform.openai.com/docs/api-reference */
export function openAiProtocol(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.onError(openAiError);
  app.use(rateLimit("api", openAiTooMany));
  app.route("/", modelRoutes());
  app.post("/chat/completions", requireAccess, (context) => answerTurn(context, chatCompletions));
  app.post("/responses", requireAccess, (context) => answerTurn(context, responses));
  app.route("/", embeddingRoutes());
  app.route("/", vectorStoreRoutes());
  const methods = new Map(
    app.routes.map(({ method, path }) => [path.replace("{.+}", ""), method] as const),
  );
  methods.delete("/*");
  app.all("*", ({ req }) => {
    const path = closestName(req.path.replace(/^\/v1/, ""), [...methods.keys()]);
    throw notFound(path === null ? undefined : `is ${methods.get(path)} /v1${path} meant?`);
  });
  return app;
}
