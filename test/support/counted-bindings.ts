import type { Env } from "../../src/env.ts";
import { intercepted } from "./intercepted.ts";

/** Every call that leaves the isolate, in order: `D1 batch`, `RATE_WINDOW take`, … */
type RoundTrips = string[];

/** One call that left the isolate, with what it is billed by. */
export type Operation = {
  /** Name of the binding; `D1` and `R2` for the database and the bucket. */
  binding: string;
  name: string;
  /** D1: what its session began with, and which read of it this is, from 1; empty without one. */
  session: string;
  /** Operations that had ended when this one began, by their numbers. */
  after: number[];
  hasEnded: boolean;
  /** D1: rows as it reports them. */
  rowsRead: number;
  rowsWritten: number;
  /** Messages of a queue, vectors of Vectorize, texts of a model. */
  size: number;
  /** Characters of text that a model was sent. */
  characters: number;
};

export type Counted = { env: Env; trips: RoundTrips; operations: Operation[] };

/** Nobody waits for a queue or for the request log before an answer. */
const NO_TRIPS = new Set(["SCAN_QUEUE", "INDEX_QUEUE", "USAGE_QUEUE", "REQUEST_RECORDS"]);

/**
 * The bindings, each writing down when it is called. With `delayMs` no call ends before nothing was
 * called for that long and no other call is under way: what runs side by side ends together, however
 * slow the machine is, and `after` tells who waited for whom.
 */
export function countedBindings(env: Env, options: { delayMs?: number } = {}): Counted {
  const log = new OperationLog(options.delayMs ?? 0);
  const countedEnv: Env = {
    ...env,
    DB: countedDatabase(env.DB, log),
    FILES: countedMethods(env.FILES, "R2", log),
    OAUTH_KV: countedMethods(env.OAUTH_KV, "OAUTH_KV", log),
    RATE_WINDOW: countedNamespace("RATE_WINDOW", env.RATE_WINDOW, log),
    REQUEST_RECORDS: countedNamespace("REQUEST_RECORDS", env.REQUEST_RECORDS, log),
    RAG_INDEX: countedNamespace("RAG_INDEX", env.RAG_INDEX, log),
    SPENDING_LEDGER: countedNamespace("SPENDING_LEDGER", env.SPENDING_LEDGER, log),
    CLOCK: countedNamespace("CLOCK", env.CLOCK, log),
    DRIVE_DEBOUNCE: countedNamespace("DRIVE_DEBOUNCE", env.DRIVE_DEBOUNCE, log),
    EVENT_SENDER: countedNamespace("EVENT_SENDER", env.EVENT_SENDER, log),
    SCAN_QUEUE: countedMethods(env.SCAN_QUEUE, "SCAN_QUEUE", log),
    INDEX_QUEUE: countedMethods(env.INDEX_QUEUE, "INDEX_QUEUE", log),
    USAGE_QUEUE: countedMethods(env.USAGE_QUEUE, "USAGE_QUEUE", log),
  };
  if (env.VECTORIZE !== undefined) {
    countedEnv.VECTORIZE = countedMethods(env.VECTORIZE, "VECTORIZE", log);
  }
  if (env.AI !== undefined) countedEnv.AI = countedMethods(env.AI, "AI", log);
  return { env: countedEnv, trips: log.trips, operations: log.operations };
}

/** Calls that had to follow one another: the longest chain of those that had ended by the answer. */
export function roundsOf(operations: readonly Operation[]): number {
  const depths: number[] = [];
  for (const { after } of operations) {
    depths.push(1 + Math.max(0, ...after.map((at) => depths[at] ?? 0)));
  }
  return Math.max(0, ...depths.filter((_, at) => operations[at]?.hasEnded === true));
}

