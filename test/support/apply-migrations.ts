import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { statements } from "./tested-schema.ts";

const { DB, FILES, TEST_MIGRATIONS } = env;

/** Files that share a Worker begin with empty stores, as those with a Worker of their own do. */
async function emptyDatabase(): Promise<void> {
  const { results } = await DB.prepare(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'
       and name not like '_cf_%'`,
  ).all<{ name: string }>();
  if (results.length === 0) return;
  await DB.batch([
    DB.prepare("pragma defer_foreign_keys = on"),
    ...results.map(({ name }) => DB.prepare(`drop table "${name}"`)),
  ]);
}

/** Altering tables again and again took longer than most files: later ones get what came of it. */
async function makeTables(): Promise<void> {
  if (statements.length > 0) {
    await DB.batch(statements.map((statement) => DB.prepare(statement)));
    return;
  }
  await applyD1Migrations(DB, TEST_MIGRATIONS);
  const { results } = await DB.prepare(
    `select sql from sqlite_master where sql is not null and name not like 'sqlite_%'
       and name not like '_cf_%' order by type = 'table' desc, type = 'index' desc, rowid`,
  ).all<{ sql: string }>();
  statements.push(...results.map(({ sql }) => sql));
}

async function emptyBucket(): Promise<void> {
  for (;;) {
    const { objects } = await FILES.list();
    if (objects.length === 0) return;
    await FILES.delete(objects.map(({ key }) => key));
  }
}

// It leaves what is written while it deletes.
await reset();
await emptyDatabase();
await emptyBucket();
await makeTables();
