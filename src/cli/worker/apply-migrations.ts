import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { CommandFailure } from "../failure.ts";
import { PROJECT } from "../installation.ts";
import { OWNER_ONLY } from "./state-files.ts";
import { askLocally } from "./wrangler.ts";

const STAMP = "migrations-applied";

/**
 * Applies the migrations to the local database of a state folder. A stamp file records
 * that nothing has changed since then, which saves two seconds at every start.
 * @throws CommandFailure with wrangler's output
 */
export async function applyMigrations(stateFolder: string): Promise<void> {
  await mkdir(stateFolder, { recursive: true });
  const stamp = join(stateFolder, STAMP);
  const sql = await readMigrations();
  const wanted = createHash("sha256").update(sql).digest("hex");
  const applied = await readFile(stamp, "utf8").catch(() => "");
  if (applied === wanted && hasDatabase(stateFolder)) return;
  await runMigrations(stateFolder);
  await writeFile(stamp, wanted, { mode: OWNER_ONLY });
}

export const hasDatabase = (stateFolder: string) => existsSync(join(stateFolder, "v3", "d1"));

async function readMigrations(): Promise<string> {
  const folder = join(PROJECT, "migrations");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const texts = names.map(
    async (name) => `-- ${name}\n${await readFile(join(folder, name), "utf8")}`,
  );
  return (await Promise.all(texts)).join("\n");
}

async function runMigrations(stateFolder: string): Promise<void> {
  const args = ["migrations", "apply", "quarry"];
  const { code, stdout, stderr } = await askLocally(args, stateFolder);
  if (code === 0) return;
  throw new CommandFailure(`The local database could not be set up.\n${stdout}${stderr}`);
}
