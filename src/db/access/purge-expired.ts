import { DAY_MS } from "../../core/time.ts";
import type { Database } from "../client.ts";
import { runBatch, sql } from "../sql.ts";
import { SESSION_IDLE_MS, SESSION_MAX_MS } from "./session-store.ts";

/** Deletes ended sessions and old failed sign-ins. */
export async function purgeExpired(db: Database, now: number): Promise<void> {
  await runBatch(db, [
    sql`delete from sessions where last_seen_at < ${now - SESSION_IDLE_MS}`,
    sql`delete from sessions where created_at < ${now - SESSION_MAX_MS}`,
    sql`delete from sign_in_tries where last_at < ${now - DAY_MS}`,
  ]);
}
