import { beforeAll, expect, test } from "vitest";

import { SOURCES } from "../../../src/sources/registry.ts";
import { servedDocuments } from "../../support/served-documents.ts";

type Schema = { $ref?: string; allOf?: Schema[]; description?: string; items?: Schema } & {
  properties?: Record<string, Schema>;
} & Partial<Record<"maxLength" | "maxItems" | "maximum", number>>;
type Header = { $ref: string };
type Told = { schema: Schema; example: { error: string } };
type Operation = {
  operationId: string;
  description: string;
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, { headers: Record<string, Header>; content: Record<string, Told> }>;
};
type Specification = {
  components: { schemas: Record<string, Schema>; headers: Record<string, object> };
  paths: Record<string, Record<string, Operation>>;
};

/** The published specification, and those beside it. */
let texts: string[];
let document: Specification;

beforeAll(async () => {
  texts = await servedDocuments();
  document = JSON.parse(texts[0] ?? "") as Specification;
});

type Parameter = { name: string; in: string; example?: unknown; schema?: { example?: unknown } };
type Operations = Record<string, { parameters?: Parameter[] }>;
const pathsOf = (text: string) =>
  Object.entries((JSON.parse(text) as { paths: Record<string, Operations> }).paths);

test("whatever takes a body may refuse its size and its coding", () => {
  const silent = texts.flatMap((text) =>
    Object.entries((JSON.parse(text) as Specification).paths).flatMap(([path, operations]) =>
      Object.values(operations)
        .filter(({ requestBody, responses: { 413: size, 415: coding } }) => {
          return requestBody !== undefined && (size === undefined || coding === undefined);
        })
        .map(() => path),
    ),
  );
  expect(silent).toEqual([]);
});

test("every parameter of a path has an example that can be sent", () => {
  const missing = texts.flatMap((text) =>
    pathsOf(text).flatMap(([path, operations]) =>
      Object.values(operations).flatMap(({ parameters = [] }) =>
        parameters
          .filter(({ in: place, example, schema }) => {
            return place === "path" && (example ?? schema?.example) === undefined;
          })
          .map(({ name }) => `${path}: ${name}`),
      ),
    ),
  );
  expect(missing).toEqual([]);
});

test("no pattern needs look-around, which RE2 has not", () => {
  const patterns = texts.flatMap((text) =>
    [...text.matchAll(/"pattern":"((?:\\.|[^"])*)"/g)].map(([, pattern = ""]) => pattern),
  );
  expect(patterns.length).toBeGreaterThan(0);
  expect(patterns.filter((pattern) => /\(\?<?[=!]/.test(pattern))).toEqual([]);
});

test("fields that take more than a word have an example", () => {
  const { InferenceRunRequest: { properties = {} } = {} } = document.components.schemas;
  for (const name of ["jsonSchema", "selectedFiles", "selectedFolders", "providerFilter"])
    expect({ name, ...properties[name] }).toHaveProperty("example");
});

test("fields that the service bounds say so", () => {
  const boundOf = (name: string, field: string) => {
    const { properties = {} } = document.components.schemas[name] ?? {};
    const { maxLength, maxItems, maximum } = properties[field] ?? {};
    return maxLength ?? maxItems ?? maximum;
  };
  expect(boundOf("InferenceRunRequest", "jsonSchema")).toBe(65_536);
  expect(boundOf("InferenceRunParams", "semanticSearch")).toBe(10);
  expect(boundOf("Scope", "value")).toBe(2_048);
  expect(boundOf("RagFilePage", "limit")).toBe(100);
});

test("agents and webhooks are in a document of their own", () => {
  const { paths } = JSON.parse(texts[1] ?? "") as { paths: object };
  const called = SOURCES.flatMap(({ notifications }) => notifications?.path ?? []);
  expect(Object.keys(paths).toSorted()).toEqual(
    [
      "/api/agents/{identifier}",
      "/api/agents/{identifier}/invoke",
      "/api/webhooks/github/{file_source_id}",
      "/api/webhooks/web/{file_source_id}",
      ...called,
    ].toSorted(),
  );
  expect(document.paths).not.toHaveProperty("/api/agents/{identifier}");
});

