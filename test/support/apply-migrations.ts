import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

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
await applyD1Migrations(DB, TEST_MIGRATIONS);
