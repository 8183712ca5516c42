import type { Reads } from "./client.ts";
import type { RowReader } from "./columns.ts";

/**
 * A SQL statement. Bulk operations are hand-written: lists are passed as one JSON parameter, so
 * that a batch of files takes as few statements as one file.
 */
export type Statement<Row = Record<string, unknown>> = {
  sql: string;
  parameters: (string | number | null)[];
  read: RowReader<Row>;
};

/**
 * A statement without result rows, or whose rows are read later. Positional parameters `?1`, `?2`,
 * …; booleans become 0 and 1, objects JSON.
 */
export function statement(sql: string, ...parameters: unknown[]): Statement {
  return query((row) => row, sql, ...parameters);
}

/** A statement whose rows, those of `returning` included, are validated by `read`. */
export function query<Row>(
  read: RowReader<Row>,
  sql: string,
  ...parameters: unknown[]
): Statement<Row> {
  return { sql, parameters: parameters.map(bindable), read };
}

function bindable(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return JSON.stringify(value);
}

type RowsOf<Statements extends readonly Statement<unknown>[]> = {
  -readonly [Index in keyof Statements]: Statements[Index] extends Statement<infer Row>
    ? Row[]
    : never;
};

/** Statements of the same transaction whose rows nobody reads. */
export type Around = { before: Statement[]; after: Statement[] };

/** Runs all or none in one round trip; returns the rows of each statement. */
export async function runBatch<const Statements extends readonly Statement<unknown>[]>(
  db: Reads,
  statements: Statements,
  { before, after }: Around = { before: [], after: [] },
): Promise<RowsOf<Statements>> {
  const { $client } = db;
  const prepared = [...before, ...statements, ...after].map(({ sql, parameters }) =>
    $client.prepare(sql).bind(...parameters),
  );
  const results =
    prepared.length === 0 ? [] : await $client.batch<Record<string, unknown>>(prepared);
  const rows = statements.map(({ read }, at) =>
    (results[before.length + at]?.results ?? []).map(read),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each read by its own statement
  return rows as RowsOf<Statements>;
}

/** The rows of one statement. */
export async function allRows<Row>(db: Reads, one: Statement<Row>): Promise<Row[]> {
  const [rows] = await runBatch(db, [one]);
  return rows;
}

/** Runs one statement; its rows, where it returns some, are not read. */
export const execute = (db: Reads, sql: string, ...parameters: unknown[]) =>
  allRows(db, statement(sql, ...parameters));

/** Runs one statement and reads its rows, those of `returning` included. */
export const readRows = <Row>(
  db: Reads,
  read: RowReader<Row>,
  sql: string,
  ...parameters: unknown[]
): Promise<Row[]> => allRows(db, query(read, sql, ...parameters));

/** The first row of one statement; null when there is none. */
export async function readRow<Row>(
  db: Reads,
  read: RowReader<Row>,
  sql: string,
  ...parameters: unknown[]
): Promise<Row | null> {
  const [first] = await readRows(db, read, sql, ...parameters);
  return first ?? null;
}
