import { notFound } from "../../core/errors.ts";
import type { UserId } from "../../core/ids.ts";
import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type { Database } from "../client.ts";
import { readPage, type Slice } from "../page.ts";
import { sessions, users, userTotp } from "../schema/index.ts";
import { columnsOf, optional, pick, select, values, type Row } from "../select.ts";
import { execute, hasRows, raw, readRow, runBatch, sql } from "../sql.ts";

/** A session ends when it was not used for so long, */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** and when it is so old. */
export const SESSION_MAX_MS = 7 * DAY_MS;

const [s, u] = [columnsOf(sessions, "s"), columnsOf(users, "u")];

const FOUND = select({
  ...pick(s, "userId", "createdAt", "lastSeenAt"),
  ...pick(u, "email", "role"),
  totpConfirmedAt: optional(columnsOf(userTotp, "t").confirmedAt),
});

/** A session with its user; null when it is unknown. The caller judges its age. */
export const findSessionRow = (db: Database, hash: string) =>
  readRow(db, FOUND)`select ${FOUND} from sessions s join users u on u.id = s.user_id
    left join user_totp t on t.user_id = u.id where s.hash = ${hash}`;

export const touchSession = (db: Database, hash: string, now: number) =>
  execute(db)`update sessions set last_seen_at = ${now} where hash = ${hash}`;

/** The client from which a session was opened. */
export type Origin = { address: string; userAgent: string };

/** Adds a session and deletes ended ones, in one step. */
export async function insertSession(
  db: Database,
  { now, ...session }: { hash: string; id: string; userId: UserId; now: number } & Origin,
  ended: { seenBefore: number; createdBefore: number },
): Promise<void> {
  await runBatch(db, [
    sql`insert into sessions ${values(sessions, { ...session, createdAt: now, lastSeenAt: now })}`,
    sql`delete from sessions
      where last_seen_at < ${ended.seenBefore} or created_at < ${ended.createdBefore}`,
  ]);
}

export const deleteSession = (db: Database, hash: string) =>
  execute(db)`delete from sessions where hash = ${hash}`;

const LISTED = select({ ...s, email: u.email });
export type SessionRow = Row<typeof LISTED>;

/** A page of the open sessions of one user or of all, the most recently used first. */
export async function listSessions(
  db: Database,
  { userId, ...slice }: Slice & { userId: UserId | null },
  now: number,
): Promise<{ data: SessionRow[]; total: number }> {
  const from = sql`from sessions s join users u on u.id = s.user_id
    where s.last_seen_at > ${now - SESSION_IDLE_MS} and s.created_at > ${now - SESSION_MAX_MS}
      and ${userId === null ? raw("1") : sql`s.user_id = ${userId}`}`;
  return await readPage(db, LISTED, { ...slice, from, order: raw("s.last_seen_at desc, s.id") });
}

/** Ends a session: any session, or only one of the given user. @throws QuarryError `not-found`. */
export async function endSession(db: Database, id: string, userId: UserId | null): Promise<void> {
  const ended = hasRows(db)`delete from sessions
    where id = ${id} and (${userId} is null or user_id = ${userId}) returning 1`;
  if (!(await ended)) throw notFound();
}
