import { execFile } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

import type { TestProject } from "vitest/node";

import { PROJECT } from "../../src/cli/installation.ts";
import { applyMigrations, hasDatabase } from "../../src/cli/worker/apply-migrations.ts";
import { packedConfig } from "../../src/cli/worker/wrangler.ts";

/** Where the build lies; vitest hands the variable to the processes of its test files. */
const VARIABLE = "QUARRY_BUILT_SERVICE";
const POLL_EVERY_MS = 100;

const run = promisify(execFile);

/** The entry is a file of a few bytes: wrangler parses that file anew at each start. */
const ENTRY = 'export * from "./service.mjs";\nexport { default } from "./service.mjs";\n';
const ENTRY_SETTINGS = `main = "index.js"
find_additional_modules = true
rules = [{ type = "ESModule", globs = ["*.mjs"] }]`;

/**
 * Bundles the Worker and migrates an empty database, once for all servers that the tests start: a
 * server that does both by itself takes twice the processor time. Goes on while other tests run.
 */
export default function buildService({ config }: TestProject): (() => Promise<void>) | undefined {
  // Two projects share the build; one that watches would go on with what has changed since.
  if (config.watch || process.env[VARIABLE] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "quarry-built-service-"));
  process.env[VARIABLE] = folder;
  const building = build(folder).then(
    () => say(folder, "built"),
    (thrown: unknown) => say(folder, "failed", String(thrown)),
  );
  return async () => {
    await building;
    rmSync(folder, { recursive: true, force: true });
  };
}

async function build(folder: string): Promise<void> {
  const bundle = ["deploy", "--dry-run", "--outdir", folder];
  await Promise.all([
    run(join(PROJECT, "node_modules/.bin/wrangler"), bundle, { cwd: PROJECT }),
    applyMigrations(join(folder, "state")),
  ]);
  rmSync(join(folder, "index.js.map"));
  renameSync(join(folder, "index.js"), join(folder, "service.mjs"));
  writeFileSync(join(folder, "index.js"), ENTRY);
  copyFileSync(join(PROJECT, ".dev.vars"), join(folder, ".dev.vars"));
  writeFileSync(join(folder, "wrangler.toml"), configuration());
}

/** As an installed package configures its built Worker, with this bundle. */
function configuration(): string {
  const toml = readFileSync(join(PROJECT, "wrangler.toml"), "utf8");
  return packedConfig(toml, PROJECT).replace(/^main = .*$/m, ENTRY_SETTINGS);
}

/** Written beside and renamed, so that nobody reads a part of it. */
function say(folder: string, word: "built" | "failed", text = ""): void {
  writeFileSync(join(folder, "said"), text);
  renameSync(join(folder, "said"), join(folder, word));
}

/**
 * Waits for the build and gives the state folder a migrated database unless it has one. Returns
 * wrangler's configuration file; undefined where nothing was built, as in a benchmark.
 */
export async function builtService(stateFolder: string): Promise<string | undefined> {
  const folder = process.env[VARIABLE];
  if (folder === undefined) return undefined;
  while (!existsSync(join(folder, "built"))) {
    const failed = join(folder, "failed");
    if (existsSync(failed)) throw new Error(readFileSync(failed, "utf8"));
    await pause(POLL_EVERY_MS);
  }
  if (!hasDatabase(stateFolder)) cpSync(join(folder, "state"), stateFolder, { recursive: true });
  return join(folder, "wrangler.toml");
}
