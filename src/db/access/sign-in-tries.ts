import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import type { UserId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { signInTries } from "../schema/index.ts";
import { columnsOf, pick, select } from "../select.ts";
import { execute, hasRows, runBatch, sql } from "../sql.ts";
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

const HELD = select(pick(columnsOf(signInTries), "claimedUntil"));

/**
 * Counts a sign-in attempt before its password is checked, so that concurrent attempts count too.
 * Returns 0, or until when the account is locked; it may not exist. A refused attempt is not
 * counted, so it does not extend the lock.
 */
export async function claimTry(db: Database, account: string, now: number): Promise<number> {
  const dayBefore = now - DAY_MS;
  const [claimed, stored] = await runBatch(db, [
    sql`insert into sign_in_tries (account, tries, claimed_until, last_at)
      values (${account}, 1, 0, ${now})
      on conflict (account) do update set
        tries = case when last_at < ${dayBefore} then 1 else tries + 1 end,
        claimed_until = case when last_at < ${dayBefore} or tries + 1 < ${FREE_TRIES} then 0
          else ${now} + min(${MAX_WAIT_MS},
            ${FIRST_WAIT_MS} << min(tries + 1 - ${FREE_TRIES}, ${DOUBLINGS_MAX})) end,
        last_at = ${now}
      where claimed_until <= ${now} returning 1`,
    sql`select ${HELD} from sign_in_tries where account = ${account}`.reading(HELD),
  ]);
  return claimed.length > 0 ? 0 : (stored[0]?.claimedUntil ?? 0);
}

/** Called after a successful sign-in. */
export const forgetTries = (db: Database, accounts: string[]) =>
  execute(
    db,
  )`delete from sign_in_tries where account in (select value from json_each(${accounts}))`;

/** Whether this user has an open session from this address: a known device is not delayed. */
export const isKnownAddress = (db: Database, userId: UserId, address: string, now: number) =>
  hasRows(db)`select 1 from sessions where user_id = ${userId} and address = ${address}
    and last_seen_at > ${now - SESSION_IDLE_MS} and created_at > ${now - SESSION_MAX_MS} limit 1`;
