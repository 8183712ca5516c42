import { inBatches } from "../../core/work/batches.ts";

type Content = { chunk: number; vector: Uint8Array; text: string };

export const insertContents = (sql: SqlStorage, chunks: Content[]): void =>
  insertRows(
    sql,
    "contents (chunk, vector, text)",
    chunks.map(({ chunk, vector, text }) => [chunk, vector, text]),
  );

/** A statement of a Durable Object's storage has at most so many. */
const PARAMETERS = 100;

/**
 * Inserts rows of equally many values with few statements: one for each row takes more time than
 * SQLite takes to store it. `into`: the table and its columns.
 */
export function insertRows(
  sql: SqlStorage,
  into: string,
  rows: (SqlStorageValue | Uint8Array)[][],
): void {
  const width = rows[0]?.length ?? 1;
  const row = `(${Array.from({ length: width }, () => "?").join(", ")})`;
  for (const batch of inBatches(rows, Math.floor(PARAMETERS / width))) {
    const values = batch.map(() => row).join(", ");
    sql.exec(`INSERT INTO ${into} VALUES ${values}`, ...batch.flat());
  }
}