test("it leaves out what is beside the contract", () => {
  const text = JSON.stringify(document);
  expect(text).not.toMatch(/searchMode|x-unpublished/);
  const { schemas } = document.components;
  expect(schemas["RagRetrieveRequest"]).not.toHaveProperty("properties.providerFilter");
  expect(schemas["InferenceRunRequest"]).toHaveProperty("properties.providerFilter");
});

test("every schema of a body has a name, and every operation its errors", () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      const body = requestBody?.content["application/json"];
      if (body !== undefined) {
        expect(Object.keys(body.schema), `${method} ${path}`).toEqual(["$ref"]);
        expect(body.example, `${method} ${path}`).toBeDefined();
      }
      for (const [status, { content }] of Object.entries(responses)) {
        const schema = JSON.stringify(content["application/json"]?.schema);
        expect(schema, `${method} ${path} ${status}`).toContain("#/components/schemas/");
      }
      const always = ["200", "401", "429", "500", "503"];
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(always));
      if (path.includes("{")) expect(responses).toHaveProperty("403");
      if (path.includes("{")) expect(responses).toHaveProperty("404");
    }
  }
});

const operations = () => Object.values(document.paths).flatMap((methods) => Object.values(methods));

test("every property of every schema is described", () => {
  const { schemas } = document.components;
  const isDescribed = ({ $ref, allOf, description }: Schema): boolean =>
    description !== undefined ||
    allOf?.some(isDescribed) === true ||
    ($ref !== undefined && isDescribed(schemas[$ref.split("/").at(-1) ?? ""] ?? {}));
  const bare: string[] = [];
  const look = (name: string, { properties = {}, items }: Schema): void => {
    if (items !== undefined) look(`${name}[]`, items);
    for (const [field, inner] of Object.entries(properties)) {
      if (!isDescribed(inner)) bare.push(`${name}.${field}`);
      look(`${name}.${field}`, inner);
    }
  };
  for (const [name, schema] of Object.entries(schemas)) look(name, schema);
  expect(bare).toEqual([]);
});

test("headers are published as headers, and those that are named exist", () => {
  const { headers: definedHeaders } = document.components;
  const headerNames = (status: string, headers: Record<string, Header>) => [
    ...Object.keys(headers),
    ...(Number(status) >= 503 ? ["RateLimit", "RateLimit-Policy"] : []),
  ];
  for (const { responses } of operations()) {
    for (const [status, { headers }] of Object.entries(responses)) {
      const always = ["X-Request-Id", "RateLimit", "RateLimit-Policy"];
      expect(headerNames(status, headers)).toEqual(expect.arrayContaining(always));
      for (const { $ref } of Object.values(headers)) {
        expect(definedHeaders).toHaveProperty([$ref.split("/").at(-1) ?? ""]);
      }
    }
    expect(responses["429"]?.headers).toHaveProperty("Retry-After");
    expect(responses["401"]?.headers).toHaveProperty("WWW-Authenticate");
  }
  const run = operations().find(({ operationId }) => operationId === "runInference");
  expect(run?.responses["200"]?.headers).toHaveProperty("X-Inference-Timings");
  expect(document).not.toHaveProperty("webhooks");
});

test("each 400 shows the route's own fields, 502 the real words, and rule 3 is told", () => {
  const exampleOf = (operationId: string, status: string) =>
    operations().find((operation) => operation.operationId === operationId)?.responses[status]
      ?.content["application/json"]?.example.error;
  const examples = operations().flatMap(({ operationId }) => exampleOf(operationId, "400") ?? []);
  expect(new Set(examples).size).toBe(examples.length);
  expect(exampleOf("getFileStatus", "400")).toBe("Invalid request: file is required");
  expect(exampleOf("runInference", "502")).toMatch(/^Model call failed: /);
  for (const { operationId, description } of operations()) {
    if (!["runInference", "retrieveForInference"].includes(operationId)) continue;
    expect(description).toContain("accepted only if the inference has its native RAG enabled");
  }
});
