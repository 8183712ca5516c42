import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { dataOf } from "../../src/cli/api/clients.ts";
import { serveFetch } from "../doubles/serve-fetch.ts";
import { servedDocuments } from "../support/served-documents.ts";
import { answeringService } from "./checked-program.ts";
import type { Tools } from "./tools.ts";

const GENERATOR = "7.25.0";
/** More than 32 bits hold. */
const MANY = 3_000_000_000;
const STATES = new Set(["status"]);
const COUNTS = new Set(["totalFiles", "processedFiles", "numberVectors", "size", "total"]);

/** Headers of one connection. */
const HOP_HEADERS =
  "host connection upgrade http2-settings transfer-encoding content-length expect".split(" ");

type Command = { command: string; args: string[]; env?: Record<string, string> };
type Json = Record<string, unknown>;

/** The documents as files of this folder: `public.json` and `panel.json`. */
export async function writeDocuments(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const [published = "", , panel = ""] = await servedDocuments();
  writeFileSync(join(folder, "public.json"), published);
  writeFileSync(join(folder, "panel.json"), panel);
}

/** Without it, clients of openapi-generator refuse fields that a later version adds. */
const OPEN_ANSWERS = ["--additional-properties", "disallowAdditionalPropertiesIfNotPresent=false"];

/** Runs openapi-generator into a new folder. */
export async function generate(tools: Tools, folder: string, args: string[]): Promise<void> {
  const artifact = `org.openapitools:openapi-generator-cli:${GENERATOR}:jar`;
  const jar = await tools.mavenFile(artifact, tools.cache);
  rmSync(folder, { recursive: true, force: true });
  const all = ["-jar", jar, "generate", "-o", folder, ...OPEN_ANSWERS, ...args];
  await tools.run(tools.needs("java", "default-jdk-headless"), all);
}

export const generatorVersion = `openapi-generator ${GENERATOR}`;

/**
 * Runs a program that calls operations by generated clients and prints a line for each:
 * `OPERATION`, a tab, and the typed answer as JSON, `failed STATUS BODY` or `thrown WHY`. Typed
 * answers equal the raw ones, also those of a later version of the service.
 */
export async function checkClient(tools: Tools, name: string, program: Command): Promise<void> {
  const { url, api, token, key } = await answeringService(tools);
  const source = { name: "Uploads", identifier: "uploads", provider: "file_system" } as const;
  await api.POST("/file-sources", { body: source });
  const set = { name: "Asked", identifier: "asked", rag: "docs" };
  await api.POST("/question-sets", { body: set });
  const params = { path: { id: "asked" } };
  const question = { question: "Leave, or “días”?", expected: [{ file: "leave.md" }] };
  await dataOf(api.POST("/question-sets/{id}/questions", { params, body: question }));
  const files = join(tools.scratch, "files");
  mkdirSync(files, { recursive: true });
  for (const file of ["one.md", "two.md"]) writeFileSync(join(files, file), `# ${file}\n`);
  const run = async (address: string) => {
    const env = { QUARRY_URL: address, QUARRY_TOKEN: token, QUARRY_KEY: key, QUARRY_FILES: files };
    const options = { env: { ...process.env, ...program.env, ...env } };
    const { stdout } = await tools.run(program.command, program.args, options);
    const lines = stdout.split("\n").filter((line) => line.includes("\t"));
    return new Map(lines.map((line) => line.split("\t", 2) as [string, string]));
  };
  const raw = (path: string, body?: object) => rawAnswer(url, path, { token, key, body });
  const printed = await run(url);
  await checkAnswers(tools, name, { printed, raw });
  const later = await laterVersion(tools, url);
  await checkLater(tools, name, await run(later));
}

type Credentials = { token: string; key: string; body?: object | undefined };

