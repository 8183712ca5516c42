import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startWorker } from "../../../src/cli/worker/start-worker.ts";

const RATE_LIMIT = 10_000;

/** File sources and RAGs of these names, and an inference called `bench` over all of them. */
export type Service = { url: string; key: string; token: string };
export type BenchRag = { name: string; searchMode?: string };

type Started = { url: string; pid: number; stop: () => Promise<void> };

/** A service as `npm start` runs it, in a folder of its own, which goes when it stops. */
async function startEmpty(): Promise<Started> {
  const state = mkdtempSync(join(tmpdir(), "quarry-bench-service-"));
  const worker = await startWorker({
    port: await freePort(),
    stateFolder: state,
    vars: [`RATE_LIMIT_API:${RATE_LIMIT}`],
    tell: (line) => console.error(line),
  });
  const stop = async () => {
    await worker.stop();
    rmSync(state, { recursive: true, force: true });
  };
  return { url: worker.url, pid: worker.pid, stop };
}

/** The same with an empty index. */
export async function startService(
  rags: BenchRag[] = [{ name: "bench" }],
): Promise<Omit<Started, "url"> & { service: Service }> {
  const { url, pid, stop } = await startEmpty();
  try {
    return { service: await setUp(url, rags), pid, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

async function setUp(url: string, rags: BenchRag[]): Promise<Service> {
  const signIn = await fetch(`${url}/panel/api/session`, {
    method: "POST",
    body: JSON.stringify({ email: "admin@localhost", password: "quarry" }),
  });
  const cookie = signIn.headers.get("Set-Cookie")?.split(";", 1)[0] ?? "";
  const create = async (path: string, body: unknown) => {
    const headers = { Cookie: cookie, Origin: url };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}/panel/api${path}`, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { key: string; token: string };
  };
  for (const rag of rags) {
    await create("/file-sources", { name: rag.name, provider: "file_system" });
    await create("/rags", { ...rag, fileSource: rag.name, reranker: "embedded/lexical" });
  }
  const { key } = await create("/keys", { name: "Bench", role: "admin" });
  const names = rags.map(({ name }) => name);
  const answering = { systemPrompt: "", model: "embedded/extractive", rags: names };
  await create("/inferences", { name: "Bench", ...answering });
  const groups = { agents: [], inferences: ["bench"], rags: names };
  const { token } = await create("/tokens", { name: "Bench", ...groups });
  return { url, key, token };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
