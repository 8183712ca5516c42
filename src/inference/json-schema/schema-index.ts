import { linearPattern } from "../../text/linear-pattern/linear-pattern.ts";
import type { PatternTest } from "../../text/linear-pattern/linear-pattern.ts";
import { switchesOff } from "./drafts.ts";
import type { Draft } from "./drafts.ts";
import { isJsonObject } from "./json-values.ts";
import type { JsonObject } from "./json-values.ts";
import { inPlaceSchemasOf, subschemasOf, UNSUPPORTED, wrongKeyword } from "./keywords.ts";

/** A schema that cannot be used; the message follows the field's name. */
export class SchemaRefused extends Error {}

const MAX_SUBSCHEMAS = 2_000;
/** Limit for all compiled patterns of a schema together. */
const MAX_INSTRUCTIONS = 50_000;
const MAX_SHOWN_LENGTH = 200;
const NOWHERE = "https://schema.invalid/";

const shown = (text: string) => text.slice(0, MAX_SHOWN_LENGTH);
const unreadable = () =>
  new SchemaRefused("must be a JSON Schema: an identifier or reference in it cannot be read");

type Node = {
  /** The base URI of its references. */
  base: string;
  /** The target of `$ref`. */
  target: unknown;
};

/** All schemas of a document, the targets of their references, and their patterns. */
export class SchemaIndex {
  readonly patterns = new Map<string, PatternTest>();
  readonly draft: Draft;
  readonly #nodes = new Map<JsonObject, Node>();
  readonly #resources = new Map<string, JsonObject>();
  readonly #anchors = new Map<string, JsonObject>();
  readonly #anchorNames = new Set<string>();
  #instructions = 0;

  /** @throws SchemaRefused */
  constructor(root: JsonObject, draft: Draft) {
    this.draft = draft;
    this.#resources.set(NOWHERE, root);
    this.#visit(root, NOWHERE);
    // The target of a reference can be under an unknown keyword: it is then a schema too.
    for (const [schema, node] of this.#nodes) this.#resolve(schema, node);
    this.#refuseLoops();
  }

  targetOf(schema: JsonObject): unknown {
    return this.#nodes.get(schema)?.target;
  }

  #visit(schema: JsonObject, outerBase: string, place = "#"): void {
    if (this.#nodes.has(schema)) return;
    if (this.#nodes.size >= MAX_SUBSCHEMAS) {
      throw new SchemaRefused(`must have at most ${MAX_SUBSCHEMAS} subschemas`);
    }
    const wrong = wrongKeyword(schema, this.draft);
    if (wrong !== null) {
      const where = shown(`${place}/${wrong}`);
      throw new SchemaRefused(
        `must be a JSON Schema: what stands at ${where} is not as the specification has it`,
      );
    }
    this.#refuseUnsupported(schema);
    const base = this.#identify(schema, outerBase);
    this.#nodes.set(schema, { base, target: undefined });
    this.#readPatterns(schema);
    for (const inner of subschemasOf(schema)) {
      if (isJsonObject(inner.schema)) {
        this.#visit(inner.schema, base, `${place}${inner.place}`);
      }
    }
  }

  #refuseUnsupported(schema: JsonObject): void {
    const unsupported = UNSUPPORTED.find((keyword) => keyword in schema);
    if (unsupported !== undefined) {
      throw new SchemaRefused(`must not use ${unsupported}, which is not supported`);
    }
    const isIdentified = schema["$id"] !== undefined || typeof schema["id"] === "string";
    if (switchesOff(this.draft) && isIdentified && schema["$ref"] !== undefined) {
      throw new SchemaRefused("must not use $ref beside an identifier");
    }
  }

  /** Its own base URI, or that of the enclosing schema. */
  #identify(schema: JsonObject, outerBase: string): string {
    const id = schema[this.draft === "4" ? "id" : "$id"];
    const { $anchor } = schema;
    let base = outerBase;
    if (typeof id === "string" && id !== "") {
      const { address, fragment } = addressOf(id, outerBase);
      if (fragment !== "") this.#anchor(schema, address, fragment);
      else if (this.#resources.has(address)) throw unreadable();
      else {
        this.#resources.set(address, schema);
        base = address;
      }
    }
    if (typeof $anchor === "string") this.#anchor(schema, base, $anchor);
    return base;
  }

  #anchor(schema: JsonObject, base: string, name: string): void {
    if (this.#anchorNames.has(name)) {
      throw new SchemaRefused(`uses the $anchor ${shown(name)} twice`);
    }
    this.#anchorNames.add(name);
    this.#anchors.set(`${base}#${name}`, schema);
  }

  #readPatterns({ pattern, patternProperties }: JsonObject): void {
    const sources = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
    if (typeof pattern === "string") sources.push(pattern);
    for (const source of sources) {
      if (this.patterns.has(source)) continue;
      const read = linearPattern(source);
      if (read.ok) this.#instructions += read.size;
      const reason = read.ok ? "is too large together with the others" : read.reason;
      if (!read.ok || this.#instructions > MAX_INSTRUCTIONS) {
        throw new SchemaRefused(
          `must be a JSON Schema that can be checked: the pattern ${shown(source)} ${reason}`,
        );
      }
      this.patterns.set(source, read.test);
    }
  }

  #resolve(schema: JsonObject, node: Node): void {
    const { $ref } = schema;
    if (typeof $ref !== "string") return;
    const { address, fragment } = addressOf($ref, node.base);
    const resource = this.#resources.get(address);
    const target = fragment.startsWith("/")
      ? pointedTo(resource, fragment)
      : fragment === ""
        ? resource
        : this.#anchors.get(`${address}#${fragment}`);
    if (!isJsonObject(target) && typeof target !== "boolean") {
      throw new SchemaRefused(`refers to ${shown($ref)}, which is not in it`);
    }
    node.target = target;
    if (isJsonObject(target)) this.#visit(target, address, shown($ref));
  }

  /**
   * Refuses schemas whose check of a value begins with the same check again: it would never end.
   */
  #refuseLoops(): void {
    const done = new Set<JsonObject>();
    const open = new Set<JsonObject>();
    const follow = (schema: unknown): void => {
      if (!isJsonObject(schema) || done.has(schema)) return;
      if (open.has(schema)) {
        throw new SchemaRefused(
          "has a $ref that leads back to itself, so checking would never end",
        );
      }
      open.add(schema);
      follow(this.targetOf(schema));
      for (const inner of inPlaceSchemasOf(schema)) follow(inner);
      open.delete(schema);
      done.add(schema);
    };
    for (const schema of this.#nodes.keys()) follow(schema);
  }
}

function addressOf(reference: string, base: string): { address: string; fragment: string } {
  try {
    const url = new URL(reference, base);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = "";
    return { address: url.href, fragment };
  } catch {
    throw unreadable();
  }
}

function pointedTo(root: unknown, pointer: string): unknown {
  let node: unknown = root;
  for (const part of pointer.slice(1).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, name)) return undefined;
    node = Reflect.get(node, name);
  }
  return node;
}
