import { providerKeys } from "../schema/index.ts";
import { columnsOf, select, values, type Row } from "../select.ts";
import { execute, readRows, type Database, type Reads } from "../sql.ts";

const KEY = select(columnsOf(providerKeys));
export type StoredProviderKey = Row<typeof KEY>;

export const listProviderKeys = (db: Reads) => readRows(db)`select ${KEY} from provider_keys`;

export const upsertProviderKey = (db: Database, key: StoredProviderKey) =>
  execute(db)`insert into provider_keys ${values(providerKeys, key)}
    on conflict (name) do update set sealed_key = excluded.sealed_key, set_at = excluded.set_at,
      base_url = excluded.base_url`;

export const deleteProviderKey = (db: Database, name: string) =>
  execute(db)`delete from provider_keys where name = ${name}`;
