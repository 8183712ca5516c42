import { isObject } from "../core/is-object.ts";
import { inferenceInputProblems } from "../inference/check-input.ts";
import type { PublicInference } from "../db/access/principal-lookup.ts";
import { refusalOf, validationHook, type Validated } from "./validation.ts";

type Inferring = { get: (key: "inference") => PublicInference };

/**
 * The validation hook of routes behind `guardInferenceRun`: reports in one error what is wrong in
 * the body's form and which fields this inference refuses or requires.
 * @throws QuarryError `invalid`.
 */
export function validateInferenceBody(
  result: Validated & { target: string },
  context: Inferring,
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
  const others = problems.filter(({ field }) => !failing.has(/^\w+/.exec(field)?.[0] ?? ""));
  throw refusalOf(error, { others });
}
