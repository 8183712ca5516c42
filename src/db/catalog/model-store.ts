import { and, asc, eq, sql } from "drizzle-orm";

import type { Database } from "../client.ts";
import { allRows, query, runBatch, statement } from "../raw-sql.ts";
import { row, text } from "../columns.ts";
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

const STORED = row({ model: text });

/** One entry, new or changed; false where the list is full. Other entries stay as they are. */
export async function upsertModel(db: Database, model: ModelRow, max: number): Promise<boolean> {
  const stored = await allRows(
    db,
    query(
      STORED,
      `insert into models (model, kind, input_price, output_price, currency)
       select ?1, ?2, ?3, ?4, ?5
       where (select count(*) from models) < ?6
         or exists (select 1 from models where model = ?1 and kind = ?2)
       on conflict (model, kind) do update set input_price = excluded.input_price,
         output_price = excluded.output_price, currency = excluded.currency
       returning model`,
      model.model,
      model.kind,
      model.inputPrice,
      model.outputPrice,
      model.currency,
      max,
    ),
  );
  return stored.length > 0;
}

/** Does nothing where the list has no such entry. */
export async function removeModel(
  db: Database,
  { model, kind }: { model: string; kind: string },
): Promise<void> {
  await db.delete(models).where(and(eq(models.model, model), sql`${models.kind} = ${kind}`));
}
