import { asc, count, eq, getTableColumns } from "drizzle-orm";

import { notFound } from "../../core/errors.ts";
import type { KeyId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import type { Slice } from "../page.ts";
import { keys, users } from "../schema/index.ts";

export type KeyRow = typeof keys.$inferSelect;

/** A key has at most the current rights of its creator. */
export async function findKeyByHash(db: Database, hash: string): Promise<KeyRow | null> {
  const found = await db
    .select({ key: keys, makersRole: users.role })
    .from(keys)
    .innerJoin(users, eq(users.id, keys.createdBy))
    .where(eq(keys.hash, hash))
    .get();
  if (found === undefined) return null;
  return found.makersRole === "admin" ? found.key : { ...found.key, role: "member" };
}

export async function insertKey(db: Database, key: KeyRow): Promise<void> {
  await db.insert(keys).values(key);
}

/** A page of the automation keys in order of name, without their hashes. */
export async function listKeys(db: Database, { offset, limit }: Slice) {
  const { hash: _hidden, ...shown } = getTableColumns(keys);
  const [data, [counted]] = await db.batch([
    db
      .select({ ...shown, createdByEmail: users.email })
      .from(keys)
      .innerJoin(users, eq(users.id, keys.createdBy))
      .orderBy(asc(keys.name), asc(keys.id))
      .limit(limit)
      .offset(offset),
    db.select({ total: count() }).from(keys),
  ]);
  return { data, total: counted?.total ?? 0 };
}

/** The key stops working at once. @throws QuarryError `not-found`. */
export async function removeKey(db: Database, id: KeyId): Promise<void> {
  const deleted = await db.delete(keys).where(eq(keys.id, id)).returning({ id: keys.id });
  if (deleted.length === 0) throw notFound();
}
