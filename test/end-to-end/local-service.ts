import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { dataOf, panelApi, signIn, type PanelApi } from "../../src/cli/api/clients.ts";
import { startWorker, type RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { readVariables, pairOf } from "../../src/cli/worker/worker-variables.ts";
import type { Variables } from "../../src/cli/worker/worker-variables.ts";
import { freePort } from "./run-cli.ts";

/** A folder that is gone after the tests. */
export function scratchFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "quarry-end-to-end-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Those of `.dev.vars`, and `NAME:VALUE` pairs. */
export async function variablesOf(pairs: string[]): Promise<Variables> {
  return { ...(await readVariables({})), ...Object.fromEntries(pairs.map(pairOf)) };
}

/** The service as `npm start` runs it, with limits that a test does not meet by accident. */
export async function startService(
  stateFolder: string,
  port?: number,
  more: string[] = [],
  config?: string,
): Promise<RunningWorker> {
  const limits = ["RATE_LIMIT_API:10000", "RATE_LIMIT_LOGIN:1000"];
  const variables = await variablesOf([...limits, ...more]);
  const tell = (line: string) => process.stderr.write(`${line}\n`);
  return startWorker({ port: port ?? (await freePort()), stateFolder, variables, config, tell });
}

/**
 * A file source and a RAG over it, both called `docs`, with a key and a token. `origin`: of
 * `PUBLIC_BASE_URL` where that is set.
 */
export async function makeRag(
  url: string,
  origin = url,
): Promise<{ api: PanelApi; key: string; token: string }> {
  const panel = await signIn(url, "admin@localhost", "quarry", origin);
  const adminKey = await dataOf(
    panel.POST("/keys", { body: { name: "end to end", role: "admin" } }),
  );
  const { key } = adminKey;
  const api = panelApi(url, key);
  const docs = { name: "Docs", identifier: "docs" };
  await api.POST("/file-sources", { body: { ...docs, provider: "file_system" } });
  await api.POST("/rags", { body: { ...docs, fileSource: "docs" } });
  const body = { name: "end to end", agents: ["*"], inferences: ["*"], rags: ["*"] };
  const { token } = await dataOf(api.POST("/tokens", { body }));
  return { api, key, token };
}

/** The counts of the RAG `docs`. */
export const countsOf = (api: PanelApi) =>
  dataOf(api.GET("/rags/{id}", { params: { path: { id: "docs" } } }));
