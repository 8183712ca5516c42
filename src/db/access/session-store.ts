import { notFound } from "../../core/errors.ts";
import type { UserId } from "../../core/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { readPage, type Slice } from "../page.ts";
import { textList } from "../schema/columns.ts";
import { sessions, users, signInTries } from "../schema/index.ts";
import { assignSql, columnsOf, pick, select, json, values, type Row } from "../select.ts";
import { execute, hasRows, raw, readRow, readRows, runBatch, sql, type Database } from "../sql.ts";
import { HAS_TOTP } from "./user-store.ts";

/** A session ends when it was not used for so long, */
const SESSION_IDLE_MS = 12 * HOUR_MS;
/** and when it is so old. */
const MAX_SESSION_MS = 7 * DAY_MS;

const [s, u] = [columnsOf(sessions, "s"), columnsOf(users, "u")];

/** Columns of a session `s` and its user `u` that every look-up of a caller reads. */
export const CALLING = {
  ...pick(s, "hash", "userId", "createdAt", "lastSeenAt", "vouchedUntil"),
  ...pick(u, "email", "role"),
  hasTotp: HAS_TOTP,
  /** From the provider that vouches for the session. */
  groups: json(
    textList,
    `coalesce((select i.groups from user_identities i
      where i.user_id = u.id and s.vouched_until is not null), '[]')`,
  ),
};
const FOUND = select({ ...CALLING, ...pick(s, "sealedRefreshToken", "address") });

/** A session with its user; null when it is unknown. The caller judges its age. */
export const findSessionRow = (db: Database, hash: string) =>
  readRow(db)`select ${FOUND} from sessions s join users u on u.id = s.user_id
    where s.hash = ${hash}`;

/** A use that is recorded late does not open a closed session again. */
export const touchSession = (db: Database, hash: string, now: number) =>
  execute(db)`update sessions set last_seen_at = ${now} where hash = ${hash} and last_seen_at > 0`;

export type FoundSession = Row<typeof FOUND>;

/** Whether a session was not used for too long, or is too old. */
export const isOver = (
  { lastSeenAt, createdAt }: Pick<FoundSession, "lastSeenAt" | "createdAt">,
  now: number,
) => now - lastSeenAt >= SESSION_IDLE_MS || now - createdAt >= MAX_SESSION_MS;

/** When a session that no password opened ends, and the secret that renews it. */
export type Recheck = { vouchedUntil: number | null; sealedRefreshToken: string | null };

/** The client from which a session was opened. */
export type Origin = { address: string; userAgent: string };

/** An ended session still asks the provider about its person while programs act for them. */
const RENEWS = raw(`(sessions.sealed_refresh_token is not null
  and sessions.user_id in (select granted_by from tokens where granted_by is not null))`);

/** `renewed`: the user whose new session asks the provider from now on. */
const deleteExpiredSql = (now: number, renewed: UserId | null = null) =>
  [sql`last_seen_at < ${now - SESSION_IDLE_MS}`, sql`created_at < ${now - MAX_SESSION_MS}`].map(
    (isOld) => sql`delete from sessions where ${isOld}
    and (user_id is ${renewed} or not ${RENEWS})`,
  );

/** Adds a session and deletes ended ones, in one step. */
export async function insertSession(
  db: Database,
  { now, ...session }: { hash: string; id: string; userId: UserId; now: number } & Origin & Recheck,
): Promise<void> {
  await runBatch(db, [
    sql`insert into sessions ${values(sessions, { ...session, createdAt: now, lastSeenAt: now })}`,
    ...deleteExpiredSql(now, session.sealedRefreshToken === null ? null : session.userId),
  ]);
}

/**
 * Sessions, ended ones too, that ask the provider about people with connected programs whom it has
 * not let in since `before`.
 */
export const sessionsToRenew = (db: Database, before: number, limit: number) =>
  readRows(db)`select ${FOUND} from sessions s join users u on u.id = s.user_id
    where s.hash in (select hash from sessions join user_identities i using (user_id)
      where i.checked_at <= ${before} and ${RENEWS} order by checking_until limit ${limit})`;

/** Ends a session; `purgeExpired` deletes it. */
export const closeSession = (db: Database, hash: string) => touchSession(db, hash, 0);

/** Claims the check of a session with the provider: a refresh token may be good for one use. */
export const claimCheck = (db: Database, hash: string, now: number, until: number) =>
  hasRows(db)`update sessions set checking_until = ${until}
    where hash = ${hash} and checking_until <= ${now} returning 1`;

/** Stores the result of a check; without a refresh token the session ends at its time. */
export const storeRecheck = (db: Database, hash: string, { ...vouched }: Partial<Recheck>) =>
  execute(db)`update sessions set ${assignSql(sessions, vouched)} where hash = ${hash}`;

