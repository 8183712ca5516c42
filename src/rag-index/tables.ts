import type { ChunkId, FileId, VectorId } from "../core/ids.ts";
import { bindable } from "../core/sql-value.ts";
import { toBatches } from "../core/work/batches.ts";
import type { IndexFacts } from "../ports/rag-index.ts";

/** A column's SQL, and the type of what is read from it. */
type Column<Value> = { sql: string; value?: Value };

const key = (more = ""): Column<number> => ({ sql: `INTEGER PRIMARY KEY${more}` });
const integer = (more = " DEFAULT 0"): Column<number> => ({ sql: `INTEGER NOT NULL${more}` });
const text = <Value extends string = string>(more = ""): Column<Value> => {
  return { sql: `TEXT NOT NULL${more}` };
};
const blob = (): Column<ArrayBuffer> => ({ sql: "BLOB NOT NULL" });
const integerOrNull = (): Column<number | null> => ({ sql: "INTEGER" });
const textOrNull = (): Column<string | null> => ({ sql: "TEXT" });

/** `staging`: nothing is live yet. `removed`: the row stays, to refuse work of older revisions. */
export type FileState = "staging" | "live" | "removed";

/** `chunks.live` of a chunk that no search finds yet, but whose words are indexed already. */
export const PREPARED = 2;
/** `chunks.live` of a chunk that no search finds any more: a step of maintenance deletes it. */
export const LEFT = 3;

/** Every column of an index object's tables, but those of its FTS index. */
const TABLES = {
  files: {
    file: key(),
    id: text<FileId>(" UNIQUE"),
    revision: integer(""),
    state: text<FileState>(" CHECK (state IN ('staging', 'live', 'removed'))"),
    hidden: integer(),
    chunk_count: integer(),
    path: text(" DEFAULT ''"),
    name: text(" DEFAULT ''"),
    external_id: textOrNull(),
    url: textOrNull(),
    ancestors: text(" DEFAULT '[]'"),
    modified_at: integer(),
    audience: integer(),
    readers_revision: integer(),
    readers_from: integer(),
  },
  audiences: { audience: key(), id: text(" UNIQUE") },
  audience_members: { principal: text(), audience: integer("") },
  file_metadata: { field: text(), value: text(), file: integer("") },
  chunks: {
    chunk: key(" AUTOINCREMENT"),
    id: text<ChunkId>(" UNIQUE"),
    file: integer(""),
    live: integer(),
    revision: integer(""),
    duplicate: integer(),
    duplicate_key: text(),
    position: integer(),
    headings: text(" DEFAULT '[]'"),
    languages: text(" DEFAULT ''"),
    page: integerOrNull(),
    start_at: integer(),
    end_at: integer(),
    recognised: integer(),
    is_named: integer(),
  },
  // A vector of 1,024 dimensions alone fills half a page, and no second one fits beside it.
  contents: { chunk: key(), vector: blob(), text: text() },
  sign_codes: { chunk: key(), code: blob() },
  in_flight_vectors: {
    chunk: key(),
    live: integer(),
    batch: integerOrNull(),
    sent_at: integer(),
    seen_at: integerOrNull(),
    folder: text(" DEFAULT ''"),
  },
  vector_tombstones: { id: text<VectorId>(), due_at: integer(), removed: integer() },
  vector_folders: { file: integer(""), folder: text(), stale: integer(), queued: integer() },
  totals: {
    one: key(" CHECK (one = 1)"),
    chunks: integer(""),
    files: integer(""),
    hidden_files: integer(""),
    staged: integer(""),
    tombstones: integer(""),
  },
  /** Left out of search: `file` by its path, `passage` by its duplicate key. */
  exclusions: { kind: text<"file" | "passage">(), value: text() },
  settings: { name: text(), value: text() },
  term_counts: { one: key(" CHECK (one = 1)"), counts: blob() },
  term_changes: { change: key(), sign: integer(""), slots: blob() },
} as const;

/** Tables that are stored by a key of their own, in place of a row number. */
const KEYS: Partial<Record<Table, string>> = {
  file_metadata: "field, value, file",
  audience_members: "principal, audience",
  vector_tombstones: "id",
  vector_folders: "file, folder",
  exclusions: "kind, value",
  settings: "name",
};

type Table = keyof typeof TABLES;
type Columns<Of extends Table> = (typeof TABLES)[Of];

/** Some columns of a table's row, as they are read. */
export type Row<Of extends Table, Names extends keyof Columns<Of>> = {
  [Name in Names]: Columns<Of>[Name] extends Column<infer Value extends SqlStorageValue>
    ? Value
    : never;
};

export const CREATE_TABLES = Object.entries<Record<string, Column<unknown>>>(TABLES)
  .map(([table, columns]) => {
    const lines = Object.entries(columns).map(([name, { sql }]) => `${name} ${sql}`);
    const own = Object.entries(KEYS).find(([name]) => name === table)?.[1];
    if (own !== undefined) lines.push(`PRIMARY KEY (${own})`);
    return `CREATE TABLE ${table} (${lines.join(", ")}) STRICT${own === undefined ? "" : ", WITHOUT ROWID"};`;
  })
  .join("\n");

