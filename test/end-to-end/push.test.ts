import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { PanelApi, Retrieval } from "../../src/cli/api/clients.ts";
import { waitForIndex } from "../../src/cli/demo/wait-for-index.ts";
import { readManifest } from "../../src/cli/push/plan-push.ts";
import { multipartBody } from "../../src/cli/push/upload-files.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import type { RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { startWebSite } from "../doubles/web-site/web-site.ts";
import { eventually } from "../support/eventually.ts";
import { HOSTILE_FILES } from "../support/hostile-files.ts";
import { keepToFile } from "./config-file.ts";
import { HOSTILE_CALLS, LONG_PROMPT } from "./hostile-requests.ts";
import { makeRag, scratchFolder, startService } from "./local-service.ts";
import { expectSuccess, runCli, startCli } from "./run-cli.ts";

const scratch = scratchFolder();
const folder = join(scratch.path, "docs");
let service: RunningWorker;
let api: PanelApi;
let key = "";
let token = "";

beforeAll(async () => {
  mkdirSync(join(folder, "guides"), { recursive: true });
  // Web sites of these tests are on this machine.
  const vars = ["ALLOW_PRIVATE_URLS:true"];
  service = await startService(join(scratch.path, "state"), undefined, vars);
  ({ api, key, token } = await makeRag(service.url));
});
afterAll(async () => {
  await service.stop();
  scratch.remove();
});

const write = (path: string, text: string) => writeFileSync(join(folder, path), text);

async function push(...options: string[]) {
  const target = ["--source", "docs", "--url", service.url];
  const result = await runCli("quarry", ["push", folder, ...target, ...options], {
    QUARRY_KEY: key,
  });
  const counts = options.includes("--json") ? (JSON.parse(result.stdout) as unknown) : null;
  return { ...result, counts };
}

async function search(query: string): Promise<string[]> {
  const args = ["search", "docs", query, "--json", "--url", service.url];
  const { stdout, stderr } = await runCli("quarry", args, { QUARRY_TOKEN: token });
  expect(stderr).toBe("");
  return (JSON.parse(stdout) as Retrieval).chunks.map(({ source }) => source?.filePath ?? "");
}

const indexed = () => waitForIndex(api, "docs", openTerminal(true));

test("pushed files are found, changed ones as they are now, removed ones not", async () => {
  write("guides/otters.md", "# Otters\n\nOtters eat fish and crayfish.\n");
  write("guides/Füchse & Co 100%?.md", "# Füchse\n\nFüchse fressen Mäuse.\n");
  write("badgers.txt", "Badgers dig setts in sandy banks.\n");
  write(".hidden.md", "never");
  const first = await push("--json");
  expectSuccess(first);
  expect(first.counts).toMatchObject({ added: 3, changed: 0, removed: 0, unchanged: 0 });
  await indexed();
  expect((await search("crayfish"))[0]).toBe("guides/otters.md");
  expect((await search("Füchse fressen"))[0]).toBe("guides/Füchse & Co 100%?.md");

  write("guides/otters.md", "# Otters\n\nOtters build holts under alder roots.\n");
  rmSync(join(folder, "badgers.txt"));
  const second = await push("--json");
  expect(second.counts).toMatchObject({ added: 0, changed: 1, removed: 1, unchanged: 1 });
  expect(await search("badgers sandy banks")).not.toContain("badgers.txt");
  await indexed();
  expect((await search("alder roots"))[0]).toBe("guides/otters.md");

  const third = await push("--json");
  expect(third.counts).toMatchObject({ added: 0, changed: 0, removed: 0, unchanged: 2 });
});

test("a dry run changes nothing", async () => {
  write("new.md", "# New\n\nNothing of this is pushed.\n");
  const dry = await push("--dry-run");
  expect(dry.stdout).toContain("add    new.md");
  expect([...(await readManifest(api, "docs")).keys()]).not.toContain("new.md");
  rmSync(join(folder, "new.md"));
});

test("when most of a folder is deleted, nothing is removed until confirmed", async () => {
  mkdirSync(join(folder, "many"));
  const COUNT = 30;
  for (let n = 0; n < COUNT; n++) write(`many/${n}.md`, `# Note ${n}\n\nNumber ${n}.\n`);
  await push("--json");
  renameSync(join(folder, "many"), join(folder, "more"));
  const renamed = await push("--json");
  expect(renamed.counts).toMatchObject({ added: 0, moved: COUNT, removed: 0, held: 0 });
  rmSync(join(folder, "more"), { recursive: true });
  const result = await push("--json");
  expect(result.code).toBe(1);
  expect(result.counts).toMatchObject({ removed: 0, held: COUNT });
  expect(result.stderr).toContain("--confirm-removals");
  expect((await readManifest(api, "docs")).size).toBe(COUNT + 2);
  const confirmed = await push("--json", "--confirm-removals");
  expect(confirmed.counts).toMatchObject({ removed: COUNT, held: 0 });
  expect((await readManifest(api, "docs")).size).toBe(2);
});

