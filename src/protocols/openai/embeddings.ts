import { Hono } from "hono";
import { z } from "zod";

import { embedTexts } from "../../catalog/models/embed-texts.ts";
import { sendRetrievalUsage } from "../../catalog/usage/send-usage.ts";
import { Deadline } from "../../core/work/deadline.ts";
import { listCoveredRags } from "../../db/access/covered-lists.ts";
import type { ListedRag } from "../../db/records.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { callerFrom, credentialIn } from "../../http/caller.ts";
import { tellIgnored } from "../../http/middleware/ignored-fields.ts";
import { asModelFailed } from "../../inference/run-turn.ts";
import { estimateTokens } from "../../text/tokens.ts";
import type { Embedder } from "../../ports/models.ts";
import { parseBodyDeferringErrors } from "../parse-body-deferring-errors.ts";
import { tokensOnly } from "../tokens-only.ts";
import { NoSuchModel, parseBody, refuse } from "./errors.ts";
import { MODEL_MAX_LENGTH } from "./turn.ts";

/** OpenAI's limits: https://platform.openai.com/docs/api-reference/embeddings/create */
const INPUTS_LIMIT = 2_048;
const TOKENS_LIMIT = 300_000;

const Input = z.string().min(1, "must not be empty");
const EmbeddingsRequest = z.object({
  model: z.string(),
  input: z.union([Input, z.array(Input).min(1).max(INPUTS_LIMIT)]),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  dimensions: z.int().min(1).nullish(),
});

export function embeddingRoutes(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.post("/embeddings", tokensOnly, async (context) => {
    const { value, problem } = await parseBodyDeferringErrors(context.req.raw);
    const services = context.get("services");
    const credential = await credentialIn(services, context.req.raw);
    const { principal, rags } = await listCoveredRags(services.reads, credential);
    const caller = callerFrom(services, context.req.raw, principal);
    context.set("actor", caller.actor);
    if (problem !== null) throw problem;
    tellIgnored(context, EmbeddingsRequest, value);
    const { model, input, encoding_format, dimensions } = parseBody(EmbeddingsRequest, value);
    const texts = typeof input === "string" ? [input] : input;
    const embedder = services.models.embedder(model, dimensionsOf(rags, model, dimensions));
    checkLengths(texts, embedder);
    const by = { ragIds: [], tokenId: caller.tokenId };
    const { vectors, tokens } = await embedded(
      services,
      by,
      embedder,
      texts,
      context.req.raw.signal,
    );
    const write = encoding_format === "base64" ? inBase64 : Array.from<number>;
    const data = vectors.map((vector, index) => {
      return { object: "embedding" as const, index, embedding: write(vector) };
    });
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    return context.json({ object: "list" as const, data, model, usage });
  });
  return app;
}

/** As the token's RAGs have the model: other vectors could not be compared with theirs. */
function dimensionsOf(rags: ListedRag[], model: string, asked: number | null | undefined): number {
  const known = rags.filter((rag) => rag.embeddingModel === model).map((rag) => rag.dimensions);
  const [first] = known;
  if (first === undefined) throw new NoSuchModel(model.slice(0, MODEL_MAX_LENGTH));
  if (asked === null || asked === undefined || known.includes(asked)) return asked ?? first;
  throw refuse("dimensions", `must be ${[...new Set(known)].join(" or ")}, as the RAGs have them`);
}

/** Nothing is cut off silently. */
function checkLengths(texts: string[], { inputLimit, tokenizer }: Embedder): void {
  const long = texts.findIndex((text) => text.length > inputLimit);
  if (long !== -1) throw refuse(`input[${long}]`, `must be at most ${inputLimit} characters`);
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text, tokenizer), 0);
  if (tokens > TOKENS_LIMIT) throw refuse("input", `must be at most ${TOKENS_LIMIT} tokens`);
}

/** @throws QuarryError `model-failed` */
async function embedded(
  services: AppEnv["Variables"]["services"],
  by: Parameters<typeof sendRetrievalUsage>[1],
  embedder: Embedder,
  texts: string[],
  signal: AbortSignal,
) {
  const { now, config } = services;
  const startedAt = now();
  const count = (inputTokens: number, failed: boolean) => {
    const latencyMs = now() - startedAt;
    const calls = Math.ceil(texts.length / embedder.batchLimit);
    const { name: model } = embedder;
    const use = { kind: "embedding" as const, model, ragIds: [], calls, inputTokens };
    const timings = { contextMs: latencyMs, rerankingMs: 0 };
    const uses = [{ ...use, latencyMs: latencyMs / calls, failed }];
    sendRetrievalUsage(services, by, { degradations: [], uses, timings });
  };
  try {
    const deadline = new Deadline(now, config.MODEL_TIMEOUT_MS, signal);
    const made = await deadline.run("model", (until) => embedTexts(embedder, texts, until));
    count(made.tokens, false);
    return made;
  } catch (thrown) {
    count(0, true);
    throw asModelFailed(thrown);
  }
}

const BYTES_AT_ONCE = 8_192;

/** float32 in little-endian order, which is the platform's. */
function inBase64({ buffer }: Float32Array): string {
  const bytes = new Uint8Array(buffer);
  let binary = "";
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE));
  }
  return btoa(binary);
}
