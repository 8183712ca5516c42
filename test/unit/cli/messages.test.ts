import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Command } from "commander";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { readSchema } from "../../../src/cli/schema-file.ts";
import { askCommand, searchCommand } from "../../../src/cli/query-commands.ts";
import { checkedUrl, keyIn, tokenIn } from "../../../src/cli/target-options.ts";
import { checkNodeVersion, versionOfProject } from "../../../src/cli/installation.ts";
import { goOnWithout, runDemo, withWayBack } from "../../../src/cli/demo/run-demo.ts";
import { CommandFailure } from "../../../src/cli/failure.ts";
import { isAlive } from "../../../src/cli/is-alive.ts";
import { claimState } from "../../../src/cli/worker/claim-state.ts";
import { freePort } from "../../end-to-end/run-cli.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarry-messages-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
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
});

test.each([
  ["https://q.example/api", "without /api: https://q.example"],
  ["http://localhost:8787/panel/api/", "without /panel/api: http://localhost:8787"],
  ["http://localhost:8787/v1", "without /v1: http://localhost:8787"],
  ["localhost:8787", "must be an http or https address"],
])("the base address %s is refused with what is meant", (url, message) => {
  expect(() => checkedUrl(url)).toThrow(message);
});

test("a base address may end in a slash", () => {
  expect(checkedUrl("https://q.example/")).toBe("https://q.example");
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

test("the version is the one of the package", () => {
  expect(versionOfProject()).toMatch(/^\d+\.\d+\.\d+$/);
});

test("a Node.js that is too old to serve is told", () => {
  checkNodeVersion("22.12.0");
  expect(() => checkNodeVersion("20.19.5")).toThrow(
    "Serving needs Node.js 22 or later; this is 20.19.5. The other commands run on it.",
  );
});

type Sent = { url: string; body: unknown };

/** What a command sends to a service with the inferences "sample", of one RAG, and "plain". */
async function sentBy(command: Command, ...args: string[]): Promise<Sent> {
  let sent: Sent | null = null;
  vi.stubEnv("QUARRY_TOKEN", "qry_a");
  vi.stubEnv("QUARRY_KEY", "qrya_a");
  vi.stubGlobal("fetch", (url: string, { body }: { body: string | null }) => {
    if (body === null) return Promise.resolve(Response.json(INFERENCES));
    sent = { url, body: JSON.parse(body) };
    return Promise.resolve(Response.json({ chunks: [], items: [], response: [] }));
  });
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  await command.parseAsync(["--url", "http://q", ...args], { from: "user" });
  if (sent === null) throw new Error("Nothing was sent.");
  return sent;
}

const INFERENCES = [
  { identifier: "sample", fileSources: [{ ragIdentifier: "docs" }] },
  { identifier: "plain", fileSources: [] },
];
const searched = (...args: string[]) => sentBy(searchCommand(), "docs", ...args);
const asked = (...args: string[]) => sentBy(askCommand(), ...args, "--json");

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
  const { url, body } = await searched("days", "of", "leave", "--rerank", "--folder", "hr");
  expect(url).toBe("http://q/api/rags/docs/retrieve");
  expect(body).toMatchObject({
    semanticSearch: ["days of leave"],
    useReranking: true,
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
  const { url, body } = await asked("sample", "days", "of", "leave", "--rerank", "--folder", "hr");
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
  expect((await asked("sample", "leave", "--file", "a.md", "--search", "holidays")).body).toEqual({
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
  const lost = { chunks: [], items: [], response: [], degraded: { occurred: true } };
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json(lost)));
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const warned = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await searchCommand().parseAsync(["docs", "leave", "--url", "http://q"], { from: "user" });
  expect(warned.mock.calls.flat().join("")).toMatch(/^Degraded: a part of the search failed/);
  warned.mockClear();
  vi.stubGlobal("fetch", (_url: string, { body }: { body: string | null }) =>
    Promise.resolve(Response.json(body === null ? INFERENCES : lost)),
  );
  await askCommand().parseAsync(["plain", "hello", "--url", "http://q"], { from: "user" });
  expect(warned.mock.calls.flat().join("")).toMatch(/Degraded: a part of the search failed/);
});

test("an inference that searches nothing is asked without search, or refuses it", async () => {
  expect((await asked("plain", "hello")).body).toEqual({ prompt: "hello" });
  await expect(asked("plain", "hello", "--folder", "hr")).rejects.toThrow(
    "The inference plain searches no RAG before it answers",
  );
});

/** The note of another server: this process's parent stands for it. */
function noteOf(pid: number, port: number, ageMs = 0): string {
  const file = join(folder, "server.json");
  writeFileSync(file, JSON.stringify({ pid, port }));
  const at = (Date.now() - ageMs) / 1_000;
  utimesSync(file, at, at);
  return file;
}

test("a second server on a state folder is refused; the first one's end frees it", async () => {
  const release = await claimState(folder, 1);
  release();
  expect(existsSync(join(folder, "server.json"))).toBe(false);
  const below = join(folder, "a-file", "state");
  writeFileSync(join(folder, "a-file"), "");
  await expect(claimState(below, 1)).rejects.toThrow(`${below} cannot be written: E`);
  const file = noteOf(process.ppid, 8_787);
  await expect(claimState(folder, 1)).rejects.toThrow(
    `Another server uses ${folder} (process ${process.ppid}, port 8787). End that one`,
  );
  expect(existsSync(file)).toBe(true);
});

test("a second start changes nothing in the state folder that it is refused", async () => {
  noteOf(process.ppid, 8_787);
  const state = join(folder, "demo.json");
  writeFileSync(state, "{}");
  const port = await freePort();
  const starting = runDemo({ folder: undefined, port, state: folder, embedded: true });
  await expect(starting).rejects.toThrow("Another server uses");
  expect(readFileSync(state, "utf8")).toBe("{}");
  expect(readdirSync(folder).toSorted()).toEqual(["demo.json", "server.json"]);
  rmSync(state);
});

test("npm start goes on serving where its first questions fail, and says why", async () => {
  const warn = vi.fn<(line: string) => void>();
  const failure = new CommandFailure("Model call failed: provider answered 500.");
  await goOnWithout(() => Promise.reject(failure), { warn });
  expect(warn.mock.calls.flat().join("")).toMatch(/answered 500\.\nThe service runs\. CHAT_MODEL/);
  const mistake = new TypeError("a mistake of ours");
  await expect(goOnWithout(() => Promise.reject(mistake), { warn })).rejects.toBe(mistake);
});

test("an old note counts while its process lives and its port is in use", async () => {
  const AN_HOUR_MS = 3_600_000;
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((ready) => server.once("listening", ready));
  const { port } = server.address() as AddressInfo;
  noteOf(process.ppid, port, AN_HOUR_MS);
  await expect(claimState(folder, 1)).rejects.toThrow("Another server");
  await new Promise((closed) => server.close(closed));
  const release = await claimState(folder, 1);
  release();
});

test("what a killed server left is replaced, its variables go; an end leaves none", async () => {
  const NOBODY = 2 ** 22 + 1;
  const writeAll = () => {
    for (const name of ["model.env", "variables.env"])
      writeFileSync(join(folder, name), "AI_GATEWAY_TOKEN='secret'");
  };
  noteOf(NOBODY, 8_787);
  writeAll();
  await claimState(folder, 1);
  expect(readdirSync(folder)).toEqual(["server.json"]);
  writeAll();
  const release = await claimState(folder, 1);
  expect(readdirSync(folder).toSorted()).toEqual(["model.env", "server.json", "variables.env"]);
  release();
  expect(readdirSync(folder)).toEqual([]);
});

test("the state folder is closed to other users; foreign files are left alone", async () => {
  const open = (name: string) => {
    writeFileSync(join(folder, name), "", { mode: 0o644 });
    return name;
  };
  mkdirSync(join(folder, "v3/d1"), { recursive: true, mode: 0o755 });
  const files = ["demo.json", "v3/d1/metadata.sqlite", "variables.env.txt"].map(open);
  const modes = () =>
    [".", "v3", "v3/d1", ...files].map((name) => statSync(join(folder, name)).mode & 0o777);
  chmodSync(folder, 0o755);
  (await claimState(folder, 1))();
  expect(modes()).toEqual([0o755, 0o700, 0o700, 0o600, 0o600, 0o644]);
  rmSync(join(folder, files.pop() ?? ""));
  (await claimState(folder, 1))();
  expect(modes()).toEqual([0o700, 0o700, 0o700, 0o600, 0o600]);
});

test("a killed server whose parent has not noticed uses the folder no more", async () => {
  const parent = spawn("sh", ["-c", "(exit 0) & echo $!; exec sleep 60"]);
  const [pid] = (await once(parent.stdout, "data")) as [Buffer];
  await vi.waitFor(() => expect(isAlive(Number(pid.toString()))).toBe(false));
  noteOf(Number(pid.toString()), 8_787);
  (await claimState(folder, 1))();
  expect(isAlive(process.pid)).toBe(true);
  parent.kill();
});

test("an interrupted change to a model that is not there tells the way back", () => {
  const missing = new CommandFailure("No server lists local/new.");
  expect(withWayBack(missing, "local/new", "embedded/hash")).toMatchObject({
    message: expect.stringMatching(
      /^No server lists local\/new\. .* EMBEDDING_MODEL=embedded\/hash keeps/,
    ) as string,
  });
  expect(withWayBack(missing, null, "embedded/hash")).toBe(missing);
  expect(withWayBack(missing, "local/new", "local/new")).toBe(missing);
});
