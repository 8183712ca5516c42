import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

const { DB, TEST_MIGRATIONS } = env;
await applyD1Migrations(DB, TEST_MIGRATIONS);
