import type { UserId } from "../../core/ids.ts";
import { closeToMembers } from "../catalog/open-to-members.ts";
import { isInColumns, readKeyedPage, readPage } from "../page.ts";
import type { KeyedPage, PageAt, Slice } from "../page.ts";
import type { ROLES } from "../schema/access.ts";
import { users } from "../schema/index.ts";
import {
  flag,
  number,
  assignSql,
  columnsOf,
  pick,
  select,
  rowAsSelect,
  UPDATED,
  type Row,
  orNull,
} from "../select.ts";
import { hasRows, raw, readRow, runBatch, sql, type Database } from "../sql.ts";

export type Role = (typeof ROLES)[number];

const { updatedAt: _changed, ...ofUser } = columnsOf(users);
const USER = select(ofUser);
export type UserRow = Row<typeof USER>;

/** The user of an e-mail address and whether there is any user at all, in one round trip. */
export async function findSignIn(db: Database, email: string) {
  const [[user = null], any] = await runBatch(db, [
    sql`select ${USER} from users where email = ${email}`,
    sql`select 1 from users limit 1`,
  ]);
  return { user, anyUser: any.length > 0 };
}

export const findUserByEmail = (db: Database, email: string) =>
  readRow(db)`select ${USER} from users where email = ${email}`;

export const findUserById = (db: Database, id: UserId) =>
  readRow(db)`select ${USER} from users where id = ${id}`;

/** Inserts the user if there is none at all; false when another request was faster. */
export const insertFirstUser = (db: Database, user: UserRow) =>
  hasRows(db)`insert into users ${rowAsSelect(users, user)}
    where not exists (select 1 from users) returning 1`;

/** Whether a user has neither a password nor an account of a provider, as an import leaves them. */
const HAS_NO_WAY_IN = sql`users.password_hash = ''
  and not exists (select 1 from user_identities i where i.user_id = users.id)`;

export const hasNoWayIn = (db: Database, id: UserId) =>
  hasRows(db)`select 1 from users where id = ${id} and ${HAS_NO_WAY_IN}`;

/** A user of the address who has no way in gets the password. Null: taken, or the condition. */
export const insertUser = (db: Database, user: UserRow, condition = sql`1`) =>
  readRow(db)`insert into users ${rowAsSelect(users, user)} where ${condition}
    on conflict (email) do update set password_hash = excluded.password_hash
    where excluded.password_hash <> '' and ${HAS_NO_WAY_IN} returning ${USER}`;

const u = columnsOf(users, "u");
const SHOWN = pick(u, "id", "email", "role", "createdAt", "updatedAt");

/** A page of the users in order of e-mail address, without their password hashes. */
export const listUsers = (db: Database, slice: Slice) =>
  readPage(db, select(SHOWN), { ...slice, from: raw("from users u"), order: raw("u.email") });

/** Whether the user `u` has a second factor that counts. */
export const HAS_TOTP = flag(
  "exists (select 1 from user_totp t where t.user_id = u.id and t.confirmed_at is not null)",
);

const PERSON = select({
  ...SHOWN,
  hasTotp: HAS_TOTP,
  /** The last use of an open or forgotten session, ms; null: none is known. */
  lastSeenAt: orNull(number("(select max(s.last_seen_at) from sessions s where s.user_id = u.id)")),
});
/** A user as the panel lists them. */
export type Person = Row<typeof PERSON>;

/** Users in order of e-mail address; `prefix`: only those whose addresses begin so, "": all. */
export async function readPersonPage(
  db: Database,
  at: PageAt,
  search = "",
): Promise<KeyedPage<Person>> {
  return await readKeyedPage(db, at, {
    of: PERSON,
    from: sql`from users u where ${isInColumns(["u.email"], search)}`,
    columns: ["u.email"],
    order: "asc",
  });
}

export const findPerson = (db: Database, userId: UserId) =>
  readRow(db)`select ${PERSON} from users u where u.id = ${userId}`;

/** True when an administrator other than this user would remain. */
const hasOtherAdmin = (id: UserId) =>
  sql`exists (select 1 from users other where other.role = 'admin' and other.id <> ${id})`;

export type UserChange = { email?: string; passwordHash?: string; role?: Role };

/**
 * A new password or role ends sessions, all but `keptSessionHash`. False: the last administrator,
 * or the address is taken.
 */
export async function updateUser(
  db: Database,
  id: UserId,
  change: UserChange,
  endSessions: boolean,
  keptSessionHash: string | null = null,
): Promise<boolean> {
  const keepsAnAdmin =
    change.role === "member" ? sql`(role = 'member' or ${hasOtherAdmin(id)})` : sql`1`;
  const addressIsFree = sql`not exists (
    select 1 from users other where other.email = ${change.email} and other.id <> ${id})`;
  const isAllowed = sql`id = ${id} and ${keepsAnAdmin} and ${addressIsFree}`;
  // Two requests may bring the role: the second one would end the session that the first one keeps.
  const isNew = sql`(${change.passwordHash} is not null or role is not ${change.role})`;
  const [, updated] = await runBatch(db, [
    sql`delete from sessions where user_id = ${id} and hash is not ${keptSessionHash} and ${endSessions}
      and exists (select 1 from users where ${isAllowed} and ${isNew})`,
    sql`update users set ${assignSql(users, { ...change, id })}, ${UPDATED}
      where ${isAllowed} returning 1`,
    ...(change.role === "member" ? closeToMembers() : []),
  ]);
  return updated.length > 0;
}

/** Makes a user an administrator with another password, and ends their sessions, in one step. */
export async function resetAdministrator(
  db: Database,
  id: UserId,
  { passwordHash, keepsTotp }: { passwordHash: string; keepsTotp: boolean },
): Promise<void> {
  await runBatch(db, [
    sql`update users set password_hash = ${passwordHash}, role = 'admin' where id = ${id}`,
    sql`delete from sessions where user_id = ${id}`,
    sql`delete from recovery_codes where user_id = ${id} and not ${keepsTotp}`,
    sql`delete from user_totp where user_id = ${id} and not ${keepsTotp}`,
  ]);
}

/** Sets a password and ends the user's sessions, all but one, in one step. */
export async function setPassword(
  db: Database,
  id: UserId,
  passwordHash: string,
  keptSessionHash: string,
): Promise<void> {
  await runBatch(db, [
    sql`update users set password_hash = ${passwordHash} where id = ${id}`,
    sql`delete from sessions where user_id = ${id} and hash <> ${keptSessionHash}`,
  ]);
}

/** Removes its sessions and keys by cascade. False for the last administrator. */
export const deleteUser = (db: Database, id: UserId) =>
  hasRows(db)`delete from users
    where id = ${id} and (role <> 'admin' or ${hasOtherAdmin(id)}) returning 1`;
