import { modelFailed } from "../core/errors.ts";
import { parseJson } from "../core/input/parse-json.ts";
import { BudgetSpent } from "../core/work/step-budget.ts";
import { isJsonObject, type JsonObject } from "./json-schema/json-values.ts";
import { checkingBudget } from "./json-schema/read-json-schema.ts";
import { admitsObjectsOnly, type ResponseSchema } from "./response-schema.ts";

/** Providers require an object at the root: any other root is wrapped in this property. */
const WRAPPER = "items";

/** How a value of the schema is requested from the model, and how its text is read. */
export type OutputPlan = {
  /** For the provider's JSON-schema mode. */
  providerSchema: JsonObject;
  /** Follows the request: not every server honours the mode alone. */
  formNote: string;
  /** The one request to correct an answer that does not follow the schema. */
  repairNote: (findings: string[]) => string;
  /** @throws QuarryError `model-failed` where checking the answer takes too many steps. */
  read: (text: string) => ReadOutput;
};

type ReadOutput = { ok: true; value: JsonObject | unknown[] } | { ok: false; findings: string[] };

export function planOutput(response: ResponseSchema): OutputPlan {
  const schema = isUnconstrained(response.schema) ? { type: "object" } : response.schema;
  const isWrapped = !admitsObjectsOnly(schema);
  const providerSchema = isWrapped ? wrapSchema(schema) : schema;
  const formNote = [
    "Answer with one JSON value and nothing else: no explanation, no code fence.",
    "It must follow this JSON Schema:",
    JSON.stringify(providerSchema),
  ].join("\n");
  const readValue = (text: string) => {
    try {
      return readOutput(text, response, isWrapped);
    } catch (thrown) {
      if (thrown instanceof BudgetSpent) throw modelFailed(NOT_TO_BE_CHECKED, thrown);
      throw thrown;
    }
  };
  const repairNote = (findings: string[]) => {
    const lines = findings.map((finding) => `- ${finding}`).join("\n");
    return `Your answer does not follow the schema:\n${lines}\n\nSend the corrected answer. ${formNote}`;
  };
  return { providerSchema, formNote, repairNote, read: readValue };
}

const NOT_TO_BE_CHECKED =
  "Model call failed: checking the answer against the JSON Schema takes too many steps";

const ANNOTATIONS = new Set(["$schema", "$id", "$comment", "title", "description"]);

/** `{}` and equivalents: any object is valid, so providers are asked for an object. */
const isUnconstrained = (schema: JsonObject) =>
  Object.keys(schema).every((keyword) => ANNOTATIONS.has(keyword));

/** Definitions stay at the root, where references point. */
function wrapSchema(schema: JsonObject): JsonObject {
  const { $defs, definitions, $schema: _, $id: _id, ...inner } = schema;
  return {
    type: "object",
    properties: { [WRAPPER]: movePointers(inner) },
    required: [WRAPPER],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs: movePointers($defs) }),
    ...(definitions === undefined ? {} : { definitions: movePointers(definitions) }),
  };
}

/** The schema with references to or into its root moved one level deeper. */
function movePointers(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(movePointers);
  if (!isJsonObject(node)) return node;
  const moved = Object.entries(node).map(([key, value]): [string, unknown] => [
    key,
    key === "$ref" && typeof value === "string" ? movePointer(value) : movePointers(value),
  ]);
  return Object.fromEntries(moved);
}

const ABOVE = /^#(?=\/(?!(?:\$defs|definitions)\/)|$)/;
const movePointer = (pointer: string) => pointer.replace(ABOVE, `#/properties/${WRAPPER}`);

function readOutput(text: string, response: ResponseSchema, isWrapped: boolean): ReadOutput {
  const values = jsonValuesIn(text);
  if (values.length === 0) return { ok: false, findings: ["the answer is not JSON"] };
  let findings: string[] = [];
  const budget = checkingBudget();
  for (const candidate of values) {
    const inner = isWrapped && isJsonObject(candidate) ? candidate[WRAPPER] : undefined;
    for (const value of inner === undefined ? [candidate] : [inner, candidate]) {
      const wrong = response.findings(value, budget);
      const isWhole = Array.isArray(value) || isJsonObject(value);
      if (wrong.length === 0 && isWhole) return { ok: true, value };
      if (findings.length === 0) findings = wrong;
    }
  }
  return { ok: false, findings };
}

/** Further ones are no answer but noise. */
const MAX_FENCED = 10;
const FENCED = /```(?:json)?[^\S\n]*\n([\s\S]*?)```/gi;

/** The JSON of an answer: all of it, what is fenced, or the first object or array in it. */
export function jsonValuesIn(text: string): unknown[] {
  const trimmed = text.trim();
  const blocks = [...trimmed.matchAll(FENCED)].slice(0, MAX_FENCED);
  const fenced = blocks.map((match) => match[1] ?? "");
  const embedded = firstJson(trimmed);
  const texts = [trimmed, ...fenced, ...(embedded === null ? [] : [embedded])];
  return [...new Set(texts)].flatMap((candidate) => {
    const value = parseJson(candidate);
    return value === undefined ? [] : [value];
  });
}

/** From the first bracket to the one that closes it, strings respected. */
function firstJson(text: string): string | null {
  const start = text.search(/[{[]/);
  if (start === -1) return null;
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? "";
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if ("{[".includes(character)) depth += 1;
    else if ("}]".includes(character) && --depth === 0) return text.slice(start, at + 1);
  }
  return null;
}
