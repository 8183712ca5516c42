import { Hono, type Context } from "hono";
import { z } from "zod";

import { isNotFound, notFound } from "../../core/errors.ts";
import { isObject } from "../../core/is-object.ts";
import type { PublicRag } from "../../db/access/principal-lookup.ts";
import type { AppEnv } from "../../http/app-env.ts";
import type { Caller } from "../../http/caller.ts";
import { logFailure } from "../../http/errors.ts";
import { admit } from "../../http/middleware/guard.ts";
import { reportIgnoredFields } from "../../http/middleware/ignored-fields.ts";
import { rateLimit, TOO_MANY_REQUESTS } from "../../http/middleware/rate-limit.ts";
import { parseOrRefuse } from "../../http/validation.ts";
import type { RetrievedChunk } from "../../retrieval/score-chunks.ts";
import { attributesOf, type Attributes } from "../file-fields.ts";
import { parseBodyDeferringErrors, type DeferredBody } from "../parse-body-deferring-errors.ts";
import { requireToken } from "../require-token.ts";
import { search } from "../search.ts";
import { conditionOf, MetadataCondition } from "./metadata-condition.ts";

/* Dify's API: https://docs.dify.ai/en/use-dify/knowledge/external-knowledge-api */

const TOP_K_LIMIT = 100;

const RetrievalRequest = z.object({
  knowledge_id: z.string(),
  query: z.string().regex(/\S/, "must not be blank"),
  retrieval_setting: z.object({
    top_k: z.int().min(1).max(TOP_K_LIMIT),
    // Dify sends 0 where the threshold is switched off.
    score_threshold: z.number().min(0).max(1).nullish(),
  }),
  metadata_condition: MetadataCondition.nullish(),
});

/** The codes that Dify suggests; its users see the message. */
const ERROR_CODES: Partial<Record<number, number>> = { 401: 1_002, 403: 1_002, 404: 2_001 };
const MALFORMED_CREDENTIAL = 1_001;
const FORM = /^bearer +\S+ *$/i;

const errorOf = (code: number, message: string) => ({ error_code: code, error_msg: message });

export function difyProtocol(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.onError(answerError);
  app.use(rateLimit("api", (context) => context.json(errorOf(429, TOO_MANY_REQUESTS), 429)));
  app.post("/retrieval", requireToken, async (context) => {
    const body = await parseBodyDeferringErrors(context.req.raw);
    const { resource: rag, caller } = await admitCall(context, body);
    reportIgnoredFields(context, RetrievalRequest, body.value);
    const request = parseOrRefuse(RetrievalRequest, body.value);
    const { top_k: topK, score_threshold: threshold } = request.retrieval_setting;
    const { metadata_condition: condition } = request;
    const services = context.get("services");
    const { chunks } = await search(services, {
      rags: [rag],
      queries: [request.query],
      topK,
      threshold: threshold ?? undefined,
      condition: condition ? conditionOf(condition) : undefined,
      caller,
      signal: context.req.raw.signal,
    });
    const attributes = await attributesOf(services.reads, rag, chunks);
    const records = chunks.map((chunk) =>
      recordOf(chunk, attributes.get(chunk.source.filePath) ?? {}),
    );
    return context.json({ records });
  });
  app.all("*", () => {
    throw notFound("Dify appends /retrieval to its endpoint, which ends in /dify");
  });
  return app;
}

async function admitCall(
  context: Context<AppEnv>,
  { value, problem }: DeferredBody,
): Promise<{ caller: Caller; resource: PublicRag }> {
  const knowledge = knowledgeIn(value);
  try {
    return await admit(context, "rag", "recent", knowledge);
  } catch (thrown) {
    if (isNotFound(thrown) && problem !== null) throw problem;
    // Says that the field is missing, instead of that its knowledge does not exist.
    if (isNotFound(thrown) && knowledge === "") parseOrRefuse(RetrievalRequest, value);
    throw thrown;
  }
}

function knowledgeIn(body: unknown): string {
  const id = isObject(body) ? body["knowledge_id"] : "";
  return typeof id === "string" ? id : "";
}

function recordOf({ text, score, source }: RetrievedChunk, attributes: Attributes) {
  const { ragIdentifier: rag, filePath: path, name, headings, ...place } = source;
  const { url, modifiedAt, page, start, end } = place;
  const title = [name, ...headings].join(" › ");
  const metadata = { ...attributes, path, url, modifiedAt, page, rag, headings, start, end };
  return { content: text, score, title, metadata };
}

function answerError(thrown: unknown, context: Context<AppEnv>): Response {
  const { status, error } = logFailure(thrown, context.get("services").log);
  if (status === 401) context.header("WWW-Authenticate", 'Bearer realm="Quarry"');
  const isMalformed = status === 401 && !FORM.test(context.req.header("Authorization") ?? "");
  const code = isMalformed ? MALFORMED_CREDENTIAL : (ERROR_CODES[status] ?? status);
  const message = error === notFound().message ? "The knowledge does not exist" : error;
  return context.json(errorOf(code, message), status);
}
