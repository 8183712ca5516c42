import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { encodedPath } from "../../../src/cli/api/clients.ts";
import { startWorker } from "../../../src/cli/worker/start-worker.ts";
import { inParallel } from "../../../src/core/work/parallel.ts";
import { freePort } from "../../end-to-end/run-cli.ts";
import { signIn } from "./local-service.ts";

const RATE_LIMIT = 10_000;

/** File sources and RAGs of these names, and an inference called `bench` over all of them. */
export type Service = { url: string; key: string; token: string };
export type BenchRag = { name: string; searchMode?: string };

type Wanted = {
  /** `NAME:VALUE` */
  vars?: string[];
  /** Besides `bench`; the token covers them. */
  inferences?: { name: string; model: string; systemPrompt: string; rags: string[] }[];
};

/** As `npm start` runs it, in a folder of its own, which is removed when it stops. */
export async function startService(
  rags: BenchRag[] = [{ name: "bench" }],
  { vars = [], inferences = [] }: Wanted = {},
): Promise<{ service: Service; stop: () => Promise<void> }> {
  const state = mkdtempSync(join(tmpdir(), "quarry-bench-service-"));
  const worker = await startWorker({
    port: await freePort(),
    stateFolder: state,
    vars: [`RATE_LIMIT_API:${RATE_LIMIT}`, ...vars],
    tell: (line) => console.error(line),
  });
  const stop = async () => {
    await worker.stop();
    rmSync(state, { recursive: true, force: true });
  };
  try {
    return { service: await setUp(worker.url, rags, inferences), stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

async function setUp(
  url: string,
  rags: BenchRag[],
  inferences: NonNullable<Wanted["inferences"]>,
): Promise<Service> {
  const send = await signIn(url);
  const create = async (path: string, body: unknown) =>
    (await (await send("POST", path, body)).json()) as { key: string; token: string };
  for (const rag of rags) {
    await create("/file-sources", { name: rag.name, provider: "file_system" });
    await create("/rags", { ...rag, fileSource: rag.name, reranker: "embedded/lexical" });
  }
  const { key } = await create("/keys", { name: "Bench", role: "admin" });
  const names = rags.map(({ name }) => name);
  const answering = { systemPrompt: "", model: "embedded/extractive", rags: names };
  const all = [{ name: "Bench", ...answering }, ...inferences];
  for (const inference of all) await create("/inferences", inference);
  const covered = all.map(({ name }) => name.toLowerCase());
  const groups = { agents: [], inferences: covered, rags: names };
  const { token } = await create("/tokens", { name: "Bench", ...groups });
  return { url, key, token };
}

const UPLOADS_AT_ONCE = 8;
const POLL_MS = 250;

/** Files of a source and RAG of this name; returns when all are indexed. */
export async function pushFiles(
  { url, key, token }: Service,
  name: string,
  files: { path: string; text: string }[],
): Promise<void> {
  await inParallel(files, UPLOADS_AT_ONCE, async ({ path, text }) => {
    const type = path.endsWith(".md") ? "text/markdown" : "text/plain";
    const response = await fetch(
      `${url}/panel/api/file-sources/${name}/files/${encodedPath(path)}`,
      {
        method: "PUT",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": type },
        body: text,
      },
    );
    if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  });
  for (;;) {
    const headers = { Authorization: `Bearer ${token}` };
    const reply = await fetch(`${url}/api/rags/${name}`, { headers });
    const { processedFiles } = (await reply.json()) as { processedFiles: number };
    if (processedFiles === files.length) return;
    await pause(POLL_MS);
  }
}
