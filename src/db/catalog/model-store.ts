import { asc } from "drizzle-orm";

import type { Database } from "../client.ts";
import { runBatch, statement } from "../raw-sql.ts";
import { models } from "../schema/index.ts";

/** Prices are per million tokens, in `currency`. */
export type ModelRow = typeof models.$inferSelect;

export async function listModelRows(db: Database): Promise<ModelRow[]> {
  return await db.select().from(models).orderBy(asc(models.kind), asc(models.model));
}

/** Replaces the whole list in one step; it has each model at most once per kind. */
export async function replaceModels(db: Database, rows: ModelRow[]): Promise<void> {
  await runBatch(db, [
    statement("delete from models"),
    statement(
      `insert into models (model, kind, input_price, output_price, currency)
       select value ->> 'model', value ->> 'kind', value ->> 'inputPrice',
         value ->> 'outputPrice', value ->> 'currency'
       from json_each(?1)`,
      rows,
    ),
  ]);
}
