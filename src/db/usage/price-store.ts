import { and, eq } from "drizzle-orm";

import type { Database } from "../client.ts";
import { number, row, text } from "../columns.ts";
import { readRows } from "../raw-sql.ts";
import { models } from "../schema/index.ts";

/** Prices are per this many tokens. */
export const PRICED_TOKENS = 1_000_000;

export type Price = { inputPrice: number; outputPrice: number; currency: string };

/** The price of a chat model. */
export async function findPrice(db: Database, model: string): Promise<Price | null> {
  const { inputPrice, outputPrice, currency } = models;
  const rows = await db
    .select({ inputPrice, outputPrice, currency })
    .from(models)
    .where(and(eq(models.model, model), eq(models.kind, "chat")));
  return rows[0] ?? null;
}

/** By `priceKey`. */
export type Prices = Map<string, Price>;

export const priceKey = (kind: string, model: string) => `${kind} ${model}`;

const PRICED_MODEL = row({
  model: text,
  kind: text,
  inputPrice: number,
  outputPrice: number,
  currency: text,
});

/** Prices of models of any kind; those without one are left out. */
export async function findPrices(db: Database, names: string[]): Promise<Prices> {
  const rows = await readRows(
    db,
    PRICED_MODEL,
    `select model, kind, input_price as inputPrice, output_price as outputPrice, currency
     from models where model in (select value from json_each(?1))`,
    JSON.stringify(names),
  );
  return new Map(rows.map(({ model, kind, ...price }) => [priceKey(kind, model), price]));
}
