import type { KeyId, UserId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { flag, id, nullable, number, oneOf, row, text, type Row } from "../columns.ts";
import { beginsWith, prefixBounds, readKeyedPage, readNamedPage } from "../keyset.ts";
import type { KeyedPage, PageAt } from "../keyset.ts";
import { readRow } from "../raw-sql.ts";

const role = oneOf(["admin", "member"]);

const PERSON = row({
  id: id<UserId>(),
  email: text,
  role,
  createdAt: number,
  hasTotp: flag,
  /** The last use of an open or forgotten session, ms; null: none is known. */
  lastSeenAt: nullable(number),
});
/** A user as the panel lists them. */
export type Person = Row<typeof PERSON>;

const SELECT_PERSON = `
  select u.id, u.email, u.role, u.created_at as createdAt,
    exists (select 1 from user_totp t where t.user_id = u.id and t.confirmed_at is not null)
      as hasTotp,
    (select max(s.last_seen_at) from sessions s where s.user_id = u.id) as lastSeenAt
  from users u`;

/** Users in order of e-mail address; `prefix`: only those whose addresses begin so, "": all. */
export async function readPersonPage(
  db: Database,
  at: PageAt,
  prefix = "",
): Promise<KeyedPage<Person>> {
  return await readKeyedPage(db, at, {
    read: PERSON,
    sql: `${SELECT_PERSON} where ${beginsWith("u.email", 1)}`,
    parameters: prefixBounds(prefix),
    columns: ["u.email"],
    order: "asc",
    keyOf: ({ email }) => [email],
  });
}

export async function findPerson(db: Database, userId: UserId): Promise<Person | null> {
  return await readRow(db, PERSON, `${SELECT_PERSON} where u.id = ?1`, userId);
}

const KEY = row({
  id: id<KeyId>(),
  name: text,
  role,
  createdAt: number,
  expiresAt: nullable(number),
  createdByEmail: text,
});
export type ListedKey = Row<typeof KEY>;

const SELECT_KEY = `
  select k.id, k.name, k.role, k.created_at as createdAt, k.expires_at as expiresAt,
    u.email as createdByEmail
  from keys k cross join users u on u.id = k.created_by`;

export async function findListedKey(db: Database, keyId: string): Promise<ListedKey | null> {
  return await readRow(db, KEY, `${SELECT_KEY} where k.id = ?1`, keyId);
}

/**
 * Automation keys, the newest first: their ids begin with the time. With a prefix those whose names
 * begin so, in order of name.
 */
export async function readKeyPage(
  db: Database,
  at: PageAt,
  prefix = "",
): Promise<KeyedPage<ListedKey>> {
  return await readNamedPage(db, at, { read: KEY, select: SELECT_KEY, alias: "k", prefix });
}
