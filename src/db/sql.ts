import { bindable } from "../core/sql-value.ts";
import { splitBySize } from "../core/work/batches.ts";

type StoredRow = Record<string, unknown>;
type RowReader<Row> = (row: StoredRow) => Row;

/** Columns for a template, and how its rows are read. */
export class Selection<Row> {
  readonly sql: Sql;
  readonly read: RowReader<Row>;
  constructor(columns: Sql, reader: RowReader<Row>) {
    this.sql = columns;
    this.read = reader;
  }
}

/** SQL with its parameters: a statement, or a part of one. `Row`: of a statement that selects. */
export class Sql<Row = unknown> {
  /** The values stand between the texts. */
  readonly texts: readonly string[];
  readonly values: readonly unknown[];
  readonly read: RowReader<Row> | null;
  constructor(texts: readonly string[], values: readonly unknown[], reader: RowReader<Row> | null) {
    this.texts = texts;
    this.values = values;
    this.read = reader;
  }
}

/** The rows of a statement with these values: those of its selection, or as they are stored. */
type RowIn<Values extends unknown[]> = [Extract<Values[number], Selection<unknown>>] extends [never]
  ? StoredRow
  : Extract<Values[number], Selection<unknown>> extends Selection<infer Row>
    ? Row
    : never;

/** Values become parameters; other SQL and selections become part of the text. */
export function sql<Values extends unknown[]>(
  strings: readonly string[],
  ...values: Values
): Sql<RowIn<Values>> {
  const texts: string[] = [];
  const parameters: unknown[] = [];
  let text = strings[0] ?? "";
  for (const [at, value] of values.entries()) {
    const part = value instanceof Selection ? value.sql : value;
    const isPart = part instanceof Sql;
    for (const [nth, next] of (isPart ? part.texts : VALUE).entries()) {
      if (nth > 0) texts.push(text);
      text = nth > 0 ? next : text + next;
    }
    if (isPart) parameters.push(...part.values);
    else parameters.push(value);
    text += strings[at + 1] ?? "";
  }
  texts.push(text);
  const selection = values.find((value) => value instanceof Selection);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the type of the values says
  const reader = (selection?.read ?? null) as RowReader<RowIn<Values>> | null;
  return new Sql(texts, parameters, reader);
}

/** The texts around a single parameter. */
const VALUE = ["", ""];

/** Text that is part of the program, never of its input. */
export const raw = (text: string): Sql => new Sql([text], [], null);

/** `parts` one after another, with `separator` between them. */
export function joinSql(parts: readonly Sql[], separator: string): Sql {
  const between = parts.map((_, at) => (at === 0 ? "" : separator));
  return sql([...between, ""], ...parts);
}

/** Throws when the value has another type. Functions: a page of 1,000 rows takes under 1 ms. */
export type Reader<Value> = (value: unknown, name: string) => Value;

/** A value of a row: how it is selected, and how it is read. */
export class ColumnSelection<Value> {
  readonly sql: Sql;
  readonly read: Reader<Value>;
  constructor(expression: Sql, reader: Reader<Value>) {
    this.sql = expression;
    this.read = reader;
  }
}

/** The text and its parameters. Equal values share one, so that a long list is sent once. */
function compile({ texts: [begin = "", ...rest], values }: Sql) {
  const numbers = new Map<unknown, number>();
  let text = begin;
  for (const [at, value] of values.entries()) {
    const parameter = bindable(value);
    const number = numbers.get(parameter) ?? numbers.size + 1;
    numbers.set(parameter, number);
    text += `?${number}${rest[at]}`;
  }
  return { text, parameters: [...numbers.keys()] };
}

type RowsOf<Statements extends readonly Sql[]> = {
  -readonly [Index in keyof Statements]: Statements[Index] extends Sql<infer Row> ? Row[] : never;
};

/** Statements of the same transaction whose rows nobody reads. */
export type SurroundingWrites = { before: Sql[]; after: Sql[] };