test("--watch pushes what is saved", async () => {
  const target = ["--source", "docs", "--url", service.url, "--watch"];
  const watching = startCli("quarry", ["push", folder, ...target], { QUARRY_KEY: key });
  await watching.untilItSays("Watching");
  write("lynx.md", "# Lynx\n\nThe lynx has tufted ears.\n");
  await watching.untilItSays("1 added");
  expect([...(await readManifest(api, "docs")).keys()]).toContain("lynx.md");
  watching.child.kill("SIGINT");
  expect((await watching.finished).code).toBe(0);
});

test("status counts, and a wrong token, RAG or address is told", async () => {
  await indexed();
  const status = (rag: string, url: string, secret: string) =>
    runCli("quarry", ["status", rag, "--url", url], { QUARRY_TOKEN: secret });
  const good = await status("docs", service.url, token);
  expectSuccess(good);
  expect(good.stdout).toMatch(/active\s*│\s*3\s*│\s*3\s*│\s*0/);
  expect((await status("docs", service.url, `${token}x`)).stderr).toContain("Check QUARRY_TOKEN");
  expect((await status("nothing", service.url, token)).stderr).toContain("There is no RAG nothing");
  expect((await status("docs", "http://127.0.0.1:1", token)).stderr).toContain("Cannot reach");
});

test("a folder names its readers; search and readers tell what each finds", async () => {
  const vault = { name: "vault", provider: "file_system", permissions: "on" } as const;
  await api.POST("/file-sources", { body: vault });
  await api.POST("/rags", { body: { name: "vault", fileSource: "vault" } });
  const response = await api.POST("/tokens", { body: { name: "v", rags: ["*"], reader: "named" } });
  const tokens = { QUARRY_KEY: key, QUARRY_TOKEN: response.data?.token ?? "" };
  const shared = join(scratch.path, "vault");
  mkdirSync(join(shared, "hr"), { recursive: true });
  const write = (path: string, text: string) => writeFileSync(join(shared, path), text);
  write(".quarry-readers.json", '{ "hr/": ["user:ann@example.com"] }');
  write("hr/pay.md", "# Pay\n\nThe bonus of otters is fish.\n");
  write("untold.md", "# Untold\n\nThe bonus of badgers is roots.\n");
  const quarry = (...args: string[]) => runCli("quarry", [...args, "--url", service.url], tokens);
  const { stdout, stderr } = await quarry("push", shared, "--source", "vault");
  expect(stdout + stderr).toContain("1 of 2 files could be read by nobody");
  await waitForIndex(api, "vault", openTerminal(true));
  const search = ["search", "vault", "bonus", "--json", "--as"];
  const finds = async (reader: string) => (await quarry(...search, reader)).stdout;
  expect(await finds("ann@example.com")).toContain("hr/pay.md");
  expect(await finds("bob@example.com")).not.toMatch(/pay|untold/);
  const command = ["readers", "hr/pay.md", "--source", "vault"];
  expect((await quarry(...command)).stdout).toMatch(/user:ann@example\.com.*push/);
  expect((await quarry(...command, "--check", "bob@example.com")).stdout).toContain(
    "may not read it",
  );
});

