import { createMiddleware } from "hono/factory";
import type { z } from "zod";

import type { AppEnv } from "../app-env.ts";
import { pathOf, unknownFields } from "../unknown-fields.ts";

const FIELDS_MAX = 20;
const LONGEST_FIELD = 100;

/**
 * Names in `X-Ignored-Fields` what a body holds and its schema does not know: it is ignored, as
 * promised, and a slip of the finger would go unnoticed. Behind `jsonBody`.
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

/** A name may be any text: what no header takes, and the comma, are percent-encoded. */
function headerText(field: string): string {
  return field
    .slice(0, LONGEST_FIELD)
    .toWellFormed()
    .replaceAll(/[^\w.[\]-]/gu, (character) => encodeURIComponent(character));
}
