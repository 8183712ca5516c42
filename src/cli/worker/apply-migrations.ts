import { createHash } from "node:crypto";
import { once } from "node:events";
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
  const sql = await readMigrations();
  const wanted = createHash("sha256").update(sql).digest("hex");
  const applied = await readFile(stamp, "utf8").catch(() => "");
  if (applied === wanted && hasDatabase(stateFolder)) return;
  const failure = await runMigrations(stateFolder);
  const missing = await missingPart(stateFolder, sql);
  if (missing !== null) throw madeEarlier(stateFolder, missing);
  if (failure !== null) throw new CommandFailure(failure);
  await writeFile(stamp, wanted, { mode: OWNER_ONLY });
}

export const hasDatabase = (stateFolder: string) => existsSync(join(stateFolder, "v3", "d1"));

/** The SQL of all migrations, in their order. */
async function readMigrations(): Promise<string> {
  const folder = join(PROJECT, "migrations");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const texts = names.map(
    async (name) => `-- ${name}\n${await readFile(join(folder, name), "utf8")}`,
  );
  return (await Promise.all(texts)).join("\n");
}

/** Released migrations are never changed, so that this happens to unreleased versions only. */
const madeEarlier = (stateFolder: string, missing: string) =>
  new CommandFailure(
    `The database in ${stateFolder} is from a version before the first release and cannot be ` +
      `updated (${missing} is missing). Choose another folder with --state (npm run dev: ` +
      "--persist-to), or delete this one: npm start indexes the documents again, but settings " +
      "made in the panel are lost.",
  );

/** Returns what is wrong if it fails. */
async function runMigrations(stateFolder: string): Promise<string | null> {
  const local = ["--local", "--persist-to", stateFolder, ...(await configArguments(stateFolder))];
  const args = ["d1", "migrations", "apply", "quarry", ...local];
  const child = spawnWrangler(args, ["ignore", "pipe", "pipe"]);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (piece: Buffer) => (said += piece.toString()));
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Node.js documents of "close"
  const [code] = (await once(child, "close")) as [number | null];
  return code === 0 ? null : `The local database could not be set up.\n${said}`;
}
