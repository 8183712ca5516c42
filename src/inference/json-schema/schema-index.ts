import { resolvePointer } from "../../core/json-pointer.ts";
import { PatternError } from "../../text/linear-pattern/compile-pattern.ts";
import { linearPattern, type PatternTest } from "../../text/linear-pattern/linear-pattern.ts";
import { isJsonObject, type JsonObject } from "./json-values.ts";
import { schemaRefusal, shortenText, subschemasOf, UNSUPPORTED, wrongKeyword } from "./keywords.ts";

/** A schema that cannot be used; the message follows the field's name. */
export class SchemaError extends Error {}

const MAX_SUBSCHEMAS = 2_000;
/** Limit for all compiled patterns of a schema together. */
const MAX_INSTRUCTIONS = 50_000;

/** Subschemas that check the same value as the schema around them. */
const IN_PLACE = /^\/(?:allOf|anyOf|oneOf|not|if|then|else)\b/;

/** All schemas of a document, the targets of their references, and their patterns. */
export class SchemaIndex {
  readonly patterns = new Map<string, PatternTest>();
  readonly #root: JsonObject;
  readonly #targets = new Map<JsonObject, unknown>();
  #instructions = 0;

  /** @throws SchemaError */
  constructor(root: JsonObject) {
    this.#root = root;
    this.#visit(root, "#");
    this.#refuseLoops();
  }

  targetOf(schema: JsonObject): unknown {
    return this.#targets.get(schema);
  }

  #visit(schema: JsonObject, place: string): void {
    if (this.#targets.has(schema)) return;
    if (this.#targets.size >= MAX_SUBSCHEMAS) {
      throw new SchemaError(`must have at most ${MAX_SUBSCHEMAS} subschemas`);
    }
    const wrong = wrongKeyword(schema);
    if (wrong !== null) throw new SchemaError(schemaRefusal(`${place}/${wrong}`));
    this.#refuseUnsupported(schema);
    const target = this.#resolveReference(schema);
    this.#targets.set(schema, target);
    this.#readPatterns(schema);
    for (const inner of subschemasOf(schema)) {
      if (isJsonObject(inner.schema)) this.#visit(inner.schema, `${place}${inner.place}`);
    }
    // The target of a reference can be under an unknown keyword: it is then a schema too.
    if (isJsonObject(target)) this.#visit(target, shortenText(String(schema["$ref"])));
  }

  #refuseUnsupported(schema: JsonObject): void {
    const unsupported = UNSUPPORTED.find((keyword) => keyword in schema);
    if (unsupported !== undefined) {
      throw new SchemaError(`must not use ${unsupported}, which is not supported`);
    }
    if (schema !== this.#root && "$id" in schema) {
      throw new SchemaError("must not use $id below its root, which is not supported");
    }
  }

  #resolveReference({ $ref }: JsonObject): unknown {
    if (typeof $ref !== "string") return undefined;
    const target = resolvePointer(this.#root, $ref);
    if (isJsonObject(target) || typeof target === "boolean") return target;
    throw new SchemaError(`refers to ${shortenText($ref)}, which is not in it`);
  }

  /** Refuses schemas whose check of a value begins with the same check again. */
  #refuseLoops(): void {
    const visited = new Set<JsonObject>();
    const open = new Set<JsonObject>();
    const follow = (schema: unknown): void => {
      if (!isJsonObject(schema) || visited.has(schema)) return;
      if (open.has(schema)) {
        throw new SchemaError("has a $ref that leads back to itself, so checking would never end");
      }
      open.add(schema);
      follow(this.targetOf(schema));
      for (const inner of subschemasOf(schema)) {
        if (IN_PLACE.test(inner.place)) follow(inner.schema);
      }
      open.delete(schema);
      visited.add(schema);
    };
    for (const schema of this.#targets.keys()) follow(schema);
  }

  #readPatterns({ pattern, patternProperties }: JsonObject): void {
    const sources = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
    if (typeof pattern === "string") sources.push(pattern);
    for (const source of sources) {
      if (!this.patterns.has(source)) this.patterns.set(source, this.#testOf(source));
    }
  }

  #testOf(source: string): PatternTest {
    try {
      const { test, size } = linearPattern(source);
      this.#instructions += size;
      if (this.#instructions <= MAX_INSTRUCTIONS) return test;
      throw new PatternError("is too large together with the others");
    } catch (thrown) {
      if (!(thrown instanceof PatternError)) throw thrown;
      throw new SchemaError(
        `must be a JSON Schema that can be checked: the pattern ${shortenText(source)} ${thrown.message}`,
      );
    }
  }
}
