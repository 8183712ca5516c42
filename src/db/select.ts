import { getTableColumns, type Column } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

import { joinSql, raw, ColumnSelection, Selection, sql, type Reader, type Sql } from "./sql.ts";

/** Selections and insertions of statements, derived from the tables of the schema. */

/** Fields of an outer join, null where it found no row: then the first of them is null. */
class Maybe<Fields extends Shape> {
  readonly fields: Fields;
  constructor(fields: Fields) {
    this.fields = fields;
  }
}

export const maybe = <Fields extends Shape>(fields: Fields): Maybe<Fields> => new Maybe(fields);

type Field = ColumnSelection<unknown> | Maybe<Shape> | Shape;
type Shape = { readonly [name: string]: Field };

type FieldOf<Of> =
  Of extends ColumnSelection<infer Value>
    ? Value
    : Of extends Maybe<infer Fields>
      ? RowOf<Fields> | null
      : RowOf<Of>;
type RowOf<Fields> = { -readonly [Name in keyof Fields]: FieldOf<Fields[Name]> };

/** The type of the rows that a selection reads. */
export type Row<Of> = Of extends Selection<infer Read> ? Read : never;

/** Selects fields, each under its name; fields of fields become objects. */
export function select<const Fields extends Shape>(fields: Fields): Selection<RowOf<Fields>> {
  const columns: Sql[] = [];
  const reader = readerOfAll(fields, "", columns);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of exactly these fields
  return new Selection(joinSql(columns, ", "), reader as (row: object) => RowOf<Fields>);
}

type SelectedRow = Record<string, unknown>;

function readerOfAll(fields: Shape, path: string, columns: Sql[]) {
  const readers = Object.entries(fields).map(
    ([name, field]) => [name, readerOfField(field, path + name, columns)] as const,
  );
  return (row: SelectedRow) => {
    const record: Record<string, unknown> = {};
    for (const [name, reader] of readers) record[name] = reader(row);
    return record;
  };
}

function readerOfField(field: Field, path: string, columns: Sql[]): (row: SelectedRow) => unknown {
  if (field instanceof ColumnSelection) {
    columns.push(sql`${field.sql} as ${raw(`"${path}"`)}`);
    return (row) => field.read(row[path], path);
  }
  if (!(field instanceof Maybe)) return readerOfAll(field, `${path}.`, columns);
  const [first = ""] = Object.keys(field.fields);
  const reader = readerOfAll(field.fields, `${path}.`, columns);
  return (row) => (row[`${path}.${first}`] === null ? null : reader(row));
}

type ColumnsOf<Table extends SQLiteTable> = {
  [Name in keyof Table["$inferSelect"]]: ColumnSelection<Table["$inferSelect"][Name]>;
};