/** Rows of one table with these columns; `rest`: what follows its name. */
export function select<Of extends Table, Names extends keyof Columns<Of> & string>(
  sql: SqlStorage,
  table: Of,
  columns: Names[],
  rest = "",
  ...bindings: SqlStorageValue[]
): Row<Of, Names>[] {
  const query = `SELECT ${columns.join(", ")} FROM ${table} ${rest}`;
  return sql.exec<Row<Of, Names>>(query, ...bindings).toArray();
}

type BoundValue = SqlStorageValue | Uint8Array | boolean | readonly unknown[];
type Template<Result> = (texts: TemplateStringsArray, ...values: BoundValue[]) => Result;
type SqlRow = Record<string, SqlStorageValue>;

/** One string each: SQLite's prepared statements are found faster by the same one. */
const queries = new WeakMap<TemplateStringsArray, string>();

function queryOf(texts: TemplateStringsArray): string {
  const query = queries.get(texts) ?? texts.join("?");
  queries.set(texts, query);
  return query;
}

/** Runs a statement; values become parameters: flags as 0 and 1, lists as JSON. */
export const run =
  <Of extends SqlRow>(sql: SqlStorage): Template<SqlStorageCursor<Of>> =>
  (texts, ...values) =>
    sql.exec<Of>(queryOf(texts), ...values.map(bindable));

/** The rows of a statement, those of `RETURNING` included. */
export const rowsOf =
  <Of extends SqlRow>(sql: SqlStorage): Template<Of[]> =>
  (...template) =>
    run<Of>(sql)(...template).toArray();

/** The first column of each row. */
export const valuesOf =
  <Value extends SqlStorageValue>(sql: SqlStorage): Template<Value[]> =>
  (...template) =>
    Array.from(run(sql)(...template).raw<[Value]>(), ([value]) => value);

/** Reads the value of the first row; null where there is none. */
export const valueOf =
  <Value extends SqlStorageValue>(sql: SqlStorage): Template<Value | null> =>
  (...template) =>
    valuesOf<Value>(sql)(...template)[0] ?? null;

export const chunksOf = (rows: { chunk: number }[]): number[] => rows.map(({ chunk }) => chunk);

export type Totals = IndexFacts & { hiddenFiles: number };

/** Counters updated by every change, so that reading them costs one row. */
export function readTotals(sql: SqlStorage): Totals {
  return run<Totals>(sql)`SELECT chunks, files, hidden_files AS hiddenFiles, staged, tombstones
    FROM totals`.one();
}

/** Adds to the counters; omitted ones stay. */
export function addToTotals(sql: SqlStorage, change: Partial<Totals>): void {
  const { chunks = 0, files = 0, hiddenFiles = 0, staged = 0, tombstones = 0 } = change;
  run(sql)`UPDATE totals SET chunks = chunks + ${chunks}, files = files + ${files},
    hidden_files = hidden_files + ${hiddenFiles}, staged = staged + ${staged},
    tombstones = tombstones + ${tombstones}`;
}

/** A value of the index object as a whole; null: never set. */
export const readSetting = (sql: SqlStorage, name: string): string | null =>
  valueOf<string>(sql)`SELECT value FROM settings WHERE name = ${name}`;

export function writeSetting(sql: SqlStorage, name: string, value: string): void {
  run(sql)`INSERT OR REPLACE INTO settings (name, value) VALUES (${name}, ${value})`;
}

/** Marks that are absent where they are false. */
export const marksOf = ({ is_named, recognised }: Row<"chunks", "is_named" | "recognised">) => ({
  ...(is_named === 1 && { isNamed: true as const }),
  ...(recognised === 1 && { recognised: true as const }),
});

/** A list of strings as a column holds it. */
export function stringsIn(json: string): string[] {
  const list: unknown = JSON.parse(json);
  if (!Array.isArray(list)) throw new TypeError("a list of strings was expected");
  return list.map(String);
}

type Content = { chunk: number; vector: Uint8Array; text: string };

export const insertContents = (sql: SqlStorage, chunks: Content[]): void =>
  insertRows(
    sql,
    "contents (chunk, vector, text)",
    chunks.map(({ chunk, vector, text }) => [chunk, vector, text]),
  );

/** A statement of a Durable Object's storage has at most so many. */
const PARAMETERS = 100;

/** Inserts rows of equally many values with few statements. `into`: the table and its columns. */
export function insertRows(
  sql: SqlStorage,
  into: string,
  rows: (SqlStorageValue | Uint8Array)[][],
): void {
  const width = rows[0]?.length ?? 1;
  const row = `(${Array.from({ length: width }, () => "?").join(", ")})`;
  for (const batch of toBatches(rows, Math.floor(PARAMETERS / width))) {
    const values = batch.map(() => row).join(", ");
    sql.exec(`INSERT INTO ${into} VALUES ${values}`, ...batch.flat());
  }
}
