import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import type { UserId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { number, row } from "../columns.ts";
import { execute, query, readRow, runBatch } from "../raw-sql.ts";
import { SESSION_IDLE_MS, SESSION_MAX_MS } from "./session-store.ts";

/**
 * One client has at most this many attempts per minute; the delay is for attempts from many
 * clients.
 */
const FREE_TRIES = 10;
const FIRST_WAIT_MS = SECOND_MS;
/** Short enough for the rightful user to wait. */
const MAX_WAIT_MS = 5 * MINUTE_MS;
const DOUBLINGS_MAX = 10;

const HELD = row({ claimedUntil: number });

/**
 * Counts a sign-in attempt before its password is checked, so that concurrent attempts count too.
 * Returns 0, or until when the account is locked; it may not exist. A refused attempt is not
 * counted, so it does not extend the lock.
 */
export async function claimTry(db: Database, account: string, now: number): Promise<number> {
  const [claimed, stored] = await runBatch(db, [
    query(
      HELD,
      `insert into sign_in_tries (account, tries, claimed_until, last_at) values (?1, 1, 0, ?2)
       on conflict (account) do update set
         tries = case when last_at < ?3 then 1 else tries + 1 end,
         claimed_until = case when last_at < ?3 or tries + 1 < ?4 then 0
           else ?2 + min(?5, ?6 << min(tries + 1 - ?4, ?7)) end,
         last_at = ?2
       where claimed_until <= ?2
       returning claimed_until as claimedUntil`,
      account,
      now,
      now - DAY_MS,
      FREE_TRIES,
      MAX_WAIT_MS,
      FIRST_WAIT_MS,
      DOUBLINGS_MAX,
    ),
    query(
      HELD,
      `select claimed_until as claimedUntil from sign_in_tries where account = ?1`,
      account,
    ),
  ]);
  return claimed.length > 0 ? 0 : (stored[0]?.claimedUntil ?? 0);
}

/** Called after a successful sign-in. */
export async function forgetTries(db: Database, accounts: string[]): Promise<void> {
  await execute(
    db,
    `delete from sign_in_tries where account in (select value from json_each(?1))`,
    accounts,
  );
}

const FOUND = row({ found: number });

/** Whether this user has an open session from this address: a known device is not delayed. */
export async function isKnownAddress(db: Database, userId: UserId, address: string, now: number) {
  const found = await readRow(
    db,
    FOUND,
    `select 1 as found from sessions where user_id = ?1 and address = ?2
       and last_seen_at > ?3 and created_at > ?4 limit 1`,
    userId,
    address,
    now - SESSION_IDLE_MS,
    now - SESSION_MAX_MS,
  );
  return found !== null;
}
