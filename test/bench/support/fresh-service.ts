import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { dataOf, panelApi, signIn, type PanelApi } from "../../../src/cli/api/clients.ts";
import { multipartBody } from "../../../src/cli/push/upload-files.ts";
import { startWorker } from "../../../src/cli/worker/start-worker.ts";
import { toBatches } from "../../../src/core/work/batches.ts";
import { mapParallel } from "../../../src/core/work/parallel.ts";
import { variablesOf } from "../../end-to-end/local-service.ts";
import { freePort } from "../../end-to-end/run-cli.ts";
import { postJson } from "./post-json.ts";

const RATE_LIMIT = "10000";
const UPLOADS_AT_ONCE = 4;
const FILES_A_CALL = 250;
const FIRST_FAILURE = 400;
const POLL_MS = 250;
const STALLED_MS = 120_000;
const MADE_UP_WORDS = 20_000;
const WORDS_EACH = 220;
const FOLDERS = 50;

export type PushedText = { path: string; text: string };
export type BenchRag = { name: string; searchMode?: "hybrid" | "semantic" };

export type Service = {
  url: string;
  /** Process id of the group that runs the service. */
  pid: number;
  api: PanelApi;
  key: string;
  /** For all RAGs and inferences that were asked for. */
  token: string;
};

type Wanted = {
  /** `NAME:VALUE` */
  vars?: string[];
  /** Besides `bench`, an inference over all RAGs. */
  inferences?: { name: string; model: string; systemPrompt: string; rags: string[] }[];
};

/** As `npm start` runs it, in a folder of its own, which is removed when it stops. */
async function startLocally(vars: string[]) {
  const stateFolder = mkdtempSync(join(tmpdir(), "quarry-bench-service-"));
  const tell = (line: string) => console.error(line);
  const variables = await variablesOf(vars);
  const worker = await startWorker({ port: await freePort(), stateFolder, variables, tell });
  const stop = async () => {
    await worker.stop();
    rmSync(stateFolder, { recursive: true, force: true });
  };
  return { ...worker, stop };
}

/** A service with RAGs of these names, each over a file source of its own. */
export async function startService(
  rags: BenchRag[] = [{ name: "bench" }],
  { vars = [], inferences = [] }: Wanted = {},
): Promise<{ service: Service; stop: () => Promise<void> }> {
  const { url, pid, stop } = await startLocally([`RATE_LIMIT_API:${RATE_LIMIT}`, ...vars]);
  try {
    const panel = await signIn(url, "admin@localhost", "quarry");
    return { service: { url, pid, ...(await setUp(panel, url, rags, inferences)) }, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

async function setUp(
  panel: Awaited<ReturnType<typeof signIn>>,
  url: string,
  rags: BenchRag[],
  inferences: NonNullable<Wanted["inferences"]>,
) {
  const newKey = panel.POST("/keys", { body: { name: "Bench", role: "admin" } });
  const { key } = await dataOf(newKey);
  const api = panelApi(url, key);
  for (const rag of rags) {
    await api.POST("/file-sources", { body: { name: rag.name, provider: "file_system" } });
    const body = { ...rag, fileSource: rag.name, reranker: "embedded/lexical" };
    await api.POST("/rags", { body });
  }
  const names = rags.map(({ name }) => name);
  const answering = { systemPrompt: "", model: "embedded/extractive", rags: names };
  const all = [{ name: "Bench", ...answering }, ...inferences];
  for (const body of all) await api.POST("/inferences", { body });
  const covered = all.map(({ name }) => name.toLowerCase());
  const body = { name: "Bench", agents: [], inferences: covered, rags: names };
  const { token } = await dataOf(api.POST("/tokens", { body }));
  return { key, token, api };
}

const LETTERS_OF_DIGITS = "qrstuvwxyz";

/** In letters: words with digits are codes, which are indexed in other spellings, too. */
function word(number: number): string {
  const inDigits = (Math.imul(number, 2_654_435_761) >>> 8).toString(26);
  return inDigits.replaceAll(/\d/g, (digit) => LETTERS_OF_DIGITS[Number(digit)] ?? "");
}

/** `count` texts of about 1,500 characters with words of their own, numbered from `from`. */
export function madeUp(count: number, from = 0): PushedText[] {
  return Array.from({ length: count }, (_, nth) => from + nth).map((at) => ({
    path: `${at % FOLDERS}/${at}.txt`,
    text: Array.from({ length: WORDS_EACH }, (_, n) =>
      word((at * 31 + n * 7) % MADE_UP_WORDS),
    ).join(" "),
  }));
}

/** To the source of this name, in batches, as `quarry push` sends small files. */
export async function pushAll(
  { url, key }: Pick<Service, "url" | "key">,
  source: string,
  files: PushedText[],
): Promise<void> {
  await mapParallel(toBatches(files, FILES_A_CALL), UPLOADS_AT_ONCE, async (batch) => {
    const parts = batch.map(({ path, text }) => {
      const type = path.endsWith(".md") ? "text/markdown" : "text/plain";
      const data = new TextEncoder().encode(text);
      return { path, data, headers: { "Content-Type": type } };
    });
    const { data, contentType } = multipartBody(parts);
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": contentType };
    const address = `${url}/panel/api/file-sources/${source}/files`;
    const answer = await fetch(address, { method: "POST", headers, body: data });
    const text = await answer.text();
    const { files = [] } = answer.ok ? (JSON.parse(text) as { files: { status: number }[] }) : {};
    if (!answer.ok || files.some(({ status }) => status >= FIRST_FAILURE)) {
      throw new Error(`files were refused: ${answer.status} ${text}`);
    }
  });
}

/** Asks the public API. */
export const ask = async <Reply>({ url, token }: Service, path: string, body: object) =>
  await postJson<Reply>(`${url}/api/${path}`, body, { Authorization: `Bearer ${token}` });

type Counts = { processedFiles: number; failedFiles: number; numberVectors: number };

/**
 * Waits until so many files of a RAG are indexed, or have failed as empty ones of collections do;
 * `onStep` gets the counts every now and then.
 * @throws Error when none is indexed for two minutes
 */
export async function untilIndexed(
  { api }: Pick<Service, "api">,
  id: string,
  total: number,
  onStep: (counts: Counts) => Promise<void> = async () => undefined,
): Promise<Counts> {
  let progress = { files: 0, at: performance.now() };
  for (;;) {
    const counts = await dataOf(api.GET("/rags/{id}", { params: { path: { id } } }));
    const at = performance.now();
    if (counts.processedFiles > progress.files) progress = { files: counts.processedFiles, at };
    await onStep(counts);
    if (counts.processedFiles + counts.failedFiles === total) return counts;
    if (at - progress.at > STALLED_MS) throw new Error(`stopped at ${progress.files} of ${total}`);
    await pause(POLL_MS);
  }
}

/** Files of a source and RAG of this name; returns when all are indexed. */
export async function pushFiles(service: Service, name: string, files: PushedText[]) {
  await pushAll(service, name, files);
  return await untilIndexed(service, name, files.length);
}
