import { Validator, dereference } from "@cfworker/json-schema";
import type { OutputUnit, Schema, SchemaDraft } from "@cfworker/json-schema";

import { schemaOfSchemas } from "./schema-of-schemas.ts";

export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What is wrong with a value, one finding a line; empty when it follows the schema. */
export type FindingsOf = (value: unknown) => string[];

type ReadSchema = { ok: true; findings: FindingsOf } | { ok: false; reason: string };

const refused = (reason: string): ReadSchema => ({ ok: false, reason });

/**
 * A validator without `eval`. Draft 2020-12 with the vocabularies core, applicator, unevaluated
 * and validation (formats are checked); schemas that say so are read as 2019-09, 7, 6 or 4. What
 * the library would misread (a schema that refers to other documents, `$dynamicRef`, an anchor
 * used twice, a dialect of its own) is refused. Every case of the official test suite is either
 * judged as the suite wants it or refused: see the test of this file.
 */
export function readJsonSchema(schema: JsonObject | boolean): ReadSchema {
  if (depthOf(schema, DEEPEST_SCHEMA) > DEEPEST_SCHEMA) return refused("is nested too deeply");
  const draft = draftOf(schema);
  if (draft === null) return refused("names a $schema that is not supported");
  const problem = typeof schema === "boolean" ? null : problemOf(schema, draft);
  return problem === null ? { ok: true, findings: findingsBy(schema, draft) } : refused(problem);
}

/** Checking a schema recurses; beyond this depth a caller could exhaust the stack. */
const DEEPEST_SCHEMA = 200;

/** Levels of nesting, level by level and no deeper than one beyond `enough`. */
function depthOf(root: unknown, enough: number): number {
  let level: unknown[] = [root];
  let depth = 0;
  while (level.length > 0 && depth <= enough) {
    level = level.flatMap((node) =>
      typeof node === "object" && node !== null ? Object.values(node) : [],
    );
    depth += 1;
  }
  return depth;
}

const DIALECT = /^https?:\/\/json-schema\.org\/(?:draft[-/])?([\d-]+\/)?(hyper-)?schema#?$/;
const DRAFTS: Record<string, SchemaDraft> = {
  "04/": "4",
  "06/": "7",
  "07/": "7",
  "2019-09/": "2019-09",
  "2020-12/": "2020-12",
};

/** By `$schema`; null where it names a dialect that is not known here. */
function draftOf(schema: JsonObject | boolean): SchemaDraft | null {
  const named = typeof schema === "boolean" ? undefined : schema["$schema"];
  if (typeof named !== "string" || named === "") return "2020-12";
  const found = DIALECT.exec(named);
  if (found === null) return null;
  const [, version = "2020-12/"] = found;
  return DRAFTS[version] ?? null;
}

/** Ill-formed, or beyond what the validator knows; null when it is neither. */
function problemOf(schema: JsonObject, draft: SchemaDraft): string | null {
  // Every keyword of the vocabulary is checked: what the validator would misread is refused.
  const { valid, errors } = new Validator(schemaOfSchemas as Schema, "2020-12").validate(
    withoutPrototypes(schema),
  );
  if (valid) return referenceProblem(schema, draft);
  const place = shown(errors.at(-1)?.instanceLocation ?? "#");
  return `must be a JSON Schema: what stands at ${place} is not as the specification has it`;
}

const LONGEST_PLACE = 200;

function referenceProblem(schema: JsonObject, draft: SchemaDraft): string | null {
  try {
    const known = dereference(structuredClone(schema));
    const parts = new Set(Object.values(known).filter((one) => typeof one !== "boolean"));
    const anchors = new Set<string>();
    for (const part of parts) {
      const problem = unsupported(part, draft) ?? unresolved(part, known);
      if (problem !== null) return problem;
      if (part.$anchor === undefined) continue;
      if (anchors.has(part.$anchor)) return `uses the $anchor ${shown(part.$anchor)} twice`;
      anchors.add(part.$anchor);
    }
    return null;
  } catch {
    return "must be a JSON Schema: an identifier or reference in it cannot be read";
  }
}

const shown = (text: string) => text.slice(0, LONGEST_PLACE);

function unsupported(part: Schema, draft: SchemaDraft): string | null {
  if ("$dynamicRef" in part) return "must not use $dynamicRef, which is not supported";
  // Before 2019-09 a reference switched off what stands beside it, the base address included.
  const switchesOff = draft === "4" || draft === "7";
  const identified = part.$id !== undefined || typeof part["id"] === "string";
  if (switchesOff && identified && part.$ref !== undefined) {
    return "must not use $ref beside an identifier";
  }
  return null;
}

function unresolved(
  { $ref, __absolute_ref__: absolute }: Schema,
  known: ReturnType<typeof dereference>,
): string | null {
  if ($ref === undefined || absolute === undefined) return null;
  const isKnown = known[absolute] !== undefined || known[decodeURI(absolute)] !== undefined;
  return isKnown ? null : `refers to ${shown($ref)}, which is not in it`;
}

function findingsBy(schema: JsonObject | boolean, draft: SchemaDraft): FindingsOf {
  // The validator writes into what it is given.
  const validator = new Validator(structuredClone(schema), draft, false);
  return (value) => {
    try {
      const { valid, errors } = validator.validate(withoutPrototypes(value));
      return valid ? [] : errors.slice(-MOST_FINDINGS).map(findingOf);
    } catch {
      return ["# cannot be checked against the schema"];
    }
  };
}

const MOST_FINDINGS = 20;

const findingOf = ({ instanceLocation, error }: OutputUnit) => `${instanceLocation}: ${error}`;

/** The validator asks with `in`: what every object inherits (`constructor`) must not be found. */
function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (!isJsonObject(value)) return value;
  const bare = Object.create(null) as JsonObject;
  for (const [key, inner] of Object.entries(value)) bare[key] = withoutPrototypes(inner);
  return bare;
}
