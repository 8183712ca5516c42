import type { ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { z } from "zod";

import { variableNames } from "../../config.ts";
import { IS_PACKED, PROJECT, SERVICE } from "../installation.ts";
import { spawnGroup } from "./processes.ts";
import { OWNER_ONLY_FOLDER } from "./state-files.ts";
import type { Variables } from "./worker-variables.ts";

/** A task takes a tenth of a second; a disk may be slow. */
export const TASK_TIMEOUT_MS = 60_000;

/** Where D1, Durable Objects, KV and R2 lie in a state folder; `wrangler dev` has the same. */
const STORES = ["d1", "do", "kv", "r2"];

/** Builds what a checkout runs, unless its sources are as they were; a package has it. */
export async function buildIfChanged(part: "service" | "database"): Promise<void> {
  if (IS_PACKED) return;
  const { buildService, buildDatabase } = await import("../build/build-service.ts");
  await (part === "service" ? buildService() : buildDatabase());
}

/** The path of the binary for this system; the package is CommonJS without types. */
function binary(): string {
  const workerd: unknown = createRequire(import.meta.url)("workerd");
  return z.object({ default: z.string() }).parse(workerd).default;
}

/** workerd with a configuration of dist/worker, in a state folder. Only its owner sees the variables. */
function spawnWorkerd(
  stateFolder: string,
  args: string[],
  variables: Variables,
  timeout?: number,
): ChildProcess {
  for (const store of STORES)
    mkdirSync(join(stateFolder, "v3", store), { recursive: true, mode: OWNER_ONLY_FOLDER });
  const none = Object.fromEntries(variableNames.map((name) => [name, undefined]));
  const env = { ...process.env, ...none, ...variables };
  const options = { cwd: stateFolder, env, timeout, killSignal: "SIGKILL" } as const;
  return spawnGroup([binary(), ...args], options);
}

/** Serves on one address and nowhere else. */
export function spawnService(
  stateFolder: string,
  address: string,
  overrides: Variables,
  config = "service.capnp",
): ChildProcess {
  const defaults: unknown = JSON.parse(readFileSync(join(SERVICE, "variables.json"), "utf8"));
  const variables = { ...z.record(z.string(), z.string()).parse(defaults), ...overrides };
  const where = ["--socket-addr", `http=${address}`];
  const assets = ["--directory-path", `assets=${join(PROJECT, "dist/public")}`];
  const args = ["serve", "--experimental", ...where, ...assets, join(SERVICE, config)];
  return spawnWorkerd(stateFolder, args, variables);
}

/** Runs database-task.ts, which applies the migrations unless it has a statement. */
export function spawnDatabaseTask(stateFolder: string, statement?: string): ChildProcess {
  const args = ["test", "--experimental", "--no-verbose", join(SERVICE, "database.capnp")];
  const variables = statement === undefined ? {} : { STATEMENT: statement };
  return spawnWorkerd(stateFolder, args, variables, TASK_TIMEOUT_MS);
}
