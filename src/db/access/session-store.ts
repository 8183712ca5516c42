import { and, asc, count, desc, eq, gt, lt, or } from "drizzle-orm";

import { notFound } from "../../core/errors.ts";
import type { UserId } from "../../core/ids.ts";
import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type { Database } from "../client.ts";
import type { Slice } from "../page.ts";
import { sessions, users, userTotp } from "../schema/index.ts";

/** A session ends when it was not used for so long, */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** and when it is so old. */
export const SESSION_MAX_MS = 7 * DAY_MS;

/** A session with its user; null when it is unknown. The caller judges its age. */
export async function findSessionRow(db: Database, hash: string) {
  const row = await db
    .select({
      userId: sessions.userId,
      email: users.email,
      role: users.role,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
      totpConfirmedAt: userTotp.confirmedAt,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(userTotp, eq(userTotp.userId, users.id))
    .where(eq(sessions.hash, hash))
    .get();
  return row ?? null;
}

export async function touchSession(db: Database, hash: string, now: number): Promise<void> {
  await db.update(sessions).set({ lastSeenAt: now }).where(eq(sessions.hash, hash));
}

/** The client from which a session was opened. */
export type Origin = { address: string; userAgent: string };

/** Adds a session and deletes ended ones, in one step. */
export async function insertSession(
  db: Database,
  session: { hash: string; id: string; userId: UserId; now: number } & Origin,
  ended: { seenBefore: number; createdBefore: number },
): Promise<void> {
  const { now, ...kept } = session;
  await db.batch([
    db.insert(sessions).values({ ...kept, createdAt: now, lastSeenAt: now }),
    db
      .delete(sessions)
      .where(
        or(lt(sessions.lastSeenAt, ended.seenBefore), lt(sessions.createdAt, ended.createdBefore)),
      ),
  ]);
}

export async function deleteSession(db: Database, hash: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.hash, hash));
}

const listed = {
  id: sessions.id,
  hash: sessions.hash,
  userId: sessions.userId,
  email: users.email,
  address: sessions.address,
  userAgent: sessions.userAgent,
  createdAt: sessions.createdAt,
  lastSeenAt: sessions.lastSeenAt,
};
export type SessionRow = Origin & {
  id: string;
  hash: string;
  userId: UserId;
  email: string;
  createdAt: number;
  lastSeenAt: number;
};

/** A page of the open sessions of one user or of all, the most recently used first. */
export async function listSessions(
  db: Database,
  { userId, offset, limit }: Slice & { userId: UserId | null },
  now: number,
): Promise<{ data: SessionRow[]; total: number }> {
  const wanted = and(
    gt(sessions.lastSeenAt, now - SESSION_IDLE_MS),
    gt(sessions.createdAt, now - SESSION_MAX_MS),
    userId === null ? undefined : eq(sessions.userId, userId),
  );
  const [data, [counted]] = await db.batch([
    db
      .select(listed)
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(wanted)
      .orderBy(desc(sessions.lastSeenAt), asc(sessions.id))
      .limit(limit)
      .offset(offset),
    db.select({ total: count() }).from(sessions).where(wanted),
  ]);
  return { data, total: counted?.total ?? 0 };
}

/** Ends a session: any session, or only one of the given user. @throws QuarryError `not-found`. */
export async function endSession(db: Database, id: string, userId: UserId | null): Promise<void> {
  const own = userId === null ? undefined : eq(sessions.userId, userId);
  const deleted = await db
    .delete(sessions)
    .where(and(eq(sessions.id, id), own))
    .returning({ id: sessions.id });
  if (deleted.length === 0) throw notFound();
}
