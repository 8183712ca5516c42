import { models } from "../schema/index.ts";
import { columnsOf, namedColumns, select, pick, type Row } from "../select.ts";
import { execute, hasRows, readRows, runBatch, sql, readRow, type Database } from "../sql.ts";

const MODEL = select(columnsOf(models));
/** Prices are per million tokens, in `currency`. */
export type ModelRow = Row<typeof MODEL>;

const KEY = ["model", "kind"] as const;
const PRICED = ["inputPrice", "outputPrice", "currency"] as const;
const ENTRY = namedColumns(models, ...KEY, ...PRICED);

export const listModelRows = (db: Database) =>
  readRows(db)`select ${MODEL} from models order by kind, model`;

/** Replaces the whole list in one step; it has each model at most once per kind. */
export async function replaceModels(db: Database, rows: ModelRow[]): Promise<void> {
  await runBatch(db, [
    sql`delete from models`,
    sql`insert into models (${ENTRY.columns}) select ${ENTRY.values} from json_each(${rows}) m`,
  ]);
}

/** One entry, new or changed; false where the list is full. Other entries stay as they are. */
export const upsertModel = (db: Database, model: ModelRow, max: number) =>
  hasRows(db)`insert into models (${ENTRY.columns}) select ${ENTRY.values}
    from json_each(${[model]}) m
    where (select count(*) from models) < ${max}
      or exists (select 1 from models where model = ${model.model} and kind = ${model.kind})
    on conflict (model, kind) do update set ${namedColumns(models, ...PRICED).excluded} returning 1`;

/** Does nothing where the list has no such entry. */
export const removeModel = (db: Database, { model, kind }: { model: string; kind: string }) =>
  execute(db)`delete from models where model = ${model} and kind = ${kind}`;

/** Prices are per this many tokens. */
export const PRICED_TOKENS = 1_000_000;

const PRICE = select(pick(columnsOf(models), ...PRICED));
export type Price = Row<typeof PRICE>;

/** The price of a chat model. */
export const findPrice = (db: Database, model: string) =>
  readRow(db)`select ${PRICE} from models where model = ${model} and kind = 'chat'`;

/** By `priceKey`. */
export type Prices = Map<string, Price>;

export const priceKey = (kind: string, model: string) => `${kind} ${model}`;

/** A model that sees is mostly listed for its answers. */
export const priceOf = (prices: Prices, kind: string, model: string) =>
  prices.get(priceKey(kind, model)) ??
  (kind === "image" ? prices.get(priceKey("chat", model)) : undefined);

/** Prices of models of any kind; those without one are left out. */
export async function findPrices(db: Database, names: string[]): Promise<Prices> {
  const rows = await readRows(db)`select ${MODEL} from models
    where model in (select value from json_each(${names}))`;
  return new Map(rows.map(({ model, kind, ...price }) => [priceKey(kind, model), price]));
}
