import { asc, count, eq } from "drizzle-orm";

import type { KeyId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { keys } from "../schema/index.ts";

export type KeyRow = typeof keys.$inferSelect;

export async function findKeyByHash(db: Database, hash: string): Promise<KeyRow | null> {
  return (await db.select().from(keys).where(eq(keys.hash, hash)).get()) ?? null;
}

export async function insertKey(db: Database, key: KeyRow): Promise<void> {
  await db.insert(keys).values(key);
}

export async function listKeyRows(db: Database, offset: number, limit: number) {
  const [data, [counted]] = await db.batch([
    db.select().from(keys).orderBy(asc(keys.name), asc(keys.id)).limit(limit).offset(offset),
    db.select({ total: count() }).from(keys),
  ]);
  return { data, total: counted?.total ?? 0 };
}

/** False when there is no such key. */
export async function deleteKey(db: Database, id: KeyId): Promise<boolean> {
  const deleted = await db.delete(keys).where(eq(keys.id, id)).returning({ id: keys.id });
  return deleted.length > 0;
}
