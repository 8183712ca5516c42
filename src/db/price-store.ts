import { and, eq } from "drizzle-orm";

import type { Database } from "./client.ts";
import { models } from "./schema/index.ts";

/** Per million tokens. */
export type Price = { inputPrice: number; outputPrice: number; currency: string };

export async function findPrice(db: Database, model: string): Promise<Price | null> {
  const { inputPrice, outputPrice, currency } = models;
  const rows = await db
    .select({ inputPrice, outputPrice, currency })
    .from(models)
    .where(and(eq(models.model, model), eq(models.kind, "chat")));
  return rows[0] ?? null;
}
