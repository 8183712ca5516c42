import { and, asc, count, eq, getTableColumns, ne, sql } from "drizzle-orm";

import type { UserId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import type { Slice } from "../page.ts";
import { recoveryCodes, sessions, users, userTotp } from "../schema/index.ts";
import { updatedNow } from "../updated-at.ts";

export type Role = "admin" | "member";

export type UserRow = {
  id: UserId;
  email: string;
  passwordHash: string;
  role: Role;
  createdAt: number;
};

/** The user of an e-mail address and whether there is any user at all, in one round trip. */
export async function findSignIn(db: Database, email: string) {
  const [found, any] = await db.batch([
    db.select().from(users).where(eq(users.email, email)),
    db.select({ id: users.id }).from(users).limit(1),
  ]);
  const user: UserRow | null = found[0] ?? null;
  return { user, anyUser: any.length > 0 };
}

export async function findUserByEmail(db: Database, email: string): Promise<UserRow | null> {
  return (await db.select().from(users).where(eq(users.email, email)).get()) ?? null;
}

export async function findUserById(db: Database, id: UserId): Promise<UserRow | null> {
  return (await db.select().from(users).where(eq(users.id, id)).get()) ?? null;
}

/** Inserts the user if there is none at all; false when another request was faster. */
export async function insertFirstUser(db: Database, user: UserRow): Promise<boolean> {
  const inserted = await db.run(sql`
    insert into users (id, email, password_hash, role, created_at)
    select ${user.id}, ${user.email}, ${user.passwordHash}, ${user.role}, ${user.createdAt}
    where not exists (select 1 from users)`);
  return inserted.meta.changes > 0;
}

/** False when the e-mail address is taken. */
export async function insertUser(db: Database, user: UserRow): Promise<boolean> {
  const inserted = await db
    .insert(users)
    .values(user)
    .onConflictDoNothing({ target: users.email })
    .returning({ id: users.id });
  return inserted.length > 0;
}

/** A page of the users in order of e-mail address, without their password hashes. */
export async function listUsers(db: Database, { offset, limit }: Slice) {
  const { passwordHash: _hidden, ...shown } = getTableColumns(users);
  const [data, [counted]] = await db.batch([
    db.select(shown).from(users).orderBy(asc(users.email)).limit(limit).offset(offset),
    db.select({ total: count() }).from(users),
  ]);
  return { data, total: counted?.total ?? 0 };
}

/** True when an administrator other than this user would remain. */
const anotherAdminThan = (id: UserId) =>
  sql`exists (select 1 from users other where other.role = 'admin' and other.id <> ${id})`;

/** True when no other user has this address; checked in the statement that writes it. */
const freeFor = (id: UserId, email: string) =>
  sql`not exists (select 1 from users other where other.email = ${email} and other.id <> ${id})`;

export type UserChange = { email?: string; passwordHash?: string; role?: Role };

/**
 * Changes a user; a new password or role ends the user's sessions in the same step. False when no
 * administrator would remain, or the address belongs to another user.
 */
export async function updateUser(
  db: Database,
  id: UserId,
  change: UserChange,
  endSessions: boolean,
): Promise<boolean> {
  const keepsAnAdmin =
    change.role === "member"
      ? sql`(${users.role} = 'member' or ${anotherAdminThan(id)})`
      : undefined;
  const addressIsFree = change.email === undefined ? undefined : freeFor(id, change.email);
  const [updated] = await db.batch([
    db
      .update(users)
      .set({ ...change, ...updatedNow() })
      .where(and(eq(users.id, id), keepsAnAdmin, addressIsFree))
      .returning({ id: users.id }),
    db
      .delete(sessions)
      .where(and(eq(sessions.userId, id), sql`${endSessions ? 1 : 0} = 1`, sql`changes() > 0`)),
  ]);
  return updated.length > 0;
}

/** Makes a user an administrator with another password, and ends their sessions, in one step. */
export async function resetAdministrator(
  db: Database,
  id: UserId,
  { passwordHash, keepsTotp }: { passwordHash: string; keepsTotp: boolean },
): Promise<void> {
  const removed = (of: typeof recoveryCodes | typeof userTotp) =>
    db.delete(of).where(and(eq(of.userId, id), sql`${keepsTotp ? 0 : 1} = 1`));
  await db.batch([
    db.update(users).set({ passwordHash, role: "admin" }).where(eq(users.id, id)),
    db.delete(sessions).where(eq(sessions.userId, id)),
    removed(recoveryCodes),
    removed(userTotp),
  ]);
}

/** Sets a password and ends the user's sessions, all but one, in one step. */
export async function setPassword(
  db: Database,
  id: UserId,
  passwordHash: string,
  keptSessionHash: string,
): Promise<void> {
  await db.batch([
    db.update(users).set({ passwordHash }).where(eq(users.id, id)),
    db.delete(sessions).where(and(eq(sessions.userId, id), ne(sessions.hash, keptSessionHash))),
  ]);
}

/**
 * Removes a user and, by cascade, its sessions and the keys that it created. False for the last
 * administrator.
 */
export async function deleteUser(db: Database, id: UserId): Promise<boolean> {
  const deleted = await db
    .delete(users)
    .where(and(eq(users.id, id), sql`(${ne(users.role, "admin")} or ${anotherAdminThan(id)})`))
    .returning({ id: users.id });
  return deleted.length > 0;
}