async function run(body: unknown): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${service.url}/api/inferences/plain`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

type Scan = { finishedAt: string | null } | null;

async function panel<Answer>(method: string, path: string): Promise<Answer> {
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await fetch(`${service.url}/panel/api${path}`, { method, headers });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as Answer;
}

/** Lines over which a pattern with adjacent repeats would never come to an end. */
const SPACES = " ".repeat(2_000);
const ROBOTS = `a:${" ".repeat(50_000)}#\u2028
${`a:${SPACES}#\u2028\n`.repeat(20)}
User-agent:${SPACES}*
Disallow:${SPACES}/closed/${SPACES}#\u2028x
`;

/** Another caller is served while the work is under way. */
async function expectHealth(): Promise<void> {
  const answer = await fetch(`${service.url}/health`);
  expect(answer.status).toBe(200);
  await answer.text();
}

test("hostile calls end with clear errors, and others are served meanwhile", async () => {
  const plain = {
    name: "Plain",
    identifier: "plain",
    systemPrompt: "",
    model: "embedded/extractive",
  };
  await api.POST("/inferences", { body: plain });
  for (const { what, body, error } of HOSTILE_CALLS) {
    const running = run(body);
    await expectHealth();
    const answer = await running;
    const text: unknown = expect.stringMatching(error);
    expect({ what, ...answer }).toEqual({ what, status: 502, text });
  }
  const running = run({ prompt: LONG_PROMPT });
  await expectHealth();
  expect((await running).status).toBe(200);
  await expectHealth();
});

const HELD_UP = new Set(["objects.pdf", "streams.pdf", "trailers.pdf", "deep.pdf", "deep.html"]);

test("a hostile robots.txt is read, its rules hold, and others are served meanwhile", async () => {
  const site = await startWebSite();
  try {
    site.routes.set("/robots.txt", { headers: { "content-type": "text/plain" }, body: ROBOTS });
    site.routes.set("/", { body: `<p>A page.</p><a href="/open">a</a><a href="/closed/b">b</a>` });
    site.routes.set("/open", { body: "<p>An open page.</p>" });
    site.routes.set("/closed/b", { body: "<p>A closed page.</p>" });
    const config = { startUrls: [`http://127.0.0.1:${site.port}/`] };
    const source = { name: "Site", identifier: "site", provider: "web", config } as const;
    await api.POST("/file-sources", { body: source });
    await panel("POST", "/file-sources/site/scan");
    const readSource = async () => await panel<{ lastScan: Scan }>("GET", "/file-sources/site");
    let scan: Scan = null;
    while (scan?.finishedAt === undefined || scan.finishedAt === null) {
      await expectHealth();
      scan = (await readSource()).lastScan;
    }
    expect(scan).toMatchObject({ error: null });
    const paths = site.requests.map(({ path }) => path);
    expect(paths).toContain("/open");
    expect(paths).not.toContain("/closed/b");
  } finally {
    await site.stop();
  }
});

test("hostile documents end, others are served, the file behind is indexed", async () => {
  const hostile = HOSTILE_FILES.filter(([name]) => HELD_UP.has(name));
  mkdirSync(join(folder, "hostile"));
  for (const [name, bytes] of hostile) writeFileSync(join(folder, "hostile", name), bytes);
  write("hostile/zebra.md", "# Zebras\n\nZebras graze on tall grass.\n");
  expectSuccess(await push());
  const state = { isDone: false };
  const indexing = indexed().finally(() => (state.isDone = true));
  let answers = 0;
  for (; !state.isDone; answers++) await expectHealth();
  const { failed } = await indexing;
  // One that had to wait for all documents would be the only one.
  expect(answers).toBeGreaterThan(1);
  const reasons = new Map(failed.map(({ filePath, errorMessage }) => [filePath, errorMessage]));
  for (const [name, , end] of hostile) {
    const reason: unknown = "error" in end ? expect.stringContaining(end.error) : undefined;
    expect([name, reasons.get(`hostile/${name}`)]).toEqual([name, reason]);
  }
  expect((await search("zebras graze"))[0]).toBe("hostile/zebra.md");
});

test("the panel answers while many files are indexed", async () => {
  const headers = { Authorization: `Bearer ${key}` };
  const files = Array.from({ length: 80 }, (_, nth) => wordsOf(nth));
  const parts = files.map((text, nth) => {
    const data = new TextEncoder().encode(text);
    return { path: `many/${nth}.txt`, data, headers: { "Content-Type": "text/plain" } };
  });
  const { data, contentType } = multipartBody(parts);
  const response = await fetch(`${service.url}/panel/api/file-sources/docs/files`, {
    method: "POST",
    headers: { ...headers, "Content-Type": contentType },
    body: data,
  });
  expect(response.status).toBe(200);
  let answersMeanwhile = 0;
  await eventually(async () => {
    const answer = await fetch(`${service.url}/panel/api/overview`, { headers });
    const { files: counts } = (await answer.json()) as { files: Record<string, number> };
    if ((counts["processing"] ?? 0) > 0) answersMeanwhile += 1;
    expect(counts).toMatchObject({ pending: 0, processing: 0 });
  }, 1);
  expect(answersMeanwhile).toBeGreaterThan(2);
});

/** Some 40 KB of text. */
const wordsOf = (seed: number) =>
  Array.from({ length: 6_000 }, (_, at) => ((seed * 6_000 + at) * 7_919).toString(36)).join(" ");

test("a service is kept to a file of settings by exit codes", async () => {
  await keepToFile(scratch.path, service, key);
});
