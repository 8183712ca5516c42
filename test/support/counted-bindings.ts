import type { Env } from "../../src/env.ts";

/** Every call that leaves the isolate, in order: `D1 batch`, `RATE_WINDOW take`, … */
export type RoundTrips = string[];

const D1_CALLS = new Set(["first", "run", "all", "raw"]);

/** The bindings, each writing down when it is called. */
export function countedBindings(env: Env): { env: Env; trips: RoundTrips } {
  const trips: RoundTrips = [];
  const counted = {
    ...env,
    DB: countedDatabase(env.DB, trips),
    RATE_WINDOW: countedNamespace("RATE_WINDOW", env.RATE_WINDOW, trips),
    RAG_INDEX: countedNamespace("RAG_INDEX", env.RAG_INDEX, trips),
    CLOCK: countedNamespace("CLOCK", env.CLOCK, trips),
    DRIVE_DEBOUNCE: countedNamespace("DRIVE_DEBOUNCE", env.DRIVE_DEBOUNCE, trips),
  };
  return { env: counted, trips };
}

type Method = (...args: unknown[]) => unknown;

/** Statements that were prepared here, and the platform's own behind them. */
const originals = new WeakMap<object, D1PreparedStatement>();

function countedDatabase(database: D1Database, trips: RoundTrips): D1Database {
  return new Proxy(database, {
    get(target, name) {
      if (name === "prepare") {
        return (sql: string) => countedStatement(target.prepare(sql), trips);
      }
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          trips.push("D1 batch");
          return await target.batch(statements.map((one) => originals.get(one) ?? one));
        };
      }
      return Reflect.get(target, name) as unknown;
    },
  });
}

function countedStatement(statement: D1PreparedStatement, trips: RoundTrips): D1PreparedStatement {
  const proxy = new Proxy(statement, {
    get(target, name) {
      if (name === "bind") {
        return (...values: unknown[]) => countedStatement(target.bind(...values), trips);
      }
      const method = Reflect.get(target, name) as Method;
      if (!D1_CALLS.has(String(name))) return method;
      return (...args: unknown[]) => {
        trips.push(`D1 ${String(name)}`);
        return Reflect.apply(method, target, args);
      };
    },
  });
  originals.set(proxy, statement);
  return proxy;
}

function countedNamespace<Namespace extends DurableObjectNamespace>(
  binding: string,
  namespace: Namespace,
  trips: RoundTrips,
): Namespace {
  const countedStub = (stub: object) =>
    new Proxy(stub, {
      get(target, name) {
        const method = Reflect.get(target, name) as Method;
        return (...args: unknown[]) => {
          trips.push(`${binding} ${String(name)}`);
          return Reflect.apply(method, target, args);
        };
      },
    });
  return new Proxy(namespace, {
    get(target, name) {
      const method = Reflect.get(target, name) as Method;
      if (name !== "get" && name !== "getByName") return method.bind(target);
      return (...args: unknown[]) => countedStub(Reflect.apply(method, target, args) as object);
    },
  });
}