class OperationLog {
  readonly operations: Operation[] = [];
  readonly trips: RoundTrips = [];
  readonly #delayMs: number;
  #running = 0;
  #waiting: (() => void)[] = [];
  #release: ReturnType<typeof setTimeout> | undefined;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  async run(
    binding: string,
    name: string,
    args: unknown[],
    call: () => unknown,
    factsOf: (result: unknown) => Partial<Operation> = () => ({}),
  ): Promise<unknown> {
    const after = this.operations.flatMap(({ hasEnded }, at) => (hasEnded ? [at] : []));
    const facts = { session: "", rowsRead: 0, rowsWritten: 0, ...sizesOf(args) };
    const operation: Operation = { binding, name, after, hasEnded: false, ...facts };
    this.operations.push(operation);
    if (!NO_TRIPS.has(binding)) this.trips.push(`${binding} ${name}`);
    this.#running += 1;
    try {
      const result = await call();
      Object.assign(operation, factsOf(result));
      return result;
    } finally {
      this.#running -= 1;
      if (this.#delayMs > 0) await this.#untilOthersEnd();
      operation.hasEnded = true;
    }
  }

  #untilOthersEnd(): Promise<void> {
    clearTimeout(this.#release);
    this.#release = setTimeout(() => {
      // Whichever is under way begins this wait anew when it ends.
      if (this.#running > 0) return;
      for (const end of this.#waiting.splice(0)) end();
    }, this.#delayMs);
    return new Promise((end) => this.#waiting.push(end));
  }
}

/** How much a call carries, by the forms of the bindings that are counted here. */
function sizesOf(args: unknown[]): { size: number; characters: number } {
  const [first, second] = args;
  if (Array.isArray(first)) return { size: first.length, characters: 0 };
  const inputs = second as { text?: string[]; contexts?: { text: string }[]; query?: string };
  const texts = inputs?.text ?? inputs?.contexts?.map(({ text }) => text + inputs.query) ?? [];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return { size: Math.max(1, texts.length), characters };
}

type Method = (...args: unknown[]) => unknown;

const D1_CALLS = new Set(["first", "run", "all", "raw"]);
/** Statements that were prepared here, and the platform's own behind them. */
const originals = new WeakMap<object, D1PreparedStatement>();

const rowsOf = (session: string) => (result: unknown) => ({ session, ...rowsIn(result) });

function rowsIn(result: unknown): Partial<Operation> {
  const results = (Array.isArray(result) ? result : [result]) as Partial<D1Result>[];
  const sum = (key: "rows_read" | "rows_written") =>
    results.reduce((total, entry) => total + (entry?.meta?.[key] ?? 0), 0);
  return { rowsRead: sum("rows_read"), rowsWritten: sum("rows_written") };
}

type Queried = Pick<D1Database, "prepare" | "batch">;

/** A session of D1, or the database itself, and how its calls are written down. */
type Counting = { log: OperationLog; nextSession: () => string };

function countedDatabase(database: D1Database, log: OperationLog): D1Database {
  return countedQueries(database, { log, nextSession: () => "" });
}

function countedQueries<Of extends Queried>(client: Of, counting: Counting): Of {
  const { log, nextSession } = counting;
  return new Proxy(client, {
    get(target, name) {
      if (name === "prepare") {
        return (sql: string) => countedStatement(target.prepare(sql), counting);
      }
      if (name === "batch") {
        return (statements: D1PreparedStatement[]) => {
          const own = statements.map((statement) => originals.get(statement) ?? statement);
          const rows = rowsOf(nextSession());
          return log.run("D1", "batch", [own], () => target.batch(own), rows);
        };
      }
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function") return value;
      if (name !== "withSession") return (value as Method).bind(target);
      return (constraint: string) => {
        let reads = 0;
        const nextSession = () => `${constraint} ${++reads}`;
        return countedQueries((value as Method).call(target, constraint) as Queried, {
          log,
          nextSession,
        });
      };
    },
  });
}

function countedStatement(statement: D1PreparedStatement, counting: Counting): D1PreparedStatement {
  const { log, nextSession } = counting;
  const proxy = new Proxy(statement, {
    get(target, name) {
      if (name === "bind") {
        return (...values: unknown[]) => countedStatement(target.bind(...values), counting);
      }
      const method = Reflect.get(target, name) as Method;
      if (!D1_CALLS.has(String(name))) return method;
      return (...args: unknown[]) => {
        const rows = rowsOf(nextSession());
        return log.run("D1", String(name), [], () => Reflect.apply(method, target, args), rows);
      };
    },
  });
  originals.set(proxy, statement);
  return proxy;
}

/** Every method of a binding that is called with plain arguments and gives a promise. */
function countedMethods<Binding extends object>(
  binding: Binding,
  label: string,
  log: OperationLog,
): Binding {
  return intercepted(binding, ({ name, args, go }) => log.run(label, name, args, go));
}

function countedNamespace<Namespace extends DurableObjectNamespace>(
  binding: string,
  namespace: Namespace,
  log: OperationLog,
): Namespace {
  return new Proxy(namespace, {
    get(target, name) {
      const method = Reflect.get(target, name) as Method;
      if (name !== "get" && name !== "getByName") return method.bind(target);
      return (...args: unknown[]) =>
        countedMethods(Reflect.apply(method, target, args) as object, binding, log);
    },
  });
}
