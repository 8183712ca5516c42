import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import { PROJECT } from "../installation.ts";
import { there, type Finding } from "./finding.ts";
import type { DeploySettings } from "./settings.ts";
import { jsonSaid, reasonSaid, type AskWrangler } from "./wrangler-command.ts";

const databases = z.array(z.object({ uuid: z.string(), name: z.string() }));

/** Checks that the database exists and that wrangler.toml has its id. */
export async function checkDatabase(
  ask: AskWrangler,
  { database, environment }: DeploySettings,
): Promise<Finding> {
  const what = `D1 database ${database.name}`;
  const said = await ask(["d1", "list", "--json"]);
  const listed = jsonSaid(said, databases);
  if (listed === null) return { what, state: "unknown", note: reasonSaid(said) };
  const found = listed.find(({ name }) => name === database.name);
  const section = `[[env.${environment}.d1_databases]] of wrangler.toml`;
  if (found === undefined) {
    const put = `# and put the database_id that it prints under ${section}`;
    return { what, state: "missing", fix: [`npx wrangler d1 create ${database.name}`, put] };
  }
  if (found.uuid === database.id) return there(what);
  const note = `wrangler.toml has another id: ${database.id}`;
  const fix = [`# under ${section}:`, `# database_id = "${found.uuid}"`];
  return { what, state: "wrong", note, fix };
}

const applied = z.array(z.object({ results: z.array(z.object({ name: z.string() })) }));
/** The error before the first migration. */
const NO_TABLE = "no such table: d1_migrations";

/** Migrations missing from the database: they are applied before the code is uploaded. */
export async function checkMigrations(
  ask: AskWrangler,
  { database, environment }: DeploySettings,
): Promise<Finding & { pending: string[] }> {
  const what = "migrations";
  const sql = "select name from d1_migrations";
  const where = ["--remote", "--env", environment, "--json", "--command", sql];
  const said = await ask(["d1", "execute", database.name, ...where]);
  const rows = jsonSaid(said, applied);
  const none = said.code !== 0 && `${said.stdout}${said.stderr}`.includes(NO_TABLE);
  if (rows === null && !none) {
    return { what, state: "unknown", note: reasonSaid(said), pending: [] };
  }
  const known = new Set((rows ?? []).flatMap(({ results }) => results.map(({ name }) => name)));
  const pending = (await migrationsHere()).filter((name) => !known.has(name));
  const note = pending.length === 0 ? "all applied" : `to be applied: ${pending.join(", ")}`;
  return { ...there(what, note), pending };
}

async function migrationsHere(): Promise<string[]> {
  const names = await readdir(join(PROJECT, "migrations"));
  return names.filter((name) => name.endsWith(".sql")).sort();
}
