import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { panelApi, signIn } from "../../src/cli/api/panel-api.ts";
import type { PanelApi } from "../../src/cli/api/panel-api.ts";
import { startWorker } from "../../src/cli/worker/start-worker.ts";
import type { RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { builtService } from "./built-service.ts";
import { freePort } from "./run-cli.ts";

/** A folder that is gone after the tests. */
export function scratchFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "quarry-end-to-end-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The service as `wrangler dev` runs it, with limits that a test does not meet by accident. */
export async function startService(
  stateFolder: string,
  port?: number,
  more: string[] = [],
): Promise<RunningWorker> {
  const vars = ["RATE_LIMIT_API:10000", "RATE_LIMIT_LOGIN:1000", ...more];
  const tell = (line: string) => process.stderr.write(`${line}\n`);
  const configuration = await builtService(stateFolder);
  return startWorker({ port: port ?? (await freePort()), stateFolder, vars, configuration, tell });
}

/** A file source and a RAG over it, both called `docs`, with a key and a token. */
export async function makeRag(url: string): Promise<{ api: PanelApi; key: string; token: string }> {
  const panel = await signIn(url, "admin@localhost", "quarry");
  const key = await panel.createKey("end to end");
  const api = panelApi(url, key);
  await api.create("file-sources", { name: "Docs", identifier: "docs", provider: "file_system" });
  await api.create("rags", { name: "Docs", identifier: "docs", fileSource: "docs" });
  return { api, key, token: await api.createToken("end to end") };
}