/** Ends the sessions that passwords opened. */
export const endPasswordSessions = (db: Database) =>
  execute(db)`delete from sessions where vouched_until is null`;

/** Ends the sessions that a provider vouches for, but one, which cannot be renewed any more. */
export async function endVouchedSessions(db: Database, but: string | null): Promise<void> {
  await runBatch(db, [
    sql`delete from sessions where vouched_until is not null and hash is not ${but}`,
    sql`update sessions set sealed_refresh_token = null where vouched_until is not null`,
  ]);
}

export const deleteSession = (db: Database, hash: string) =>
  execute(db)`delete from sessions where hash = ${hash}`;

const LISTED = select({
  ...pick(s, "hash", "userId", "id", "address", "userAgent", "createdAt", "lastSeenAt"),
  email: u.email,
});
export type SessionRow = Row<typeof LISTED>;

/** A page of the open sessions of one user or of all, the most recently used first. */
export async function listSessions(
  db: Database,
  { userId, ...slice }: Slice & { userId: UserId | null },
  now: number,
): Promise<{ data: SessionRow[]; total: number }> {
  const from = sql`from sessions s join users u on u.id = s.user_id
    where s.last_seen_at > ${now - SESSION_IDLE_MS} and s.created_at > ${now - MAX_SESSION_MS}
      and (coalesce(s.vouched_until > ${now}, 1) or s.sealed_refresh_token is not null)
      and ${userId === null ? raw("1") : sql`s.user_id = ${userId}`}`;
  return await readPage(db, LISTED, { ...slice, from, order: raw("s.last_seen_at desc, s.id") });
}

/** Ends a session: any session, or only one of the given user. @throws QuarryError `not-found`. */
export async function endSession(db: Database, id: string, userId: UserId | null): Promise<void> {
  const deletion = hasRows(db)`delete from sessions
    where id = ${id} and (${userId} is null or user_id = ${userId}) returning 1`;
  if (!(await deletion)) throw notFound();
}

const INVITATION_KEPT_MS = 30 * DAY_MS;

/** Deletes ended sessions, old failed sign-ins and what was not used in time. */
export async function purgeExpired(db: Database, now: number): Promise<void> {
  await runBatch(db, [
    ...deleteExpiredSql(now),
    sql`delete from sign_in_tries where last_at < ${now - DAY_MS}`,
    sql`delete from sign_in_secrets where expires_at < ${now}`,
    sql`delete from invitations where expires_at < ${now - INVITATION_KEPT_MS}`,
  ]);
}

/** One client has at most this many a minute; the delay is for attempts from many clients. */
const FREE_TRIES = 10;
const FIRST_WAIT_MS = SECOND_MS;
/** Short enough for the rightful user to wait. */
const MAX_WAIT_MS = 5 * MINUTE_MS;
const MAX_DOUBLINGS = 10;

const HELD = select(pick(columnsOf(signInTries), "claimedUntil"));

/**
 * Counts a sign-in attempt before its password is checked, so that concurrent attempts count too.
 * Returns 0, or until when the account is locked; it may not exist. A refused attempt is not
 * counted, so it does not extend the lock.
 */
export async function claimTry(db: Database, account: string, now: number): Promise<number> {
  const dayBefore = now - DAY_MS;
  const [claims, sessions] = await runBatch(db, [
    sql`insert into sign_in_tries
      ${values(signInTries, { account, tries: 1, claimedUntil: 0, lastAt: now })}
      on conflict (account) do update set
        tries = case when last_at < ${dayBefore} then 1 else tries + 1 end,
        claimed_until = case when last_at < ${dayBefore} or tries + 1 < ${FREE_TRIES} then 0
          else ${now} + min(${MAX_WAIT_MS},
            ${FIRST_WAIT_MS} << min(tries + 1 - ${FREE_TRIES}, ${MAX_DOUBLINGS})) end,
        last_at = ${now}
      where claimed_until <= ${now} returning 1`,
    sql`select ${HELD} from sign_in_tries where account = ${account}`,
  ]);
  return claims.length > 0 ? 0 : (sessions[0]?.claimedUntil ?? 0);
}

/** Called after a successful sign-in. */
export const forgetTries = (db: Database, accounts: string[]) =>
  execute(
    db,
  )`delete from sign_in_tries where account in (select value from json_each(${accounts}))`;

/** Whether this user has an open session from this address: a known device is not delayed. */
export const isKnownAddress = (db: Database, userId: UserId, address: string, now: number) =>
  hasRows(db)`select 1 from sessions where user_id = ${userId} and address = ${address}
    and last_seen_at > ${now - SESSION_IDLE_MS} and created_at > ${now - MAX_SESSION_MS} limit 1`;
