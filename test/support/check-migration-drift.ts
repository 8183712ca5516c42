/** Fails when the drizzle schema holds what no migration makes, or a table has a rowid too many. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/** drizzle-kit does not know `WITHOUT ROWID`: it is written into the migration by hand. */
const WITHOUT_ROWID = ["files", "rag_files", "usage_counted"];
const tables = readFileSync("migrations/0000_tables.sql", "utf8").split("CREATE TABLE ");
for (const name of WITHOUT_ROWID) {
  const sql = tables.find((table) => table.startsWith(`\`${name}\` `));
  if (sql?.includes(") WITHOUT ROWID;") === true) continue;
  console.log(`migrations/0000_tables.sql: the table ${name} must be created WITHOUT ROWID`);
  process.exitCode = 1;
}

const scratch = mkdtempSync(join(tmpdir(), "quarry-drift-"));
try {
  cpSync("migrations", join(scratch, "migrations"), { recursive: true });
  const before = readdirSync(join(scratch, "migrations")).length;
  const config = join(scratch, "drizzle.config.json");
  const out = relative(process.cwd(), join(scratch, "migrations"));
  const schema = "./src/db/schema/index.ts";
  writeFileSync(config, JSON.stringify({ dialect: "sqlite", schema, out, casing: "snake_case" }));
  const generated = spawnSync("drizzle-kit", ["generate", "--config", config], {
    encoding: "utf8",
  });
  const after = readdirSync(join(scratch, "migrations")).length;
  if (generated.status !== 0 || after !== before) {
    console.log(generated.stdout, generated.stderr);
    console.log("The schema has changes without a migration: drizzle-kit generate --name …");
    process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
