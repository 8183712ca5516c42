import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { z } from "zod";

import { variableNames } from "../../config.ts";
import { INDEX_FORMAT } from "../../core/index-format.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import { CommandFailure } from "../failure.ts";
import { IS_PACKED, PROJECT, SERVICE } from "../installation.ts";
import { trustedCertificates } from "./certificates.ts";
import { outputOf, spawnGroup } from "./processes.ts";
import { OWNER_ONLY, OWNER_ONLY_FOLDER } from "./state-files.ts";
import { upgradeNotice, VERSION_SQL } from "./upgrade.ts";
import type { Variables } from "./worker-variables.ts";

/** A task takes a tenth of a second; a disk may be slow. */
const TASK_TIMEOUT_MS = 60_000;

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
function spawnWorkerd(stateFolder: string, args: string[], variables: Variables, timeout?: number) {
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
  const variables = {
    ...z.record(z.string(), z.string()).parse(defaults),
    ...trustedCertificates(stateFolder, process.env),
    ...overrides,
  };
  const where = ["--socket-addr", `http=${address}`];
  const assets = ["--directory-path", `assets=${join(PROJECT, "dist/public")}`];
  const args = ["serve", "--experimental", ...where, ...assets, join(SERVICE, config)];
  return spawnWorkerd(stateFolder, args, variables);
}

const STAMP = "migrations-applied";

const answer = z.union([
  z.object({ results: z.array(z.unknown()) }),
  z.object({ error: z.string() }),
]);

/**
 * Applies the migrations to the database of a state folder, and says what else this version
 * changes. A stamp file records that nothing has changed since then.
 * @throws CommandFailure with the reason, also for a state of a later version
 */
export async function applyMigrations(
  stateFolder: string,
  tell: (line: string) => void = () => {},
): Promise<void> {
  const stamp = join(stateFolder, STAMP);
  const sql = await readFile(join(SERVICE, "migrations.json"), "utf8");
  const hash = createHash("sha256").update(`${sql}${INDEX_FORMAT}`).digest("hex");
  const applied = await readFile(stamp, "utf8").catch(() => "");
  if (hasDatabase(stateFolder)) {
    if (applied === hash) return;
    // A database without tables has no version.
    const [row] = await askDatabase(stateFolder, VERSION_SQL).catch(() => []);
    const migrations = z.record(z.string(), z.unknown()).parse(parseJson(sql));
    const where = `The state folder ${stateFolder}`;
    const notice = upgradeNotice(row, where, Object.keys(migrations));
    // Dots of a wait may stand on the line before.
    if (notice !== null) tell(`\n${notice}`);
  }
  await askDatabase(stateFolder);
  await writeFile(stamp, hash, { mode: OWNER_ONLY });
}

export const hasDatabase = (stateFolder: string) => existsSync(join(stateFolder, "v3", "d1"));

/**
 * Rows of a statement on the database of a state folder, which a service may use meanwhile; without
 * a statement, database-task.ts applies the migrations. @throws CommandFailure
 */
export async function askDatabase(stateFolder: string, statement?: string): Promise<unknown[]> {
  const args = ["test", "--experimental", "--no-verbose", join(SERVICE, "database.capnp")];
  const variables = statement === undefined ? {} : { STATEMENT: statement };
  const task = spawnWorkerd(stateFolder, args, variables, TASK_TIMEOUT_MS);
  const { stdout, stderr } = await outputOf(task);
  const line = answer.safeParse(parseJson(stdout)).data ?? { error: stderr.trim() };
  if ("results" in line) return line.results;
  const reason = line.error === "" ? `no answer within ${TASK_TIMEOUT_MS / 1000} s` : line.error;
  throw new CommandFailure(`The database in ${stateFolder} cannot be used: ${reason}`);
}
