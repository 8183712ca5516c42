/**
 * Runs in a workerd of its own, by `workerd test`, which listens nowhere: applies the migrations
 * as wrangler would, and writes the same table, or runs one statement. Prints one line of JSON.
 */
import { writeToConsole } from "../../../core/log.ts";

type Bindings = { DB: D1Database; MIGRATIONS: Record<string, string>; STATEMENT: string | null };

const STATEMENT_BREAK = "--> statement-breakpoint";
/** wrangler's own: https://github.com/cloudflare/workers-sdk, packages/wrangler/src/d1/migrations */
const TABLE = `create table if not exists d1_migrations (
  id integer primary key autoincrement,
  name text unique,
  applied_at timestamp default current_timestamp not null
)`;

async function migrate({ DB, MIGRATIONS }: Bindings): Promise<void> {
  await DB.exec(TABLE.replaceAll("\n", " "));
  const { results } = await DB.prepare("select name from d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  for (const [name, sql] of Object.entries(MIGRATIONS)) {
    if (applied.has(name)) continue;
    const statements = sql.split(STATEMENT_BREAK).map((statement) => DB.prepare(statement));
    const record = DB.prepare("insert into d1_migrations (name) values (?)").bind(name);
    await DB.batch([...statements, record]);
  }
}

async function resultOf(bindings: Bindings): Promise<object> {
  try {
    if (bindings.STATEMENT !== null) return await bindings.DB.prepare(bindings.STATEMENT).all();
    await migrate(bindings);
    return { results: [] };
  } catch (thrown) {
    return { error: String(thrown) };
  }
}

export default {
  async test(_controller, bindings) {
    writeToConsole("info", JSON.stringify(await resultOf(bindings)));
  },
} satisfies ExportedHandler<Bindings>;
