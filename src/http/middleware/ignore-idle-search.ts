import { createMiddleware } from "hono/factory";

import { isObject } from "../../core/is-object.ts";
import { parsedJson } from "../../core/input/parsed-json.ts";
import { queries } from "../../retrieval/search-request.ts";
import type { InferenceEnv } from "./guard.ts";
import { setBodyText } from "./json-body.ts";

/**
 * An inference with native RAG and no linked RAG ignores `semanticSearch`, even an invalid one:
 * it is removed before the body is validated. Runs after `jsonBody`.
 */
export const ignoreIdleSearch = createMiddleware<InferenceEnv>(async ({ req, var: of }, next) => {
  const { nativeRag, rags } = of.inference;
  if (nativeRag && rags.length === 0) {
    setBodyText(req, withoutUnfitSearch(await req.text()));
  }
  await next();
});

/** Text that is not JSON is left for the validator to refuse. */
function withoutUnfitSearch(text: string): string {
  const body = parsedJson(text);
  if (!isObject(body) || !("semanticSearch" in body)) return text;
  const { semanticSearch, ...rest } = body;
  return queries.safeParse(semanticSearch).success ? text : JSON.stringify(rest);
}
