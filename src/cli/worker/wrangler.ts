import { once } from "node:events";
import { spawn, type ChildProcess, type SpawnOptions, type StdioOptions } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { IS_PACKED, PROJECT } from "../installation.ts";
import { OWNER_ONLY } from "./state-files.ts";

/** On this very Node.js; in an installed package, wrangler is next to it, not below it. */
const wrangler = () => {
  const manifest = createRequire(import.meta.url).resolve("wrangler/package.json");
  return [process.execPath, join(dirname(manifest), "bin/wrangler.js")] as const;
};

/** No network, no questions, no trace of every request in the local state: nobody reads it. */
const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
  X_LOCAL_OBSERVABILITY: "false",
  CI: "1",
};

const ENVIRONMENT = () => ({ ...process.env, ...QUIET });

/** Other users cannot read what wrangler writes to the state folder. */
const OWNER_ONLY_MASK = 0o077;

function spawnPrivately(command: string, args: string[], options: SpawnOptions): ChildProcess {
  const before = process.umask(OWNER_ONLY_MASK);
  try {
    return spawn(command, args, { cwd: PROJECT, env: ENVIRONMENT(), ...options });
  } finally {
    process.umask(before);
  }
}

/** Starts wrangler in our own process group, where it can read the terminal. */
export function spawnWrangler(args: string[], stdio: StdioOptions): ChildProcess {
  const [node, script] = wrangler();
  return spawnPrivately(node, [script, ...args], { stdio });
}

/** Kills the group once a pipe closes, as it does when this process ends, even by `kill -9`. */
const GUARD = '(cat <&3; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-';

/** Starts wrangler in a process group of its own, which never outlives this process. Its input is closed. */
export function spawnWranglerGroup(args: string[]): ChildProcess {
  return spawnPrivately("sh", ["-c", GUARD, "sh", ...wrangler(), ...args], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: true,
  });
}

/** Its exit code, once all it wrote has been read; null after a signal. */
export async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Node.js documents of "close"
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}

export async function saidBy(child: ChildProcess): Promise<Said> {
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (piece: Buffer) => (said.stdout += piece.toString()));
  child.stderr?.on("data", (piece: Buffer) => (said.stderr += piece.toString()));
  return { code: (await exitCodeOf(child)) ?? 1, ...said };
}

export type Said = { code: number; stdout: string; stderr: string };

/** Signals the process group of a child; signal 0 only tests. False when no process is left. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}

const NAME = "wrangler.toml";

/** An installed package writes its own into the state folder: the package's may be read-only. */
export async function configArguments(stateFolder: string): Promise<string[]> {
  if (!IS_PACKED) return [];
  const copy = join(stateFolder, NAME);
  const toml = packedConfig(await readFile(join(PROJECT, NAME), "utf8"), PROJECT);
  await writeFile(copy, toml, { mode: OWNER_ONLY });
  return ["--config", copy];
}

/** What wrangler says of the local database of a state folder. */
export async function askLocally(args: string[], stateFolder: string): Promise<Said> {
  const where = ["--local", "--persist-to", stateFolder, ...(await configArguments(stateFolder))];
  return await saidBy(spawnWrangler(["d1", ...args, ...where], ["ignore", "pipe", "pipe"]));
}

/** The local part of wrangler.toml for the built Worker, assets and migrations of a package. */
export function packedConfig(toml: string, folder: string): string {
  const quoted = (path: string) => JSON.stringify(join(folder, path));
  const [local = ""] = toml.split("\n[env.");
  return local
    .replace(/^main = .*$/m, () => `main = ${quoted("dist/worker/index.js")}\nno_bundle = true`)
    .replace(/^\[build\]\n.*\n/m, "")
    .replace(/^directory = .*$/m, () => `directory = ${quoted("dist/public")}`)
    .replace(/^migrations_dir = .*$/m, () => `migrations_dir = ${quoted("migrations")}`);
}
