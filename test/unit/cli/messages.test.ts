import type { Command } from "commander";
import { writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test, vi, type MockInstance } from "vitest";

import { ApiError } from "../../../src/cli/api/patient-fetch.ts";
import { adviceOnModels, tolerate, warnOfFailures } from "../../../src/cli/demo/run-demo.ts";
import { CommandFailure, sentenceOf } from "../../../src/cli/failure.ts";
import { versionOfProject } from "../../../src/cli/installation.ts";
import { askCommand, readSchema, searchCommand } from "../../../src/cli/query-commands.ts";
import { statusCommand } from "../../../src/cli/query-commands.ts";
import { parseServiceUrl, keyIn, tokenIn } from "../../../src/cli/target-options.ts";
import { openTerminal } from "../../../src/cli/terminal.ts";
import { testFolder } from "../../support/test-folder.ts";

let folder = "";
beforeEach(() => {
  folder = testFolder();
});

test("names of others do not command the terminal", () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  openTerminal(false).say("a\u001b[2J\u009b1m.md\n\tb");
  expect(write).toHaveBeenCalledWith("a[2J1m.md\n\tb\n");
});

test("a key in place of a token, or the reverse, is told without the secret", () => {
  expect(tokenIn({ QUARRY_TOKEN: "qry_a" })).toBe("qry_a");
  expect(keyIn({ QUARRY_KEY: "qrya_a" })).toBe("qrya_a");
  expect(() => tokenIn({ QUARRY_TOKEN: "qrya_sec" })).toThrow(
    "QUARRY_TOKEN holds an automation key (qrya_…), which goes into QUARRY_KEY. This command needs an access token (qry_…).",
  );
  expect(() => keyIn({ QUARRY_KEY: "qry_sec" })).toThrow(/access token.*goes into QUARRY_TOKEN/);
  expect(() => keyIn({})).toThrow("Set QUARRY_KEY");
  expect(() => tokenIn({ QUARRY_TOKEN: "" })).toThrow("Set QUARRY_TOKEN");
  expect(tokenIn({ QUARRY_TOKEN: "qry_a\r\n" })).toBe("qry_a");
  for (const secret of ["“qry_a”", "qry_a\nqry_b"])
    expect(() => tokenIn({ QUARRY_TOKEN: secret })).toThrow(/^QUARRY_TOKEN is not an access token/);
});

test.each([
  ["https://q.example/api", "without /api: https://q.example"],
  ["http://localhost:8787/panel/api/", "without /panel/api: http://localhost:8787"],
  ["http://localhost:8787/v1", "without /v1: http://localhost:8787"],
  ["localhost:8787", "must be an http or https address"],
  ["https://me:secret@q.example", /^--url must not contain a user name$/],
  ["https://:secret@q.example", /^--url must not contain a user name$/],
])("the base address %s is refused with what is meant", (url, message) => {
  expect(() => parseServiceUrl(url)).toThrow(message);
});

test("a base address may end in a slash", () => {
  expect(parseServiceUrl("https://q.example/")).toBe("https://q.example");
});

test("a schema file that is not there, a folder or not JSON is told", async () => {
  const path = join(folder, "schema.json");
  await expect(readSchema(path)).rejects.toThrow(`The schema ${path} does not exist.`);
  await expect(readSchema(folder)).rejects.toThrow(`The schema ${folder} is a folder.`);
  writeFileSync(path, "{ type");
  await expect(readSchema(path)).rejects.toThrow(`The schema ${path} is not JSON.`);
  writeFileSync(path, '{"type":"object"}');
  expect(await readSchema(path)).toBe('{"type":"object"}');
});

test("a path that cannot be used is named in a sentence", async () => {
  const missing = join(folder, "missing");
  const thrown: unknown = await stat(missing).catch((reason: unknown) => reason);
  expect(sentenceOf(thrown)).toBe(`${missing} does not exist.`);
  expect(sentenceOf(new Error("a defect"))).toBeNull();
});

test("the version is the one of the package", () => {
  expect(versionOfProject()).toMatch(/^\d+\.\d+\.\d+$/);
});

type Sent = { url: string; body: unknown };
let warned: MockInstance;
const FOUND = [{ text: "", score: 1, source: { filePath: "a.md", headings: [], page: null } }];
/** The service's answers about the files that a command asks for. */
const FILES = new Map<string, object>([
  ["indexed.md", { status: "indexed", errorMessage: null }],
  ["failed.pdf", { status: "error", errorMessage: "no text" }],
  ["waiting.md", { status: "pending", errorMessage: null }],
]);