/** Runs all or none in one round trip; returns the rows of each statement. */
export async function runBatch<const Statements extends readonly Sql[]>(
  { $client, entry, ...reads }: Reads & Pick<Database, "entry">,
  statements: Statements,
  { before, after }: SurroundingWrites = { before: [], after: [] },
): Promise<RowsOf<Statements>> {
  const along = carriedReadsOf(reads);
  const own = [...before, ...statements, ...after];
  const compiled = [...own, ...along.statements].map(compile);
  const place = compiled.findIndex(({ text }) => !READS.test(text)) + 1;
  const carried = entry?.isStored === false && place > 0;
  // It changes a row where the statement before it did: `changes()` in the next one stays true.
  if (carried) compiled.splice(place, 0, compile(entry.statement));
  const prepared = compiled.map(({ text, parameters }) =>
    $client.prepare(text).bind(...parameters),
  );
  // Set before the batch, so that another change of the same time does not carry it, too.
  if (carried) entry.isStored = true;
  const running = prepared.length === 0 ? [] : $client.batch<StoredRow>(prepared);
  const results = await Promise.resolve(running).catch((thrown: unknown) => {
    if (carried) entry.isStored = false;
    throw thrown;
  });
  if (carried) entry.isStored = (results.splice(place, 1)[0]?.meta.changes ?? 0) > 0;
  along.take(results.slice(own.length).map(({ results: rows }) => rows));
  const lists = statements.map(({ read: reader }, at) => {
    const rows = results[before.length + at]?.results ?? [];
    return reader === null ? rows : rows.map(reader);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each read by its own statement
  return lists as RowsOf<Statements>;
}

type Template<Result> = (strings: TemplateStringsArray, ...values: unknown[]) => Result;

const carriedReadsOf = ({ readsToCarry }: Pick<Reads, "readsToCarry">): CarriedReads =>
  readsToCarry?.() ?? { statements: [], take: () => {} };

/** Runs one statement; its rows are not read. */
export const execute =
  (db: Reads): Template<Promise<void>> =>
  async (...template) => {
    await runBatch(db, [sql(...template)]);
  };

/** Whether a statement has rows, those of `returning` included. */
export const hasRows =
  (db: Reads): Template<Promise<boolean>> =>
  async (...template) =>
    (await readRows(db)(...template)).length > 0;

type Values = unknown[];

/** The rows of one statement, those of `returning` included. */
export const readRows =
  (db: Reads) =>
  async <Of extends Values>(...template: [TemplateStringsArray, ...Of]): Promise<RowIn<Of>[]> =>
    (await runBatch(db, [sql(...template)]))[0];

/** The first row of one statement; null when there is none. */
export const readRow =
  (db: Reads) =>
  async <Of extends Values>(...template: [TemplateStringsArray, ...Of]) =>
    (await readRows(db)<Of>(...template))[0] ?? null;

/** The only column of each row. */
export const readValues =
  <Value>(db: Reads, { read: reader }: ColumnSelection<Value>): Template<Promise<Value[]>> =>
  async (...template) =>
    (await readRows(db)(...template)).flatMap((row) =>
      Object.entries(row).map(([name, value]) => reader(value, name)),
    );

/** The only column of the first row; null when there is none. */
export const readValue =
  <Value>(db: Reads, selection: ColumnSelection<Value>): Template<Promise<Value | null>> =>
  async (...template) =>
    (await readValues(db, selection)(...template))[0] ?? null;

/** The row of a statement that has one, as a sum has. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new TypeError("a statement has no row");
  return row;
}

/** A statement that stands behind the first change in its transaction, and asks whether it changed. */
export type CarriedEntry = { statement: Sql; isStored: boolean };

/** The database for writes that are no part of the change: counters of tries. */
export const withoutEntry = ({ $client }: Database): Database => ({ $client });

/** A statement that changes nothing. */
const READS = /^\s*(?:select|with)\b/i;

/** A database that only reads was to be changed. */
export class RehearsalEnd extends Error {}

/** A rehearsal on it ends with its first change, after all checks. @throws RehearsalEnd */
export const withoutWrites = ({ $client }: Database): Database => ({
  $client: Object.assign(Object.create($client), {
    batch: $client.batch.bind($client),
    prepare: (text: string) => {
      if (READS.test(text)) return $client.prepare(text);
      throw new RehearsalEnd(text);
    },
  }),
});

/** The database; `entry`: the entry of the audit trail that its first change carries along. */
export type Database = { $client: D1Database; entry?: CarriedEntry };

/** Reads that go along with others, and what takes their rows. */
export type CarriedReads = { statements: Sql[]; take: (lists: StoredRow[][]) => void };

/** The reads of one request; a `Database` can be used as one, too. */
export type Reads = {
  $client: Pick<D1Database, "prepare" | "batch">;
  readsToCarry?: () => CarriedReads | null;
};

export const openDatabase = (binding: D1Database): Database => ({ $client: binding });

/**
 * One request's reads, as a D1 session that starts at the primary: the first read, of the caller's
 * token or session, sees every revocation. Later reads may use a replica that has caught up with
 * that moment, so they see every change made before the request; without replication all go to the
 * primary. (https://developers.cloudflare.com/d1/best-practices/read-replication/)
 */
export function openReads(binding: D1Database, carried?: Reads["readsToCarry"]): Reads {
  let session: D1DatabaseSession | null = null;
  let batches = 0;
  return {
    // Later reads may be of a replica.
    readsToCarry: () => (batches++ === 0 ? (carried?.() ?? null) : null),
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
  splitBySize(items, { total: MAX_PARAMETER_CHARACTERS }, (item) => JSON.stringify(item).length);
