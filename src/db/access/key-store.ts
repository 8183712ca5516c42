import { notFound } from "../../core/errors.ts";
import type { KeyId } from "../../core/ids.ts";
import { isInColumns, readKeyedPage, readPage, type Slice, type PageAt } from "../page.ts";
import { keys, users } from "../schema/index.ts";
import { columnsOf, select, values, type Row } from "../select.ts";
import { execute, hasRows, raw, readRow, sql, type Database } from "../sql.ts";

const [k, u] = [columnsOf(keys, "k"), columnsOf(users, "u")];
const FROM = raw("from keys k cross join users u on u.id = k.created_by");

export type KeyRow = typeof keys.$inferSelect;

const KEY = select({ key: k, makersRole: u.role });

/** A key has at most the current rights of its creator. */
export async function findKeyByHash(db: Database, hash: string): Promise<KeyRow | null> {
  const row = await readRow(db)`select ${KEY} ${FROM} where k.hash = ${hash}`;
  if (row === null) return null;
  return row.makersRole === "admin" ? row.key : { ...row.key, role: "member" };
}

export const insertKey = (db: Database, key: KeyRow) =>
  execute(db)`insert into keys ${values(keys, key)}`;

const { hash: _hidden, ...shown } = k;
const LISTED_KEY = select({ ...shown, createdByEmail: u.email });
/** A key without its hash. */
export type ListedKey = Row<typeof LISTED_KEY>;

/** A page of the automation keys in order of name, without their hashes. */
export const listKeys = (db: Database, slice: Slice) =>
  readPage(db, LISTED_KEY, { ...slice, from: FROM, order: raw("k.name, k.id") });

export const findListedKey = (db: Database, keyId: string) =>
  readRow(db)`select ${LISTED_KEY} ${FROM} where k.id = ${keyId}`;

/** Automation keys, the newest first: their ids begin with the time. */
export const readKeyPage = (db: Database, at: PageAt, search = "") =>
  readKeyedPage(db, at, {
    of: LISTED_KEY,
    from: sql`${FROM} where ${isInColumns(["k.name"], search)}`,
    columns: ["k.id"],
    order: "desc",
  });

/** The key stops working at once. @throws QuarryError `not-found`. */
export async function removeKey(db: Database, id: KeyId): Promise<void> {
  if (!(await hasRows(db)`delete from keys where id = ${id} returning 1`)) throw notFound();
}
