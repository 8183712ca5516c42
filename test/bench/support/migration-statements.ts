import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { PROJECT } from "../../../src/cli/installation.ts";

/** For a database to which wrangler applies no migrations. */
export function migrationStatements(): string[] {
  const folder = join(PROJECT, "migrations");
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("--> statement-breakpoint"));
}
