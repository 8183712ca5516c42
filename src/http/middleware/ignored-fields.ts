import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { z } from "zod";

import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import type { AppEnv } from "../app-env.ts";
import { unknownFields } from "../unknown-fields.ts";

const HEADER = "X-Ignored-Fields";
const MAX_FIELDS = 20;
const MAX_FIELD_LENGTH = 100;

/** The resources that the guards of searches find. */
type SearchTarget = { rag?: RerankerChoice; inference?: { rags: RerankerChoice[] } };
type RerankerChoice = { reranker: string | null };

/**
 * Lists in `X-Ignored-Fields` the fields of a body that its schema does not have, and
 * `useReranking` where no RAG has a reranker: otherwise neither would be noticed. Runs after `jsonBody`, and
 * after the permission checks: who has no token learns nothing of a body's form.
 */
export function listIgnoredFields(schema: z.core.$ZodType) {
  return createMiddleware<AppEnv & { Variables: SearchTarget }>(async (context, next) => {
    const body = parseJson(await context.req.text());
    const ignored = unknownFields(schema, body, MAX_FIELDS).map(({ field }) => field);
    await next();
    if (isRerankRequested(body) && hasNoReranker(context.var)) ignored.push("useReranking");
    if (ignored.length > 0) context.res.headers.set(HEADER, listOf(ignored));
  });
}

const isRerankRequested = (body: unknown) => isObject(body) && body["useReranking"] === true;

/** Whether the call searches RAGs, and none of them has a reranker. */
function hasNoReranker({ rag, inference }: SearchTarget): boolean {
  const rags = rag === undefined ? (inference?.rags ?? []) : [rag];
  return rags.length > 0 && rags.every(({ reranker }) => reranker === null);
}

/** Tells the fields of a handler that reads the body itself, once its caller is known. */
export function reportIgnoredFields(
  context: Context,
  schema: z.core.$ZodType,
  body: unknown,
  more: string[] = [],
): void {
  const fields = unknownFields(schema, body, MAX_FIELDS).map(({ field }) => field);
  const ignored = [...more, ...fields].slice(0, MAX_FIELDS);
  if (ignored.length > 0) context.header(HEADER, listOf(ignored));
}

const listOf = (paths: string[]) => paths.map(headerText).join(", ");

/** A name can be any text: commas and characters invalid in headers are percent-encoded. */
function headerText(field: string): string {
  return field
    .slice(0, MAX_FIELD_LENGTH)
    .toWellFormed()
    .replaceAll(/[^\w.[\]-]/gu, (character) => encodeURIComponent(character));
}
