import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { z } from "zod";

import type { AppEnv } from "../app-env.ts";
import { pathOf, unknownFields } from "../unknown-fields.ts";

const HEADER = "X-Ignored-Fields";
const FIELDS_MAX = 20;
const MAX_FIELD_LENGTH = 100;

/**
 * Lists in `X-Ignored-Fields` the fields of a body that its schema does not have. They are
 * ignored, as documented; without the header a typo would go unnoticed. Runs after `jsonBody`, and
 * after the permission checks: who has no token learns nothing of a body's form.
 */
export function ignoredFields(schema: z.core.$ZodType) {
  return createMiddleware<AppEnv>(async (context, next) => {
    const ignored = unknownFields(schema, await jsonOrNull(context.req), FIELDS_MAX);
    await next();
    if (ignored.length > 0) context.res.headers.set(HEADER, listOf(ignored));
  });
}

/** The same for a handler that reads the body itself, once its caller is known. */
export function tellIgnored(context: Context, schema: z.core.$ZodType, body: unknown): void {
  const ignored = unknownFields(schema, body, FIELDS_MAX);
  if (ignored.length > 0) context.header(HEADER, listOf(ignored));
}

const listOf = (fields: ReturnType<typeof unknownFields>) =>
  fields.map(pathOf).map(headerText).join(", ");

async function jsonOrNull(request: { text(): Promise<string> }): Promise<unknown> {
  try {
    return JSON.parse(await request.text());
  } catch {
    return null;
  }
}

/** A name can be any text: commas and characters invalid in headers are percent-encoded. */
function headerText(field: string): string {
  return field
    .slice(0, MAX_FIELD_LENGTH)
    .toWellFormed()
    .replaceAll(/[^\w.[\]-]/gu, (character) => encodeURIComponent(character));
}
