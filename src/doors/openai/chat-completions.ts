import { Hono } from "hono";
import type { Context } from "hono";

import { invalid } from "../../core/errors.ts";
import { lookUpAgent, lookUpInference } from "../../db/access/principal-lookup.ts";
import type { AppEnv } from "../../http/app-env.ts";
import type { Caller } from "../../http/caller.ts";
import { admit } from "../../http/middleware/guard.ts";
import { ignoredFields } from "../../http/middleware/ignored-fields.ts";
import { EVENT_STREAM_HEADERS } from "../../http/event-stream.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import type { Listening } from "../../inference/run-events.ts";
import { chatAnswer } from "./chat-answer.ts";
import { ChatRequest, readChat } from "./chat-request.ts";
import { refuse } from "./errors.ts";
import { asNoSuchModel, isNotFound, readModelName } from "./models.ts";
import { loweredRunner } from "./lowered-runner.ts";
import { run } from "../run.ts";
import type { Runner } from "../run.ts";
import { jsonBodyOf } from "../json-body-of.ts";
import { chatStream } from "./chat-stream.ts";

export function chatRoutes(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.post("/chat/completions", jsonBody(), ignoredFields(ChatRequest), async (context) => {
    const body = await jsonBodyOf(context);
    // Before anything is said about the body: a caller without a token learns nothing of its form.
    const { runner, caller } = await admitted(context, modelIn(body));
    if (body === undefined) throw invalid("body is not valid JSON");
    const chat = readChat(body);
    const services = context.get("services");
    const { signal } = context.req.raw;
    const { prompt, messages, jsonSchema, cites } = chat;
    const asked = {
      runner: loweredRunner(runner, chat),
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
  return typeof model === "string" ? model : "";
}

async function admitted(
  context: Context<AppEnv>,
  model: string,
): Promise<{ runner: Runner; caller: Caller }> {
  const name = readModelName(model);
  try {
    if (name?.kind === "agent") {
      const { resource: agent, caller } = await admit(context, lookUpAgent, name.identifier);
      return { runner: { kind: "agent", agent }, caller };
    }
    const identifier = name?.identifier ?? "";
    const { resource: inference, caller } = await admit(context, lookUpInference, identifier);
    return { runner: { kind: "inference", inference }, caller };
  } catch (thrown) {
    if (model === "" && isNotFound(thrown)) throw refuse("model", "is required");
    throw asNoSuchModel(thrown, model);
  }
}
