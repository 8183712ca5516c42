import { createMiddleware } from "hono/factory";
import type { z } from "zod";

import type { AppEnv } from "../app-env.ts";
import { pathOf, unknownFields } from "../unknown-fields.ts";

const FIELDS_MAX = 20;
const LONGEST_FIELD = 100;

/**
 * Lists in `X-Ignored-Fields` the fields of a body that its schema does not have. They are
 * ignored, as documented; without the header a typo would go unnoticed. Runs after `jsonBody`.
 */
export function ignoredFields(schema: z.core.$ZodType) {
  return createMiddleware<AppEnv>(async (context, next) => {
    const ignored = unknownFields(schema, await jsonOrNull(context.req), FIELDS_MAX);
    await next();
    if (ignored.length === 0) return;
    context.res.headers.set("X-Ignored-Fields", ignored.map(pathOf).map(headerText).join(", "));
  });
}

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
    .slice(0, LONGEST_FIELD)
    .toWellFormed()
    .replaceAll(/[^\w.[\]-]/gu, (character) => encodeURIComponent(character));
}
