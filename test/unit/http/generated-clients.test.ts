import { beforeAll, expect, test } from "vitest";

import { servedDocuments } from "../../support/served-documents.ts";

type Part = Record<string, unknown>;
/** Where a part stands: its path, the document's name, what it belongs to. */
type Place = {
  path: string[];
  document: string;
  side: "answer" | "body" | "other";
  answers: Set<string>;
};

let documents: [name: string, document: Part][];

beforeAll(async () => {
  const names = ["public", "agents", "panel"];
  documents = (await servedDocuments()).map((text, at) => [names[at] ?? "", JSON.parse(text)]);
});

/** Schemas that no request refers to: only answers have them. */
function answerSchemas(document: Part): Set<string> {
  const schemas = (document["components"] as { schemas: Record<string, unknown> }).schemas;
  const namesIn = (part: unknown) =>
    Array.from(JSON.stringify(part ?? null).matchAll(/schemas\/(\w+)/g), ([, name = ""]) => name);
  const answers = new Set(Object.keys(schemas));
  const drop = (name: string): void => {
    if (answers.delete(name)) namesIn(schemas[name]).forEach(drop);
  };
  JSON.stringify(document["paths"], (name, value: unknown) => {
    if (name === "requestBody" || name === "parameters") namesIn(value).forEach(drop);
    return value;
  });
  return answers;
}

const typesOf = ({ type }: Part) => [type].flat();
const unionOf = ({ anyOf = [], oneOf = [] }: Part) => [anyOf, oneOf].flat() as Part[];
const isSchemaName = ({ path }: Place) => path.length === 3 && path[1] === "schemas";
const refusesEmpty = (pattern: unknown) =>
  typeof pattern === "string" && !new RegExp(pattern).test("");
/** A component that may be null is made twice, with the objects in it. */
const hasObjects = (properties: unknown) =>
  /"type":"?\[?"object"/.test(JSON.stringify(properties ?? {}));
const isTime = ({ path }: Place) =>
  /(?:At|Before|After)$/.test(path.at(-1) ?? "") && path.at(-2) === "properties";
const isSpan = ({ in: place, name }: Part) =>
  place === "query" && (name === "from" || name === "to");
/** Fields of requests of which the service refuses control characters. */
const REFUSES_CONTROLS = /\bproperties (?:value|to|reader|(?:defaultR|r)eaders items)$/;

/** Traps for generators of clients, each with whom it breaks; true: the part is one. */
const RULES: Record<string, (part: Part, place: Place) => boolean> = {
  "unions consist of named objects (Java, Go, Rust)": (part) =>
    unionOf(part).some(({ $ref }) => $ref === undefined) ||
    (unionOf(part).length > 0 && part["discriminator"] === undefined),
  "a reference stands alone (openapi-python-client)": ({ allOf }) => allOf !== undefined,
  "a boolean has no enum (Java, Rust)": (part) =>
    typesOf(part).includes("boolean") && ("enum" in part || "const" in part),
  "null stands beside another type (Python)": (part) => part["type"] === "null",
  "an object or null is no default (Java)": (part) =>
    "default" in part && (part["default"] === null || part["default"]?.constructor === Object),
  "an integer has its width (Java)": (part) =>
    typesOf(part).includes("integer") && !/^int(?:32|64)$/.test(String(part["format"])),
  "a number is a double (Go)": (part) =>
    typesOf(part).includes("number") && part["format"] !== "double",
  "an answer admits new fields": ({ additionalProperties }, { side }) =>
    side === "answer" && additionalProperties === false,
  "an answer admits new values": (part, { side }) => side === "answer" && "enum" in part,
  "a body of the panel admits no unknown field": (part, { side, document }) =>
    document === "panel" && side === "body" && part["type"] === "object"
      ? part["additionalProperties"] === undefined
      : false,
  "a text that must not be blank has a least length": ({ pattern, minLength }) =>
    refusesEmpty(pattern) && minLength === undefined,
  "a list of files has no least length (Go)": ({ minItems, items }) =>
    minItems !== undefined && (items as Part | undefined)?.["format"] === "binary",
  "the page of a list is required, so that its answer has one form (Python, Go, Java)": (
    { in: place, name, required },
    { document },
  ) => document === "public" && place === "query" && name === "page" && required !== true,
  "a component is not null itself (openapi-python-client)": ({ type, properties }, place) =>
    isSchemaName(place) && [type].flat().includes("null") && hasObjects(properties),
  "what is neither JSON nor plain text is a file (Java, Go, Python)": (part, { path, side }) =>
    side !== "other" &&
    /^(?!.*json$|text\/plain$|multipart)\w+\/|ndjson$/.test(path.at(-2) ?? "") &&
    part["format"] !== "binary",
  "a time has its format": (part, place) =>
    (isTime(place) && typesOf(part).includes("string") && part["format"] !== "date-time") ||
    (isSpan(part) && (part["schema"] as Part)["format"] !== "date-time"),
  "a pattern leaves out control characters that are refused": ({ pattern, type }, { path, side }) =>
    side !== "answer" &&
    type === "string" &&
    REFUSES_CONTROLS.test(path.join(" ")) &&
    (pattern === undefined || new RegExp(pattern as string).test("a\u0001b")),
  "an operation is no method that its class has anyway (PHP)": ({ operationId }) =>
    /^(?:get|set)(?:Config|HostIndex)$/.test(String(operationId)),
  "a name is no word of a language, and no constructor (Go, Rust)": (_part, place) =>
    isSchemaName(place) &&
    /^(?:Ok|Err|Some|None|Option|Result|String|Object|Self)$|^New[A-Z]/.test(place.path[2] ?? ""),
};

/** Values below these names are no schemas. */
const DATA = new Set(["example", "examples", "default", "enum"]);

function broken(part: unknown, place: Place): string[] {
  if (Array.isArray(part)) {
    return part.flatMap((child, at) => broken(child, { ...place, path: [...place.path, `${at}`] }));
  }
  if (typeof part !== "object" || part === null) return [];
  const isFields = place.path.at(-1) === "properties";
  const rules = isFields ? [] : Object.entries(RULES);
  const own = rules.flatMap(([rule, breaks]) =>
    breaks(part as Part, place) ? `${place.document} ${place.path.join(" ")}: ${rule}` : [],
  );
  const inner = Object.entries(part).flatMap(([name, value]) => {
    if (!isFields && DATA.has(name)) return [];
    const isAnswer = place.path.at(-1) === "schemas" && place.answers.has(name);
    const side = isAnswer ? "answer" : isFields ? place.side : (SIDES[name] ?? place.side);
    return broken(value, { ...place, side, path: [...place.path, name] });
  });
  return [...own, ...inner];
}

const SIDES: Record<string, Place["side"]> = {
  responses: "answer",
  requestBody: "body",
  "multipart/form-data": "other",
};

test("generators in every language can read every document", () => {
  const problems = documents.flatMap(([document, part]) =>
    broken(part, { document, path: [], side: "other", answers: answerSchemas(part) }),
  );
  expect(problems).toEqual([]);
});
