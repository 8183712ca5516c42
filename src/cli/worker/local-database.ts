import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import { parsedJson } from "../../core/input/parsed-json.ts";
import { INDEX_FORMAT } from "../../core/index-format.ts";
import { CommandFailure } from "../failure.ts";
import { SERVICE } from "../installation.ts";
import { outputOf } from "./processes.ts";
import { OWNER_ONLY } from "./state-files.ts";
import { upgradeNotice, VERSION_SQL } from "./upgrade.ts";
import { spawnDatabaseTask, TASK_TIMEOUT_MS } from "./workerd.ts";

const STAMP = "migrations-applied";

const answer = z.union([
  z.object({ results: z.array(z.unknown()) }),
  z.object({ error: z.string() }),
]);

/**
 * Applies the migrations to the database of a state folder, and tells what else this version
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
    const migrations = z.record(z.string(), z.unknown()).parse(parsedJson(sql));
    const where = `The state folder ${stateFolder}`;
    const notice = upgradeNotice(row, { where, migrations: Object.keys(migrations) });
    // Dots of a wait may stand on the line before.
    if (notice !== null) tell(`\n${notice}`);
  }
  await askDatabase(stateFolder);
  await writeFile(stamp, hash, { mode: OWNER_ONLY });
}

export const hasDatabase = (stateFolder: string) => existsSync(join(stateFolder, "v3", "d1"));

/**
 * Rows of a statement on the database of a state folder, which a service may use meanwhile; without
 * a statement, applies the migrations. @throws CommandFailure
 */
export async function askDatabase(stateFolder: string, statement?: string): Promise<unknown[]> {
  const { stdout, stderr } = await outputOf(spawnDatabaseTask(stateFolder, statement));
  const line = answer.safeParse(parsedJson(stdout)).data ?? { error: stderr.trim() };
  if ("results" in line) return line.results;
  const reason = line.error === "" ? `no answer within ${TASK_TIMEOUT_MS / 1000} s` : line.error;
  throw new CommandFailure(`The database in ${stateFolder} cannot be used: ${reason}`);
}
