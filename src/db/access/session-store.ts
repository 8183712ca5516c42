import { eq, lt, or } from "drizzle-orm";

import type { UserId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { sessions, users } from "../schema/index.ts";

/** A session with its user; null when it is unknown. The caller judges its age. */
export async function findSessionRow(db: Database, hash: string) {
  const row = await db
    .select({
      userId: sessions.userId,
      email: users.email,
      role: users.role,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.hash, hash))
    .get();
  return row ?? null;
}

export async function touchSession(db: Database, hash: string, now: number): Promise<void> {
  await db.update(sessions).set({ lastSeenAt: now }).where(eq(sessions.hash, hash));
}

/** Adds a session and drops those that have ended, in one step. */
export async function insertSession(
  db: Database,
  session: { hash: string; userId: UserId; now: number },
  ended: { seenBefore: number; createdBefore: number },
): Promise<void> {
  const { hash, userId, now } = session;
  await db.batch([
    db.insert(sessions).values({ hash, userId, createdAt: now, lastSeenAt: now }),
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
