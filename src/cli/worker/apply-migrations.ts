import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { CommandFailure } from "../failure.ts";
import { PROJECT } from "../installation.ts";
import { configArguments } from "./packed-config.ts";
import { OWNER_ONLY } from "./protect-state.ts";
import { missingPart } from "./stored-indexes.ts";
import { spawnWrangler } from "./wrangler.ts";

const STAMP = "migrations-applied";

/**
 * Applies the migrations to the local database of a state folder. A stamp file records
 * that nothing has changed since then, which saves two seconds at every start.
 * @throws CommandFailure with wrangler's output, or when no migration can make the tables fit.
 */
export async function applyMigrations(stateFolder: string): Promise<void> {
  await mkdir(stateFolder, { recursive: true });
  const stamp = join(stateFolder, STAMP);
  const migrations = await readMigrations();
  const wanted = fingerprint(migrations);
  const applied = await readFile(stamp, "utf8").catch(() => "");
  if (applied === wanted && hasDatabase(stateFolder)) return;
  const failure = await runMigrations(stateFolder);
  const sql = migrations.map(([, text]) => text).join("\n");
  const missing = await missingPart(stateFolder, sql);
  if (missing !== null) throw madeEarlier(stateFolder, missing);
  if (failure !== null) throw new CommandFailure(failure);
  await writeFile(stamp, wanted, { mode: OWNER_ONLY });
}

export const hasDatabase = (stateFolder: string) => existsSync(join(stateFolder, "v3", "d1"));

type Migration = [name: string, sql: string];

async function readMigrations(): Promise<Migration[]> {
  const folder = join(PROJECT, "migrations");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  return await Promise.all(
    names.map(async (name): Promise<Migration> => [
      name,
      await readFile(join(folder, name), "utf8"),
    ]),
  );
}

function fingerprint(migrations: Migration[]): string {
  const hash = createHash("sha256");
  for (const [name, sql] of migrations) hash.update(name).update(sql);
  return hash.digest("hex");
}

/** Released migrations are never changed, so that this happens to unreleased versions only. */
const madeEarlier = (stateFolder: string, missing: string) =>
  new CommandFailure(
    `The database in ${stateFolder} is from a version before the first release and cannot be ` +
      `updated (${missing} is missing). Choose another folder with --state (npm run dev: ` +
      "--persist-to), or delete this one: npm start indexes the documents again, but settings " +
      "made in the panel are lost.",
  );

/** Returns what is wrong where it fails. */
async function runMigrations(stateFolder: string): Promise<string | null> {
  const local = ["--local", "--persist-to", stateFolder, ...(await configArguments(stateFolder))];
  const args = ["d1", "migrations", "apply", "quarry", ...local];
  const child = spawnWrangler(args, ["ignore", "pipe", "pipe"]);
  let said = "";
  child.stdout?.on("data", (piece: Buffer) => (said += piece.toString()));
  child.stderr?.on("data", (piece: Buffer) => (said += piece.toString()));
  const code = await new Promise<number | null>((ended, failed) => {
    child.once("error", failed);
    child.once("close", ended);
  });
  return code === 0 ? null : `The local database could not be set up.\n${said}`;
}