/** The API's lists hold what is below a folder of the path, too; one file that is not there is 404. */
function fileAnswer({ pathname, searchParams }: URL): Response {
  if (pathname === "/panel/api/rags/docs")
    return Response.json({ fileSource: { identifier: "f" } });
  const path = searchParams.get("path") ?? searchParams.get("file") ?? "";
  const file = FILES.get(path);
  if (path === "locked.md") return Response.json({ error: "No" }, { status: 422 });
  if (searchParams.has("file")) return Response.json(file ?? {}, { status: file ? 200 : 404 });
  const below = { filePath: `${path}/below.md`, status: "indexed", errorMessage: null };
  return Response.json({ data: file ? [{ filePath: path, ...file }, below] : [below] });
}

/** Runs a command on a service with the inferences "sample", of one RAG, and "plain". */
async function sentBy(command: Command, ...args: string[]): Promise<Sent> {
  let call: Sent | null = null;
  vi.stubEnv("QUARRY_TOKEN", "qry_a");
  vi.stubEnv("QUARRY_KEY", "qrya_a");
  vi.stubGlobal("fetch", async (request: Request) => {
    const { url, method } = request;
    if (method === "GET") {
      return url.endsWith("/inferences") ? Response.json(INFERENCES) : fileAnswer(new URL(url));
    }
    call = { url, body: await request.json() };
    const result = { chunks: FOUND, items: FOUND, response: [] };
    const isStream = request.headers.get("Accept") === "text/event-stream";
    const reply = isStream ? eventsOf(result) : Response.json(result);
    reply.headers.set("X-Ignored-Fields", "useReranking");
    return reply;
  });
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  warned = vi.spyOn(process.stderr, "write").mockClear().mockReturnValue(true);
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  await command.parseAsync(["--url", "http://q", ...args], { from: "user" });
  if (call === null) throw new Error("Nothing was sent.");
  return call;
}

const eventsOf = (result: object) =>
  new Response(`event: result\ndata: ${JSON.stringify(result)}\n\n`, {
    headers: { "Content-Type": "text/event-stream" },
  });

const INFERENCES = [
  { identifier: "sample", fileSources: [{ ragIdentifier: "docs", identifier: "files" }] },
  { identifier: "plain", fileSources: [] },
];
const searched = (...args: string[]) => sentBy(searchCommand(), "docs", ...args);
const ask = (...args: string[]) => sentBy(askCommand(), ...args, "--json");

test("a path is taken as a shell completes it; one with a leading slash is refused", async () => {
  const { body } = await searched("x", "--folder", "./hr/", "--file", "./a.md", "--", "-C");
  expect(body).toMatchObject({
    semanticSearch: ["x -C"],
    selectedFolders: ["hr"],
    selectedFiles: ["a.md"],
  });
  await expect(searched("x", "--file", "/a.md")).rejects.toThrow(/without a leading \//);
});

test("unquoted words are one query, with the options of the search", async () => {
  const options = ["--rerank", "--folder", "hr", "--threshold", "0.4"];
  const { url, body } = await searched("days", "of", "leave", ...options);
  expect(url).toBe("http://q/api/rags/docs/retrieve");
  expect(body).toMatchObject({
    semanticSearch: ["days of leave"],
    useReranking: true,
    similarityThreshold: 0.4,
    useAllFiles: false,
    selectedFolders: ["hr"],
  });
  expect((await searched("leave", "--query", "holidays")).body).toMatchObject({
    semanticSearch: ["leave", "holidays"],
  });
});

test("--explain asks the panel's search, with --file", async () => {
  const { url, body } = await searched("leave", "--explain", "--file", "a.md");
  expect(url).toBe("http://q/panel/api/rags/docs/search");
  expect(body).toMatchObject({ semanticSearch: ["leave"], selectedFiles: ["a.md"] });
});

test("ask takes unquoted words and the options of a search, for each RAG", async () => {
  const { url, body } = await ask("sample", "days", "of", "leave", "--rerank", "--folder", "hr");
  expect(url).toBe("http://q/api/inferences/sample");
  expect(body).toEqual({
    prompt: "days of leave",
    semanticSearch: ["days of leave"],
    topK: 5,
    useReranking: true,
    includeSources: true,
    useAllFiles: false,
    selectedFiles: [{ ragIdentifier: "docs", files: [] }],
    selectedFolders: [{ ragIdentifier: "docs", folders: ["hr"] }],
  });
  expect((await ask("sample", "leave", "--file", "a.md", "--search", "holidays")).body).toEqual({
    ...Object(body),
    prompt: "leave",
    semanticSearch: ["holidays"],
    useReranking: false,
    selectedFiles: [{ ragIdentifier: "docs", files: ["a.md"] }],
    selectedFolders: [{ ragIdentifier: "docs", folders: [] }],
  });
});

test("a search and an answer that lost a part say so", async () => {
  vi.stubEnv("QUARRY_TOKEN", "qry_a");
  const degradedResult = { chunks: [], items: [], response: [], degraded: { occurred: true } };
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json(degradedResult)));
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const warned = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await searchCommand().parseAsync(["docs", "leave", "--url", "http://q"], { from: "user" });
  expect(warned.mock.calls.flat().join("")).toMatch(/^Degraded: a part of the search failed/);
  warned.mockClear();
  vi.stubGlobal("fetch", async ({ method }: Request) =>
    method === "GET" ? Response.json(INFERENCES) : eventsOf(degradedResult),
  );
  await askCommand().parseAsync(["plain", "hello", "--url", "http://q"], { from: "user" });
  expect(warned.mock.calls.flat().join("")).toMatch(/Degraded: a part of the search failed/);
});

