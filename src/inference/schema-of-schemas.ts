/**
 * What a JSON Schema must look like itself: the vocabularies of draft 2020-12 (and draft 7's
 * spellings) in one piece, so that a wrong keyword is told to the caller and not passed over.
 */
const schema = { $ref: "#" };
const schemas = { type: "array", minItems: 1, items: schema };
const schemaMap = { type: "object", additionalProperties: schema };
const names = { type: "array", items: { type: "string" } };
const count = { type: "integer", minimum: 0 };
const number = { type: "number" };
const string = { type: "string" };
/** The validator would call these as if they were formats. */
const inherited = Object.getOwnPropertyNames(Object.prototype);
const typeName = {
  enum: ["array", "boolean", "integer", "null", "number", "object", "string"],
};

export const schemaOfSchemas = {
  type: ["object", "boolean"],
  properties: {
    $id: string,
    $schema: string,
    $ref: string,
    $anchor: string,
    $comment: string,
    $defs: schemaMap,
    definitions: schemaMap,
    type: { anyOf: [typeName, { type: "array", items: typeName, minItems: 1, uniqueItems: true }] },
    enum: { type: "array" },
    required: { ...names, uniqueItems: true },
    not: schema,
    anyOf: schemas,
    allOf: schemas,
    oneOf: schemas,
    if: schema,
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: schema,
    else: schema,
    format: { ...string, not: { enum: inherited } },
    title: string,
    description: string,
    properties: schemaMap,
    patternProperties: schemaMap,
    additionalProperties: schema,
    unevaluatedProperties: schema,
    propertyNames: schema,
    minProperties: count,
    maxProperties: count,
    dependentRequired: { type: "object", additionalProperties: names },
    dependentSchemas: schemaMap,
    prefixItems: schemas,
    items: { anyOf: [schema, { type: "array", items: schema }] },
    additionalItems: schema,
    unevaluatedItems: schema,
    contains: schema,
    minContains: count,
    maxContains: count,
    minItems: count,
    maxItems: count,
    uniqueItems: { type: "boolean" },
    minimum: number,
    maximum: number,
    exclusiveMinimum: { type: ["number", "boolean"] },
    exclusiveMaximum: { type: ["number", "boolean"] },
    multipleOf: { type: "number", exclusiveMinimum: 0 },
    minLength: count,
    maxLength: count,
    pattern: { type: "string", format: "regex" },
  },
};
