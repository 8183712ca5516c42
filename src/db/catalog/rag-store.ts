import type { Database } from "../client.ts";
import { idOfKey, readPage, type Slice } from "../page.ts";
import { RAG, RAG_JOINS, type RagRecord } from "../records.ts";
import { rags } from "../schema/index.ts";
import { columnsOf, pick, select } from "../select.ts";
import { raw, readRow, readRows, sql } from "../sql.ts";

const FROM = sql`from rags r ${RAG_JOINS} where r.removed_at is null`;

/** By id or identifier, an id takes precedence. Null when there is none or it was removed. */
export const findRagRecord = (db: Database, key: string): Promise<RagRecord | null> =>
  readRow(db, RAG)`select ${RAG} ${FROM} and r.id = ${idOfKey("rags", key)}`;

/** A page of the RAGs in order of identifier. */
export const listRagRecords = (db: Database, slice: Slice) =>
  readPage(db, RAG, { ...slice, from: FROM, order: raw("r.identifier") });

const KNOWN = select(pick(columnsOf(rags), "id", "identifier"));

/** Which of these identifiers name a RAG, with their ids; any number of them. */
export const findRagIds = (db: Database, identifiers: string[]) =>
  readRows(db, KNOWN)`select ${KNOWN} from rags where removed_at is null
    and identifier in (select value from json_each(${identifiers}))`;
