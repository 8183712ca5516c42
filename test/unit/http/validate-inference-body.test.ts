import { expect, test } from "vitest";

import type { PublicInference } from "../../../src/db/access/principal-lookup.ts";
import { validateInferenceBody } from "../../../src/http/validate-inference-body.ts";
import { InferenceRunRequest } from "../../../src/inference/run-requests.ts";

const rags = [{ identifier: "handbook" }];
const refused = (data: unknown, nativeRag = true) => {
  const inference = { nativeRag, rags } as PublicInference;
  const parsed = InferenceRunRequest.safeParse(data);
  const result = { ...parsed, data, target: "json" } as Parameters<typeof validateInferenceBody>[0];
  return () => validateInferenceBody(result, { get: () => inference });
};

test("what the shape and what the inference miss is told at once", () => {
  expect(refused({})).toThrow("Invalid request: prompt is required; semanticSearch is required");
  expect(refused({ prompt: "x", topK: 0, jsonSchema: "{" })).toThrow(
    "topK must be at least 1; semanticSearch is required; jsonSchema must be a JSON Schema",
  );
  expect(refused({ topK: 101, similarityThreshold: 0.5 }, false)).toThrow(
    "prompt is required; topK must be at most 100; similarityThreshold is accepted only by",
  );
});

test("a field is told once, and a body that is no object as a whole", () => {
  const told = "Invalid request: semanticSearch must be an array";
  expect(refused({ prompt: "x", semanticSearch: "a" })).toThrow(new RegExp(`^${told}$`));
  expect(refused([])).toThrow(/^Invalid request: body must be an object$/);
});

test("a body that fits passes", () => {
  expect(refused({ prompt: "x" })).not.toThrow();
});
