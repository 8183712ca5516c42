import { DAY_MS } from "../../core/time.ts";
import type { Database } from "../client.ts";
import { runBatch, statement } from "../raw-sql.ts";
import { SESSION_IDLE_MS, SESSION_MAX_MS } from "./session-store.ts";

/** Deletes ended sessions and old failed sign-ins. */
export async function purgeExpired(db: Database, now: number): Promise<void> {
  await runBatch(db, [
    statement(`delete from sessions where last_seen_at < ?1`, now - SESSION_IDLE_MS),
    statement(`delete from sessions where created_at < ?1`, now - SESSION_MAX_MS),
    statement(`delete from sign_in_tries where last_at < ?1`, now - DAY_MS),
  ]);
}