test.each([[[]], [["--json"]]])(
  "--rerank without a reranker and a --file without a passage are reported, with %j, too",
  async (json) => {
    const warningText = () => warned.mock.calls.flat().join("");
    const files = ["a.md", "b.md", ...FILES.keys()].flatMap((file) => ["--file", file]);
    const why = [
      "--file b.md: there is no such file.",
      "--file indexed.md: no passage of it was found.",
      "--file failed.pdf: it could not be indexed: no text.",
      "--file waiting.md: it is not indexed yet (pending).\n",
    ].join("\n");
    await searched("x", "--rerank", ...files, ...json);
    expect(warningText()).toBe(`--rerank has no effect: the RAG docs has no reranker.\n${why}`);
    await searched("x", "--explain", ...files, ...json);
    expect(warningText()).toContain(why);
    await sentBy(askCommand(), "sample", "x", "--rerank", ...files, ...json);
    const ineffective = "--rerank has no effect: no RAG of this inference has a reranker.\n";
    expect(warningText()).toContain(`${ineffective}${why}`);
  },
);

test("a file whose state cannot be read takes nothing from the answer", async () => {
  const why = "--file locked.md: no passage of it was found; ";
  await searched("x", "--file", "locked.md");
  expect(warned.mock.calls.flat().join("")).toContain(why);
  await ask("sample", "x", "--file", "locked.md");
  expect(warned.mock.calls.flat().join("")).toContain(why);
});

test("an inference that searches nothing is asked without search, or refuses it", async () => {
  expect((await ask("plain", "hello")).body).toEqual({ prompt: "hello" });
  await expect(ask("plain", "hello", "--folder", "hr")).rejects.toThrow(
    "The inference plain searches no RAG before it answers",
  );
});

test("a failed file is told once, and again where it was whole meanwhile", () => {
  const warn = vi.fn<(line: string) => void>();
  const served = { reported: new Set<string>(), terminal: { warn } };
  const failed = [{ filePath: "a.pdf", sha256: "1", errorMessage: "damaged" }];
  for (const files of [failed, failed, [], failed]) warnOfFailures(served, files);
  expect(warn.mock.calls).toEqual([
    ["not indexed: a.pdf (damaged)"],
    ["not indexed: a.pdf (damaged)"],
  ]);
});

test("npm start goes on serving where its first questions fail, and says why", async () => {
  const warn = vi.fn<(line: string) => void>();
  const failure = new ApiError(502, "Model call failed: provider answered 500.");
  await tolerate(
    () => Promise.reject(failure),
    { terminal: { warn }, stopping: new AbortController().signal },
    adviceOnModels,
  );
  expect(adviceOnModels(new ApiError(400, "this token has no reader"))).toBe("");
  expect(warn.mock.calls.flat().join("")).toMatch(
    /answered 500\.\nThe service runs\. Set CHAT_MODEL/,
  );
  const mistake = new TypeError("a mistake of ours");
  await expect(
    tolerate(
      () => Promise.reject(mistake),
      { terminal: { warn }, stopping: new AbortController().signal },
      () => "",
    ),
  ).rejects.toBe(mistake);
});

test("status counts what a person may read", async () => {
  vi.stubEnv("QUARRY_TOKEN", "qry_a");
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const readers: (string | null)[] = [];
  vi.stubGlobal("fetch", ({ headers }: Request) => {
    readers.push(headers.get("Quarry-Reader"));
    return Promise.resolve(Response.json({ data: [], total: 0 }));
  });
  const line = ["docs", "--json", "--url", "http://q", "--as", "ann@x.org"];
  await statusCommand().parseAsync(line, { from: "user" });
  expect(readers).toEqual(["ann%40x.org", "ann%40x.org"]);
});

test("npm start that a signal ends reports no failure of what it breaks off", async () => {
  const warn = vi.fn<(line: string) => void>();
  const served = { terminal: { warn }, stopping: AbortSignal.abort() };
  const broken = () => Promise.reject(new CommandFailure("Cannot reach the service."));
  const goingOn = tolerate(broken, served, () => "").then(() => "goes on");
  const ending = new Promise((resolve) => setImmediate(() => resolve("ends")));
  expect(await Promise.race([goingOn, ending])).toBe("ends");
  expect(warn).not.toHaveBeenCalled();
});
