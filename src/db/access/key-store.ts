import { asc, count, eq } from "drizzle-orm";

import type { KeyId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
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

export async function listKeyRows(db: Database, offset: number, limit: number) {
  const [data, [counted]] = await db.batch([
    db
      .select({ key: keys, email: users.email })
      .from(keys)
      .innerJoin(users, eq(users.id, keys.createdBy))
      .orderBy(asc(keys.name), asc(keys.id))
      .limit(limit)
      .offset(offset),
    db.select({ total: count() }).from(keys),
  ]);
  return { data, total: counted?.total ?? 0 };
}

/** False when there is no such key. */
export async function deleteKey(db: Database, id: KeyId): Promise<boolean> {
  const deleted = await db.delete(keys).where(eq(keys.id, id)).returning({ id: keys.id });
  return deleted.length > 0;
}