async function rawAnswer(url: string, path: string, { token, key, body }: Credentials) {
  const credential = path.startsWith("/panel") ? key : token;
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { Authorization: `Bearer ${credential}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Json;
}

/** The service as a later version may answer: large numbers, new states and new fields. */
async function laterVersion(tools: Tools, url: string): Promise<string> {
  const { address, stop } = await serveFetch(async (requested, { headers, ...request }) => {
    const endToEndHeaders = new Headers(headers);
    for (const name of HOP_HEADERS) endToEndHeaders.delete(name);
    const { pathname, search } = new URL(requested);
    const answer = await fetch(`${url}${pathname}${search}`, {
      ...request,
      headers: endToEndHeaders,
    });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.includes("json") === true;
    if (!answer.ok || !isJson || pathname.endsWith("/export")) return new Response(text, answer);
    const changed: unknown = JSON.parse(text, (field, value: unknown) => {
      if (STATES.has(field) && typeof value === "string") return "resting";
      if (COUNTS.has(field) && typeof value === "number") return MANY;
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      return isObject ? { ...value, addedLater: { soon: [1] } } : value;
    });
    return Response.json(changed, { status: answer.status });
  });
  tools.onClose(stop);
  return address;
}

/** Without what is null or false, and with times of whole seconds: many clients write no others. */
const compact = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json), (_field, value: unknown) => {
    if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value))
      return Date.parse(value) - (Date.parse(value) % 1_000);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).filter(([, inner]) => inner !== null && inner !== false),
    );
  });

type Calls = {
  printed: Map<string, string>;
  raw: (path: string, body?: object) => Promise<Json>;
};

async function checkAnswers(tools: Tools, name: string, { printed, raw }: Calls): Promise<void> {
  const check = (title: string, test: (text: string) => unknown) =>
    tools.check(`${name}: ${title}`, () => test(printed.get(title) ?? "nothing printed"));
  const search = { semanticSearch: ["days of leave"], topK: 2, includeSources: true };
  const same: [operation: string, path: string, body?: object][] = [
    ["listRags", "/api/rags"],
    ["getRag", "/api/rags/docs"],
    ["listRagFiles", "/api/rags/docs/files?page=1"],
    ["retrieveFromRag", "/api/rags/docs/retrieve", search],
    ["listInferences", "/api/inferences"],
    [
      "retrieveForInference",
      "/api/inferences/answering/retrieve",
      { semanticSearch: ["days of leave"] },
    ],
    ["listInferenceFiles", "/api/inferences/answering/files?page=1"],
    ["getFileStatus", "/api/inferences/answering/file-sources/docs?file=leave.md"],
    ["getFileSources", "/panel/api/file-sources?page=1"],
    ["getQuestionSets", "/panel/api/question-sets?page=1"],
  ];
  for (const [operation, path, body] of same) {
    const expected = compact(await raw(path, body));
    await check(operation, (text) => {
      assert.match(text, /^[[{]/);
      assert.deepEqual(compact(JSON.parse(text)), expected);
    });
  }
  const first = ((await raw("/api/rags/docs/retrieve", search))["chunks"] as Json[])[0];
  await check("retrieveFromRag by score", (text) => {
    const { chunks } = JSON.parse(text) as { chunks: Json[] };
    assert.equal(chunks[0]?.["score"], first?.["score"], "a score sent back finds its passage");
  });
  await check("runInference", (text) => {
    const { response, inference } = JSON.parse(text) as { response: Json[]; inference: string };
    assert.deepEqual([response[0]?.["type"], inference], ["text", "answering"]);
  });
  await check("getRag none", (text) => assert.match(text, /^failed 404 .*error/));
  await check("addRagScope", (text) => assert.match(text, /^failed 422 .*global/));
  await check("removeRagScope", (text) => assert.match(text, /^failed 422 .*global/));
  await check("postFileSourcesIdFiles", (text) => assert.match(text, /one\.md.*two\.md/));
  for (const [operation, start] of [
    ["export as NDJSON", /^\{"question":"Leave, or “días”\?"/],
    ["export as CSV", /^question,.*\r\n"Leave, or “días”\?"/],
  ] as const) {
    await check(operation, (text) => assert.match(JSON.parse(text) as string, start));
  }
  await check("getArchive", (text) => assert.match(text, /^"?PK/));
}

async function checkLater(tools: Tools, name: string, printed: Map<string, string>): Promise<void> {
  await tools.check(`${name}: a later version's numbers, states and fields are read`, () => {
    const detail = JSON.parse(printed.get("getRag") ?? "") as Json;
    const page = JSON.parse(printed.get("listRagFiles") ?? "") as { data: Json[] };
    const [file = {}] = page.data;
    assert.deepEqual([detail["status"], detail["numberVectors"]], ["resting", MANY]);
    assert.deepEqual([file["status"], file["size"]], ["resting", MANY]);
    const failures = [...printed].filter(([, text]) => text.startsWith("thrown"));
    assert.deepEqual(failures, []);
  });
}
