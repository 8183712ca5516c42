import { type FieldProblem, invalidFields } from "../core/errors.ts";
import type { InferenceRecord } from "../db/records.ts";
import { readResponseSchema, type ResponseSchema } from "./response-schema.ts";
import type { InferenceInput } from "./types.ts";

/** Accepted only where the inference retrieves by itself. */
const RAG_ONLY_FIELDS = [
  "semanticSearch",
  "similarityThreshold",
  "selectedFiles",
  "selectedFolders",
  "providerFilter",
  "modifiedAfter",
  "modifiedBefore",
] as const;

type InputTarget = Pick<InferenceRecord, "nativeRag" | "rags">;
/** The fields that a schema alone cannot check. */
type CheckedInput = Pick<
  Partial<InferenceInput>,
  (typeof RAG_ONLY_FIELDS)[number] | "useAllFiles" | "jsonSchema"
>;
const SELECTIONS = ["selectedFiles", "selectedFolders"] as const;

/**
 * Checks what a schema cannot: rules that depend on the inference, or on the content of a text.
 * Returns the JSON Schema that the input asks for.
 * @throws QuarryError `invalid` that names every failing field.
 */
export function checkInferenceInput(
  inference: InputTarget,
  input: CheckedInput,
): ResponseSchema | null {
  const { problems, schema } = judge(inference, input);
  if (problems.length > 0) throw invalidFields(problems);
  return schema;
}

export const inferenceInputProblems = (
  inference: InputTarget,
  input: CheckedInput,
): FieldProblem[] => judge(inference, input).problems;

function judge(inference: InputTarget, input: CheckedInput) {
  const problems = inference.nativeRag
    ? [...searchProblems(inference, input), ...unknownRags(inference, input)]
    : findRefusedFields(input);
  if (input.jsonSchema === undefined) return { problems, schema: null };
  const schema = readResponseSchema(input.jsonSchema);
  return schema.ok
    ? { problems, schema: schema.schema }
    : { problems: [...problems, { field: "jsonSchema", problem: schema.reason }], schema: null };
}

function findRefusedFields(input: CheckedInput): FieldProblem[] {
  return RAG_ONLY_FIELDS.filter((field) => input[field] !== undefined).map((field) => ({
    field,
    problem: "is accepted only by an inference with native RAG",
  }));
}

type WithRags = Pick<InferenceRecord, "rags">;

function searchProblems({ rags }: WithRags, { semanticSearch = [] }: CheckedInput): FieldProblem[] {
  if (rags.length === 0) return [];
  if (semanticSearch.length === 0) return [{ field: "semanticSearch", problem: "is required" }];
  return semanticSearch.flatMap((query, at) =>
    query.trim() === "" ? [{ field: `semanticSearch[${at}]`, problem: "must not be blank" }] : [],
  );
}

function unknownRags({ rags }: WithRags, input: CheckedInput): FieldProblem[] {
  const identifiers = new Set(rags.map(({ identifier }) => identifier));
  // With all files, what is selected is not looked at.
  const selections = input.useAllFiles === false ? SELECTIONS : [];
  return ([...selections, "providerFilter"] as const).flatMap((field) =>
    (input[field] ?? []).flatMap(({ ragIdentifier }, at) =>
      ragIdentifier === undefined || identifiers.has(ragIdentifier)
        ? []
        : [
            {
              field: `${field}[${at}].ragIdentifier`,
              problem: "names no RAG of this inference",
            },
          ],
    ),
  );
}
