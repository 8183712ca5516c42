import { execute, hasRows, readRows, runBatch, sql, type Database } from "../sql.ts";
import { models } from "../schema/index.ts";
import { columnsOf, listed, select, type Row } from "../select.ts";

const MODEL = select(columnsOf(models));
/** Prices are per million tokens, in `currency`. */
export type ModelRow = Row<typeof MODEL>;

const KEY = ["model", "kind"] as const;
const PRICE = ["inputPrice", "outputPrice", "currency"] as const;
const ENTRY = listed(models, ...KEY, ...PRICE);

export const listModelRows = (db: Database) =>
  readRows(db, MODEL)`select ${MODEL} from models order by kind, model`;

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
    on conflict (model, kind) do update set ${listed(models, ...PRICE).excluded} returning 1`;

/** Does nothing where the list has no such entry. */
export const removeModel = (db: Database, { model, kind }: { model: string; kind: string }) =>
  execute(db)`delete from models where model = ${model} and kind = ${kind}`;