/** The columns of a table under an alias; without one by their names alone. */
export function columnsOf<Table extends SQLiteTable>(table: Table, alias = ""): ColumnsOf<Table> {
  const prefix = alias === "" ? "" : `${alias}.`;
  const columns = Object.entries(getTableColumns(table)).map(([name, column]) => [
    name,
    new ColumnSelection(raw(prefix + toSnakeCase(column.name)), readerOf(column)),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of the table's columns
  return Object.fromEntries(columns) as ColumnsOf<Table>;
}

function readerOf(column: Column): Reader<unknown> {
  const reader = valueReaderOf(column);
  return column.notNull ? reader : nullable(reader);
}

function valueReaderOf(column: Column): Reader<unknown> {
  if (column.dataType === "boolean") return readFlag;
  if (column.dataType === "number") return readNumber;
  if (column.enumValues !== undefined) return readOneOf(column.enumValues);
  if (column.dataType === "string") return readText;
  return (value, name) => column.mapFromDriverValue(readText(value, name));
}

/** Some of these fields. */
export function pick<Fields extends object, const Name extends keyof Fields & string>(
  fields: Fields,
  ...names: Name[]
): Pick<Fields, Name> {
  const entries = names.map((name) => [name, fields[name]]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of exactly these fields
  return Object.fromEntries(entries) as Pick<Fields, Name>;
}

/** An expression that is not a column: SQL of the program, as in `raw`. */
type Expression = string | Sql;

const computed = <Value>(expression: Expression, reader: Reader<Value>): ColumnSelection<Value> =>
  new ColumnSelection(typeof expression === "string" ? raw(expression) : expression, reader);

/** Reads a value that a condition keeps from being null. */
export const notNull = <Value>({ sql: expression, read: reader }: ColumnSelection<Value | null>) =>
  new ColumnSelection(
    expression,
    (value, name): NonNullable<Value> => reader(value, name) ?? refuse(value, name, "present"),
  );

/** Reads a value or null, as of an outer join that found no row. */
export const orNull = <Value>({ sql: expression, read: reader }: ColumnSelection<Value>) =>
  new ColumnSelection(expression, nullable(reader));

/** The given fields of a row, with the names of their columns. */
const entriesOf = (table: SQLiteTable, row: Record<string, unknown>) =>
  Object.entries(getTableColumns(table))
    .filter(([name]) => row[name] !== undefined)
    .map(([name, column]) => ({ name: raw(toSnakeCase(column.name)), value: row[name] }));

/** `name = ?` for each given field. */
export function assignSql<Table extends SQLiteTable>(
  table: Table,
  change: Partial<{
    [Name in keyof Table["$inferSelect"]]: Table["$inferSelect"][Name] | undefined;
  }>,
): Sql {
  const parts = entriesOf(table, change).map(({ name, value }) => sql`${name} = ${value}`);
  return joinSql(parts, ", ");
}

type Written = <Table extends SQLiteTable>(table: Table, row: Table["$inferInsert"]) => Sql;

const insertion =
  (parts: (names: Sql, given: Sql) => Sql): Written =>
  (table, row) => {
    const entries = entriesOf(table, row);
    const names = entries.map(({ name }) => name);
    const cells = entries.map(({ value }) => sql`${value}`);
    return parts(joinSql(names, ", "), joinSql(cells, ", "));
  };

/** `(name, …) values (?, …)` of a row. */
export const values = insertion((names, list) => sql`(${names}) values (${list})`);

/** `(name, …) select ?, …` of a row that is inserted on a condition. */
export const rowAsSelect = insertion((names, list) => sql`(${names}) select ${list}`);

/** How fields of a JSON list's items `m` are written: columns, values, and what an upsert sets. */
export function namedColumns<Table extends SQLiteTable>(
  _of: Table,
  ...names: (keyof Table["$inferSelect"] & string)[]
): { columns: Sql; values: Sql; excluded: Sql } {
  const columns = names.map(toSnakeCase);
  return {
    columns: raw(columns.join(", ")),
    values: raw(names.map((name) => `m.value ->> '${name}'`).join(", ")),
    excluded: raw(columns.map((column) => `${column} = excluded.${column}`).join(", ")),
  };
}

const readText: Reader<string> = (value, name) =>
  typeof value === "string" ? value : refuse(value, name, "a text");
export const text = (expression: Expression) => computed(expression, readText);

const readNumber: Reader<number> = (value, name) =>
  typeof value === "number" ? value : refuse(value, name, "a number");
export const number = (expression: Expression) => computed(expression, readNumber);

const readFlag: Reader<boolean> = (value, name) =>
  value === 0 || value === 1 ? value === 1 : refuse(value, name, "0 or 1");
/** SQLite's 0 and 1. */
export const flag = (expression: Expression) => computed(expression, readFlag);

const nullable =
  <Value>(reader: Reader<Value>): Reader<Value | null> =>
  (value, name) =>
    value === null ? null : reader(value, name);

function readOneOf<const Value extends string>(values: readonly Value[]): Reader<Value> {
  const byName = new Map<unknown, Value>(values.map((value) => [value, value]));
  return (value, name) => byName.get(value) ?? refuse(value, name, `one of ${values.join(", ")}`);
}
export const oneOf = <const Value extends string>(
  values: readonly Value[],
  expression: Expression,
) => computed(expression, readOneOf(values));

/** A JSON text validated by a schema. */
export const json = <Value>(schema: { parse: (given: unknown) => Value }, expression: Expression) =>
  computed(expression, (value, name) => schema.parse(JSON.parse(readText(value, name))));

/** The value is not part of the message: it may be a secret. */
function refuse(value: unknown, name: string, expected: string): never {
  const kind = value === null ? "null" : typeof value;
  throw new TypeError(`column ${name} of a database row is not ${expected}, but ${kind}`);
}

/** To be among what an update sets: two changes within a millisecond differ. */
export const UPDATED = raw(
  "updated_at = max(updated_at + 1, cast(unixepoch('subsec') * 1000 as integer))",
);
