import { Hono } from "hono";

import { notFound } from "../../core/errors.ts";
import { closestName } from "../../core/input/closest-name.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { rateLimit } from "../../http/middleware/rate-limit.ts";
import { answerTurn } from "./answer-turn.ts";
import { chatCompletions } from "./chat-answer.ts";
import { embeddingRoutes } from "./embeddings.ts";
import { openAiError, openAiTooMany } from "./errors.ts";
import { responses } from "./responses-answer.ts";
import { modelRoutes } from "./models.ts";
import { tokensAndGrants } from "../tokens-only.ts";
import { vectorStoreRoutes } from "./vector-stores.ts";

/** OpenAI's API over inferences, agents and RAGs: https://platform.openai.com/docs/api-reference */
export function openAiProtocol(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.onError(openAiError);
  app.use(rateLimit("api", openAiTooMany));
  app.route("/", modelRoutes());
  app.post("/chat/completions", tokensAndGrants, (context) => answerTurn(context, chatCompletions));
  app.post("/responses", tokensAndGrants, (context) => answerTurn(context, responses));
  app.route("/", embeddingRoutes());
  app.route("/", vectorStoreRoutes());
  const paths = app.routes.map(({ path }) => path).filter((path) => path !== "/*");
  app.all("*", ({ req }) => {
    const meant = closestName(req.path.replace(/^\/v1/, ""), paths);
    throw notFound(meant === null ? undefined : `is /v1${meant} meant?`);
  });
  return app;
}
