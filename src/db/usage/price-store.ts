import { readRow, readRows, type Database } from "../sql.ts";
import { models } from "../schema/index.ts";
import { columnsOf, pick, select, type Row } from "../select.ts";

/** Prices are per this many tokens. */
export const PRICED_TOKENS = 1_000_000;

const MODEL = columnsOf(models);
const PRICE = select(pick(MODEL, "inputPrice", "outputPrice", "currency"));
export type Price = Row<typeof PRICE>;

/** The price of a chat model. */
export const findPrice = (db: Database, model: string) =>
  readRow(db, PRICE)`select ${PRICE} from models where model = ${model} and kind = 'chat'`;

/** By `priceKey`. */
export type Prices = Map<string, Price>;

export const priceKey = (kind: string, model: string) => `${kind} ${model}`;

const PRICED_MODEL = select(MODEL);

/** Prices of models of any kind; those without one are left out. */
export async function findPrices(db: Database, names: string[]): Promise<Prices> {
  const rows = await readRows(db, PRICED_MODEL)`select ${PRICED_MODEL} from models
    where model in (select value from json_each(${names}))`;
  return new Map(rows.map(({ model, kind, ...price }) => [priceKey(kind, model), price]));
}
