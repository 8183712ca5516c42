import { createMiddleware } from "hono/factory";

import { jsonText, parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import type { PublicInference } from "../../db/access/principal-lookup.ts";
import { inferenceInputProblems } from "../../inference/check-input.ts";
import { queries } from "../../retrieval/search-request.ts";
import { refusalOf, validationHook, type Validation } from "../validation.ts";
import type { InferenceEnv } from "./guard.ts";
import { setBodyText } from "./json-body.ts";

/**
 * An inference with native RAG and no linked RAG ignores `semanticSearch`, even an invalid one:
 * it is removed before the body is validated. Runs after `jsonBody`.
 */
export const ignoreUnusedSearch = createMiddleware<InferenceEnv>(async ({ req, var: of }, next) => {
  const { nativeRag, rags } = of.inference;
  if (nativeRag && rags.length === 0) {
    setBodyText(req, omitInvalidSearch(await req.text()));
  }
  await next();
});

/** Text that is not JSON is left for the validator to refuse. */
function omitInvalidSearch(text: string): string {
  const body = parseJson(text);
  if (!isObject(body) || !("semanticSearch" in body)) return text;
  const { semanticSearch, ...rest } = body;
  return queries.safeParse(semanticSearch).success ? text : (jsonText(rest) ?? text);
}

/**
 * The validation hook of routes behind `guardInferenceRun`: reports in one error what is wrong in
 * the body's form and which fields this inference refuses or requires.
 * @throws QuarryError `invalid`.
 */
export function validateInferenceBody(
  result: Validation & { target: string },
  context: { get: (key: "inference") => PublicInference },
): undefined {
  if (result.success || result.target !== "json") {
    validationHook(result);
    return undefined;
  }
  const { error, data } = result;
  const failing = new Set(error.issues.map(({ path }) => String(path[0])));
  const sound = Object.entries(isObject(data) ? data : {}).filter(([name]) => !failing.has(name));
  const problems = isObject(data)
    ? inferenceInputProblems(context.get("inference"), Object.fromEntries(sound))
    : [];
  const rest = problems.filter(({ field }) => !failing.has(/^\w+/.exec(field)?.[0] ?? ""));
  throw refusalOf(error, { others: rest });
}
