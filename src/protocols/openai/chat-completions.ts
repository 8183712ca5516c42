import { Hono } from "hono";
import type { Context } from "hono";

import { isNotFound } from "../../core/errors.ts";
import type { AppEnv } from "../../http/app-env.ts";
import type { Caller } from "../../http/caller.ts";
import { admit, recentAgent, recentInference } from "../../http/middleware/guard.ts";
import { tellIgnored } from "../../http/middleware/ignored-fields.ts";
import { EVENT_STREAM_HEADERS } from "../../http/event-stream.ts";
import type { Listening } from "../../inference/run-events.ts";
import { chatAnswer } from "./chat-answer.ts";
import { ChatRequest, MODEL_MAX_LENGTH, readChat } from "./chat-request.ts";
import { refuse } from "./errors.ts";
import { asNoSuchModel, readModelName } from "./models.ts";
import { applyCallerLimits } from "./apply-caller-limits.ts";
import { run } from "../run.ts";
import { tokensOnly } from "../tokens-only.ts";
import type { Runner } from "../run.ts";
import { parseBodyDeferringErrors } from "../parse-body-deferring-errors.ts";
import type { DeferredBody } from "../parse-body-deferring-errors.ts";
import { chatStream } from "./chat-stream.ts";

export function chatRoutes(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.post("/chat/completions", tokensOnly, async (context) => {
    const body = await parseBodyDeferringErrors(context.req.raw);
    const { runner, caller } = await admitted(context, body);
    tellIgnored(context, ChatRequest, body.value);
    const chat = readChat(body.value);
    const services = context.get("services");
    const { signal } = context.req.raw;
    const { prompt, messages, jsonSchema, cites } = chat;
    const asked = {
      runner: applyCallerLimits(runner, chat),
      prompt,
      messages,
      jsonSchema,
      cites,
      caller,
    };
    const runWith = (listening: Partial<Listening>) => run(services, { ...asked, ...listening });
    if (chat.stream) {
      const body = await chatStream(runWith, chat, { signal, log: services.log });
      return context.body(body, 200, EVENT_STREAM_HEADERS);
    }
    const result = await runWith({ signal });
    return context.json(chatAnswer(chat, result));
  });
  return app;
}

function modelIn(body: unknown): string {
  const model: unknown =
    typeof body === "object" && body !== null ? Reflect.get(body, "model") : "";
  return typeof model === "string" ? model.slice(0, MODEL_MAX_LENGTH) : "";
}

async function admitted(
  context: Context<AppEnv>,
  { value, problem }: DeferredBody,
): Promise<{ runner: Runner; caller: Caller }> {
  const model = modelIn(value);
  const name = readModelName(model);
  try {
    if (name?.kind === "agent") {
      const { resource: agent, caller } = await admit(context, recentAgent, name.identifier);
      return { runner: { kind: "agent", agent }, caller };
    }
    const identifier = name?.identifier ?? "";
    const { resource: inference, caller } = await admit(context, recentInference, identifier);
    return { runner: { kind: "inference", inference }, caller };
  } catch (thrown) {
    if (isNotFound(thrown) && problem !== null) throw problem;
    if (isNotFound(thrown) && model === "") throw refuse("model", "is required");
    throw asNoSuchModel(thrown, model);
  }
}
