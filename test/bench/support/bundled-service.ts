import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";

import { PROJECT } from "../../../src/cli/installation.ts";
import { migrationStatements } from "./migration-statements.ts";

/** What wrangler would read by its configuration, and the bundle has or does without. */
const OF_THE_SCRIPT = new Set(["modulesRules", "assets"]);

/** Builds what would be deployed, offline. @throws Error with what wrangler said. */
function bundleInto(folder: string): string {
  const args = ["deploy", "--dry-run", "--env", "production", "--outdir", folder];
  const { status, stdout, stderr } = spawnSync("wrangler", args, {
    cwd: PROJECT,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${stdout}\n${stderr}`);
  return join(folder, "index.js");
}

/**
 * The bundle that would be deployed, with the bindings and variables of the local default, in
 * workerd on a socket of its own: none of `wrangler dev`'s Workers and processes stands before it.
 * D1, R2 and queues are miniflare's, in the same process.
 */
export async function startBundledService(vars: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "quarry-bundled-"));
  const stopping: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const one of stopping) await one();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const scriptPath = bundleInto(join(folder, "bundle"));
    const { workerOptions } = workerOptionsOf(join(PROJECT, "wrangler.toml"));
    const pairs = vars.map((pair) => [pair.split(":", 1)[0], pair.replace(/^\w+:/, "")]);
    const bindingsIn = Object.entries(workerOptions).filter(([name]) => !OF_THE_SCRIPT.has(name));
    const service = {
      ...Object.fromEntries(bindingsIn),
      name: "bench",
      rootPath: join(folder, "bundle"),
      modules: true,
      scriptPath,
      bindings: Object.assign({}, workerOptions["bindings"], Object.fromEntries(pairs)),
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    };
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        workers: [service],
        resourcePersistencePath: join(folder, "state"),
        log: new Log(LogLevel.ERROR),
        handleStructuredLogs: () => undefined,
      }),
    );
    stopping.push(() => miniflare.dispose());
    await miniflare.ready;
    const database = await miniflare.getD1Database("DB", "bench");
    for (const sql of migrationStatements()) await database.prepare(sql).run();
    return { url: (await miniflare.unsafeGetDirectURL("bench")).origin, pid: 0, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}
