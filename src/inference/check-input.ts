import type { InferenceRecord } from "../db/records.ts";
import { invalid } from "../core/errors.ts";
import { readResponseSchema } from "./response-schema.ts";
import type { ContextInput, InferenceInput } from "./types.ts";

/** Accepted only where the inference retrieves by itself. */
const RAG_ONLY_FIELDS = [
  "semanticSearch",
  "similarityThreshold",
  "selectedFiles",
  "selectedFolders",
  "providerFilter",
] as const;

/**
 * The rules that a shape cannot tell: they depend on the inference, or on what a text holds.
 * @throws QuarryError `invalid` that names every failing field.
 */
export function checkInferenceInput(
  inference: Pick<InferenceRecord, "nativeRag" | "rags">,
  input: ContextInput & Pick<Partial<InferenceInput>, "jsonSchema">,
): void {
  const problems = inference.nativeRag
    ? [...searchProblems(inference, input), ...unknownRags(inference, input)]
    : refusedFields(input);
  if (input.jsonSchema !== undefined) {
    const read = readResponseSchema(input.jsonSchema);
    if (!read.ok) problems.push(`jsonSchema ${read.reason}`);
  }
  if (problems.length > 0) throw invalid(problems.join("; "));
}

function refusedFields(input: ContextInput): string[] {
  return RAG_ONLY_FIELDS.filter((field) => input[field] !== undefined).map(
    (field) => `${field} is accepted only by an inference with native RAG`,
  );
}

type Linked = Pick<InferenceRecord, "rags">;

function searchProblems({ rags }: Linked, { semanticSearch = [] }: ContextInput): string[] {
  if (rags.length === 0) return [];
  if (semanticSearch.length === 0) return ["semanticSearch is required"];
  return semanticSearch.flatMap((query, at) =>
    query.trim() === "" ? [`semanticSearch[${at}] must not be blank`] : [],
  );
}

function unknownRags({ rags }: Linked, input: ContextInput): string[] {
  const known = new Set(rags.map(({ identifier }) => identifier));
  return (["selectedFiles", "selectedFolders", "providerFilter"] as const).flatMap((field) =>
    (input[field] ?? []).flatMap(({ ragIdentifier }, at) =>
      ragIdentifier === undefined || known.has(ragIdentifier)
        ? []
        : [`${field}[${at}].ragIdentifier names no RAG of this inference`],
    ),
  );
}
