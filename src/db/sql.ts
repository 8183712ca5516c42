import { Param, SQL, sql as drizzleSql } from "drizzle-orm";
import { CasingCache } from "drizzle-orm/casing";

import { inBatchesBySize } from "../core/work/batches.ts";

/** Statements are drizzle's SQL; what they read and write comes from the schema (`select.ts`). */

/** Reads a whole row. */
export type RowReader<Row> = (row: Record<string, unknown>) => Row;

/** SQL with its parameters: a statement whose rows are not read, or a part of one. */
export class Sql extends SQL {
  /** The statement, its rows read by `of`. */
  reading<Row>({ read: reader }: { read: RowReader<Row> }): ReadStatement<Row> {
    return { sql: this, read: reader };
  }
}

/** Throws when the value has another type. Functions: a page of 1,000 rows takes under 1 ms. */
export type Reader<Value> = (value: unknown, name: string) => Value;

class ReadSql<Read> {
  readonly sql: Sql;
  readonly read: Read;
  constructor(selected: Sql, reader: Read) {
    this.sql = selected;
    this.read = reader;
  }
}

/** A value of a row: how it is selected, and how it is read. */
export class Selected<Value> extends ReadSql<Reader<Value>> {}

/** A list of columns for a template, and how its rows are read. */
export class Selection<Row> extends ReadSql<RowReader<Row>> {}

export type ReadStatement<Row> = { sql: Sql; read: RowReader<Row> };
export type Statement = ReadStatement<unknown> | Sql;

type Template<Result> = (strings: TemplateStringsArray, ...values: unknown[]) => Result;

/** Booleans become 0 and 1, objects and lists JSON; other SQL becomes part of the text. */
export const sql: Template<Sql> = (strings, ...values) =>
  new Sql(drizzleSql(strings, ...values.map(chunkOf)).queryChunks);

function chunkOf(value: unknown): SQL | Param {
  if (value instanceof SQL) return value;
  return value instanceof Selection ? value.sql : new Param(bindable(value));
}

/** Text that is part of the program, never of its input. */
export const raw = (text: string): Sql => new Sql(drizzleSql.raw(text).queryChunks);

/** `parts` one after another, with `separator` between them. */
export const joinSql = (parts: readonly Sql[], separator: string): Sql =>
  new Sql(drizzleSql.join([...parts], raw(separator)).queryChunks);

const CASING = new CasingCache();

/** The text and its parameters. Equal values share one, so that a long list is sent once. */
function compile(statement: Sql) {
  const numbers = new Map<unknown, number>();
  const { sql: text } = statement.toQuery({
    casing: CASING,
    escapeName: (name) => `"${name}"`,
    escapeString: (value) => `'${value.replaceAll("'", "''")}'`,
    escapeParam: (_at, value) => {
      const number = numbers.get(value) ?? numbers.size + 1;
      numbers.set(value, number);
      return `?${number}`;
    },
  });
  return { text, parameters: [...numbers.keys()] };
}

function bindable(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return JSON.stringify(value);
}

type RowsOf<Statements extends readonly Statement[]> = {
  -readonly [Index in keyof Statements]: Statements[Index] extends ReadStatement<infer Row>
    ? Row[]
    : Record<string, unknown>[];
};

/** Statements of the same transaction whose rows nobody reads. */
export type Around = { before: Sql[]; after: Sql[] };

/** Runs all or none in one round trip; returns the rows of each statement. */
export async function runBatch<const Statements extends readonly Statement[]>(
  { $client }: Reads,
  statements: Statements,
  { before, after }: Around = { before: [], after: [] },
): Promise<RowsOf<Statements>> {
  const prepared = [...before, ...statements, ...after].map((statement) => {
    const { text, parameters } = compile(statement instanceof Sql ? statement : statement.sql);
    return $client.prepare(text).bind(...parameters);
  });
  const results =
    prepared.length === 0 ? [] : await $client.batch<Record<string, unknown>>(prepared);
  const rows = statements.map((statement, at) => {
    const rows = results[before.length + at]?.results ?? [];
    return statement instanceof Sql ? rows : rows.map(statement.read);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each read by its own statement
  return rows as RowsOf<Statements>;
}

/** Runs one statement; its rows are not read. */
export const execute =
  (db: Reads): Template<Promise<void>> =>
  async (...template) => {
    await runBatch(db, [sql(...template)]);
  };

/** Whether a statement has rows, those of `returning` included. */
export const hasRows =
  (db: Reads): Template<Promise<boolean>> =>
  async (...template) => {
    const [rows] = await runBatch(db, [sql(...template)]);
    return rows.length > 0;
  };

/** The rows of one statement, those of `returning` included. */
export const readRows =
  <Row>(db: Reads, selection: Selection<Row>): Template<Promise<Row[]>> =>
  async (...template) => {
    const [rows] = await runBatch(db, [sql(...template).reading(selection)]);
    return rows;
  };

/** The first row of one statement; null when there is none. */
export const readRow =
  <Row>(db: Reads, selection: Selection<Row>): Template<Promise<Row | null>> =>
  async (...template) =>
    (await readRows(db, selection)(...template))[0] ?? null;

/** The only column of each row. */
export const readValues =
  <Value>(db: Reads, { read: reader }: Selected<Value>): Template<Promise<Value[]>> =>
  async (...template) => {
    const [rows] = await runBatch(db, [sql(...template)]);
    return rows.flatMap((row) => Object.entries(row).map(([name, value]) => reader(value, name)));
  };

/** The only column of the first row; null when there is none. */
export const readValue =
  <Value>(db: Reads, selection: Selected<Value>): Template<Promise<Value | null>> =>
  async (...template) =>
    (await readValues(db, selection)(...template))[0] ?? null;

/** The row of a statement that has one, as a sum has. */
export function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new TypeError("a statement has no row");
  return row;
}

/** The database. */
export type Database = { $client: D1Database };

/** The reads of one request; a `Database` can be used as one, too. */
export type Reads = { $client: Pick<D1Database, "prepare" | "batch"> };

export const openDatabase = (binding: D1Database): Database => ({ $client: binding });

/**
 * One request's reads, as a D1 session that starts at the primary: the first read, of the caller's
 * token or session, sees every revocation. Later reads may use a replica that has caught up with
 * that moment, so they see every change made before the request; without replication all go to the
 * primary. (https://developers.cloudflare.com/d1/best-practices/read-replication/)
 */
export function openReads(binding: D1Database): Reads {
  let session: D1DatabaseSession | null = null;
  return {
    get $client() {
      session ??= binding.withSession("first-primary");
      return session;
    },
  };
}

/** D1 accepts a parameter of up to 2 MB, and a character may take three bytes. */
const MAX_PARAMETER_CHARACTERS = 600_000;

/** Items in their order, in lists that each fit into one parameter as JSON. */
export const portionsOf = <Item>(items: readonly Item[]): Item[][] =>
  inBatchesBySize(
    items,
    { total: MAX_PARAMETER_CHARACTERS },
    (item) => JSON.stringify(item).length,
  );
