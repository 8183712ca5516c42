import { Validator } from "@cfworker/json-schema";

type Json = Record<string, unknown>;
type Operation = {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
};

/** The published specification, ready to hold answers against. */
export type Published = {
  document: Json;
  components: Json;
  operations: { method: string; path: RegExp; operation: Operation }[];
};

export function publishedFrom(document: unknown): Published {
  const { paths, components } = document as {
    paths: Record<string, Record<string, Operation>>;
    components: Json;
  };
  const operations = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: new RegExp(
        `^${template.replaceAll(/\{path\}/g, ".+").replaceAll(/\{[^}]+\}/g, "[^/]+")}$`,
      ),
      operation,
    })),
  );
  const strict = closeSchema(components) as Json;
  return { document: document as Json, components: strict, operations };
}

/** No field and no value that is not published: every object is closed, unless it says itself what it admits. */
function closeSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key === "x-extensible-enum" ? "enum" : key,
      closeSchema(value),
    ]),
  );
  const isObject = copy["type"] === "object" && "properties" in copy;
  return isObject && !("additionalProperties" in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}

/** A validator reads all components: one for each schema, not for each answer. */
const validators = new WeakMap<Json, Validator>();

function validatorOf({ components }: Published, schema: Json): Validator {
  const existing = validators.get(schema);
  if (existing !== undefined) return existing;
  const validator = new Validator(
    { ...(closeSchema(schema) as Json), components },
    "2020-12",
    false,
  );
  validators.set(schema, validator);
  return validator;
}

type Call = { method: string; path: string };
type Answered = { status: number; body: unknown };

/** How an answer differs from what is published; empty where it is as it should be. */
export function problemsWith(published: Published, call: Call, answered: Answered): string[] {
  const [path = ""] = call.path.split("?");
  const entry = published.operations.find(
    (candidate) => candidate.method === call.method && candidate.path.test(path),
  );
  if (entry === undefined) return [];
  const { operation } = entry;
  const response = operation.responses[String(answered.status)];
  if (response === undefined) {
    return [`${operation.operationId} does not publish the status ${answered.status}`];
  }
  const schema = response.content?.["application/json"]?.schema;
  if (schema === undefined) return [];
  const { errors } = validatorOf(published, schema).validate(answered.body);
  return errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`);
}
