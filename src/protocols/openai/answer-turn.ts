import type { Context } from "hono";
import type { JSONValue } from "hono/utils/types";
import type { z } from "zod";

import { isNotFound } from "../../core/errors.ts";
import { isObject } from "../../core/is-object.ts";
import type { AppEnv } from "../../http/app-env.ts";
import type { Caller } from "../../http/caller.ts";
import { EVENT_STREAM_HEADERS } from "../../http/event-stream.ts";
import { admit } from "../../http/middleware/guard.ts";
import { reportIgnoredFields } from "../../http/middleware/ignored-fields.ts";
import { runBody } from "../../http/run-stream.ts";
import type { RunListener } from "../../inference/run-events.ts";
import type { InferenceResult } from "../../inference/types.ts";
import type { Services } from "../../services.ts";
import { type DeferredBody, parseBodyDeferringErrors } from "../parse-body-deferring-errors.ts";
import { run, type Runner } from "../run.ts";
import { openAiErrorBody, type OpenAiErrorBody, refuse } from "./errors.ts";
import { checkFunctions, removeHostedTools } from "./functions.ts";
import { toNoSuchModel, readModelName } from "./models.ts";
import { type Output, type OutputEvent, outputEvents, outputOf } from "./output.ts";
import { MAX_MODEL_LENGTH, type Turn } from "./turn.ts";

/** How one of OpenAI's APIs requests and returns a turn. */
export type TurnApi<Read extends Turn> = {
  schema: z.ZodType;
  /** @throws OpenAiRefusal */
  read: (body: unknown) => Read;
  answer: (turn: Read, output: Output) => JSONValue;
  teller: (turn: Read) => Teller;
};

export type Teller = {
  texts: (events: AsyncIterable<OutputEvent>) => AsyncGenerator<string>;
  /** The event that ends the stream after a failure. */
  failureEvent: (error: OpenAiErrorBody) => string;
};

/** Runs the inference or agent that the body names, and answers whole or as a stream. */
export async function answerTurn<Read extends Turn>(
  context: Context<AppEnv>,
  api: TurnApi<Read>,
): Promise<Response> {
  const received = await parseBodyDeferringErrors(context.req.raw);
  const { runner, caller } = await admitTurn(context, received);
  const { body, hosted } = removeHostedTools(received.value);
  reportIgnoredFields(
    context,
    api.schema,
    body,
    hosted.map((type) => `tools.${type}`),
  );
  const turn = api.read(body);
  const services = context.get("services");
  checkFunctions(services, runner, turn.functions);
  const { signal } = context.req.raw;
  const { prompt, messages, followUp, functions, jsonSchema, cites } = turn;
  const turnInput = { prompt, messages, followUp, functions, jsonSchema, cites, caller };
  const request = { ...turnInput, runner: applyCallerLimits(services.models, runner, turn) };
  const runWith = (listening: Partial<RunListener>) => run(services, { ...request, ...listening });
  if (!turn.stream) {
    const result = await runWith({ signal });
    return context.json(api.answer(turn, outputOf(turn, result)));
  }
  const events = await streamTurn({ run: runWith, signal, log: services.log }, turn, api);
  return context.body(events, 200, EVENT_STREAM_HEADERS);
}

/** Begins with the passages or the first text. @throws what the run throws before that */
export const streamTurn = <Read extends Turn>(
  running: Parameters<typeof runBody<InferenceResult>>[0],
  turn: Read,
  api: Pick<TurnApi<Read>, "teller">,
): Promise<ReadableStream<Uint8Array>> => {
  const teller = api.teller(turn);
  return runBody(
    running,
    (events) => teller.texts(outputEvents(events, turn)),
    ({ status, error, thrown }) => teller.failureEvent(openAiErrorBody(status, error, thrown)),
  );
};

function modelIn(body: unknown): string {
  const model = isObject(body) ? body["model"] : "";
  return typeof model === "string" ? model.slice(0, MAX_MODEL_LENGTH) : "";
}

async function admitTurn(
  context: Context<AppEnv>,
  { value, problem }: DeferredBody,
): Promise<{ runner: Runner; caller: Caller }> {
  const model = modelIn(value);
  const { kind, identifier } = readModelName(model);
  try {
    if (kind === "agent") {
      const { resource: agent, caller } = await admit(context, "agent", "recent", identifier);
      return { runner: { kind, agent }, caller };
    }
    const { resource: inference, caller } = await admit(context, "inference", "recent", identifier);
    return { runner: { kind, inference }, caller };
  } catch (thrown) {
    if (isNotFound(thrown) && problem !== null) throw problem;
    if (isNotFound(thrown) && model === "") throw refuse("model", "is required, as text");
    throw toNoSuchModel(thrown, model);
  }
}

/** OpenAI's default, which a caller cannot raise where nothing is configured. */
const DEFAULT_TEMPERATURE = 1;
/** Share of the model's window where nothing is configured: the passages need the rest. */
const ANSWER_SHARE = 0.5;

type ChatModels = Pick<Services["models"], "chat">;

type Settings = {
  model: string;
  systemPrompt: string;
  temperature: number | null;
  maxOutputTokens: number | null;
};

/** The runner with the caller's system message after its own, and the caller's limits where lower. */
export function applyCallerLimits(models: ChatModels, runner: Runner, turn: Turn): Runner {
  return runner.kind === "agent"
    ? { kind: "agent", agent: limitSettings(models, runner.agent, turn) }
    : { kind: "inference", inference: limitSettings(models, runner.inference, turn) };
}

function limitSettings<Set extends Settings>(models: ChatModels, settings: Set, turn: Turn): Set {
  const { model, systemPrompt, temperature, maxOutputTokens } = settings;
  const maxTokens = () =>
    maxOutputTokens ?? Math.floor(models.chat(model).contextTokens * ANSWER_SHARE);
  return {
    ...settings,
    systemPrompt: [systemPrompt, turn.systemNote].filter((text) => text !== "").join("\n\n"),
    temperature:
      turn.temperature === null
        ? temperature
        : Math.min(temperature ?? DEFAULT_TEMPERATURE, turn.temperature),
    maxOutputTokens:
      turn.maxOutputTokens === null ? maxOutputTokens : Math.min(maxTokens(), turn.maxOutputTokens),
  };
}
