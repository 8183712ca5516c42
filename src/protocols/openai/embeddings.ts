import { Hono } from "hono";
import { z } from "zod";

import { listCoveredRags } from "../../db/access/public-lists.ts";
import type { ListedRag } from "../../db/records.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { callerFrom, credentialIn } from "../../http/caller.ts";
import { reportIgnoredFields } from "../../http/middleware/ignored-fields.ts";
import type { Embedder } from "../../ports/models.ts";
import { estimateTokens } from "../../text/tokens.ts";
import { parseBodyDeferringErrors } from "../parse-body-deferring-errors.ts";
import { requireAccess } from "../require-token.ts";
import { embeddingsBody, embedInputs } from "./embed-inputs.ts";
import { NoSuchModel, parseBody, refuse } from "./errors.ts";
import { MAX_MODEL_LENGTH } from "./turn.ts";

/** OpenAI's limits: https://platform.openai.com/docs/api-reference/embeddings/create */
const INPUTS_LIMIT = 2_048;
const TOKENS_LIMIT = 300_000;
/** So many tokens fit, in most languages. */
const BODY_LIMIT_BYTES = 4 * 1_024 * 1_024;

const Input = z
  .string({
    error: ({ input }) =>
      input === undefined ? "is required" : "must be text: tokens are not supported",
  })
  .min(1, "must not be empty")
  .refine((text) => text.isWellFormed(), "must be well-formed Unicode");
export const EmbeddingsRequest = z.object({
  model: z.string(),
  input: z.union([Input, z.array(Input).min(1).max(INPUTS_LIMIT)]),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  dimensions: z.int().min(1).nullish(),
});

export function embeddingRoutes(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.post("/embeddings", requireAccess, async (context) => {
    const { value, problem } = await parseBodyDeferringErrors(context.req.raw, BODY_LIMIT_BYTES);
    const services = context.get("services");
    const credential = await credentialIn(services, context.req.raw);
    const { principal, rags } = await listCoveredRags(services.reads, credential);
    const caller = callerFrom(services, context.req.raw, principal);
    context.set("actor", caller.actor);
    if (problem !== null) throw problem;
    reportIgnoredFields(context, EmbeddingsRequest, value);
    const { model, input, encoding_format, dimensions } = parseBody(EmbeddingsRequest, value);
    const texts = typeof input === "string" ? [input] : input;
    const embedder = services.models.embedder(model, dimensionsOf(rags, model, dimensions));
    checkLengths(texts, embedder);
    const { tokenId } = caller;
    const { signal } = context.req.raw;
    const embedded = await embedInputs(services, { embedder, texts, tokenId, signal });
    const isBase64 = encoding_format === "base64";
    const headers = { "Content-Type": "application/json" };
    return context.body(embeddingsBody(embedded, { model, isBase64 }), 200, headers);
  });
  return app;
}

/** As the token's RAGs have the model: other vectors could not be compared with theirs. */
function dimensionsOf(
  rags: ListedRag[],
  model: string,
  dimensions: number | null | undefined,
): number {
  const sizes = rags.filter((rag) => rag.embeddingModel === model).map((rag) => rag.dimensions);
  const [first] = sizes;
  if (first === undefined) {
    const used = new Set(rags.map(({ embeddingModel }) => embeddingModel));
    const hint = `the token's RAGs use ${[...used].join(", ") || "none"}`;
    throw new NoSuchModel(model.slice(0, MAX_MODEL_LENGTH), hint);
  }
  if (dimensions === null || dimensions === undefined || sizes.includes(dimensions))
    return dimensions ?? first;
  throw refuse("dimensions", `must be ${[...new Set(sizes)].join(" or ")}, as the RAGs have them`);
}

/** Nothing is cut off silently. */
function checkLengths(texts: string[], { inputLimit, tokenizer }: Embedder): void {
  const long = texts.findIndex((text) => text.length > inputLimit);
  if (long !== -1) throw refuse(`input[${long}]`, `must be at most ${inputLimit} characters`);
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text, tokenizer), 0);
  if (tokens > TOKENS_LIMIT) throw refuse("input", `must be at most ${TOKENS_LIMIT} tokens`);
}
