import type { Reads } from "./client.ts";

/**
 * A statement in SQL. Work on many rows at once is written by hand: lists travel as one JSON
 * parameter, and a batch of files costs as few statements as one file.
 */
export type Statement = { sql: string; parameters: (string | number | null)[] };

/** Positional parameters `?1`, `?2`, …; booleans become 0 and 1, objects JSON. */
export function statement(sql: string, ...parameters: unknown[]): Statement {
  return { sql, parameters: parameters.map(bindable) };
}

function bindable(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return JSON.stringify(value);
}

/** All or nothing, one round trip; the rows of each statement, `returning` included. */
export async function runBatch(db: Reads, statements: Statement[]): Promise<unknown[][]> {
  if (statements.length === 0) return [];
  const { $client } = db;
  const prepared = statements.map(({ sql, parameters }) =>
    $client.prepare(sql).bind(...parameters),
  );
  const results = await $client.batch(prepared);
  return results.map(({ results: rows }) => rows);
}

/** The rows of one statement. `Row` says what its columns are named in the SQL. */
export async function runOne<Row>(db: Reads, one: Statement): Promise<Row[]> {
  const [rows] = await runBatch(db, [one]);
  return (rows ?? []) as Row[];
}
