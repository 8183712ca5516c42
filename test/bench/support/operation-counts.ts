import type { Operation } from "../../support/counted-bindings.ts";
import type { Told } from "./round-trips-worker.ts";
import { medianOf } from "./time-calls.ts";

/** Operations that one event, or one of many alike, asked for; units as they are billed. */
export type Counts = {
  /** Calls one after the other until the answer: of most of them, where they are many. */
  rounds: number;
  d1Calls: number;
  d1RowsRead: number;
  d1RowsWritten: number;
  objectCalls: number;
  objectRowsRead: number;
  objectRowsWritten: number;
  vectorQueries: number;
  vectorWrites: number;
  modelCalls: number;
  modelCharacters: number;
  queueMessages: number;
  r2Writes: number;
  r2Reads: number;
  /** Executions of the Worker: the request itself, and its share of batches. */
  executions: number;
};

const OBJECTS = new Set([
  "RATE_WINDOW",
  "REQUEST_RECORDS",
  "RAG_INDEX",
  "CLOCK",
  "DRIVE_DEBOUNCE",
  "SPENDING_LEDGER",
  "EVENT_SENDER",
]);
/** Class A operations of R2; all others are class B. */
const R2_WRITES = new Set(["put", "list", "createMultipartUpload", "delete"]);

/** The sums over everything told, divided by the number of equal events behind it. */
export function countsOf({ recorded, rows }: Told, event: string, times = 1): Counts {
  const operations = recorded.flatMap((record) => record.operations);
  const own = recorded.filter((record) => record.event === event);
  const sum = (amountOf: (operation: Operation) => number) =>
    operations.reduce((total, operation) => total + amountOf(operation), 0) / times;
  const count = (matches: (operation: Operation) => boolean) =>
    sum((operation) => (matches(operation) ? 1 : 0));
  const isD1 = ({ binding }: Operation) => binding === "D1";
  return {
    // The first of many equal calls waits for more than the others.
    rounds: medianOf(own.map(({ rounds }) => rounds)),
    d1Calls: count(isD1),
    d1RowsRead: sum(({ rowsRead }) => rowsRead),
    d1RowsWritten: sum(({ rowsWritten }) => rowsWritten),
    objectCalls: count(({ binding }) => OBJECTS.has(binding)),
    objectRowsRead: rows.read / times,
    objectRowsWritten: rows.written / times,
    vectorQueries: count(({ binding, name }) => binding === "VECTORIZE" && name === "query"),
    vectorWrites: sum((operation) =>
      operation.binding === "VECTORIZE" && operation.name === "upsert" ? operation.size : 0,
    ),
    modelCalls: count(({ binding }) => binding === "AI"),
    modelCharacters: sum(({ characters }) => characters),
    queueMessages: sum(({ binding, size }) => (binding.endsWith("_QUEUE") ? size : 0)),
    r2Writes: count(({ binding, name }) => binding === "R2" && R2_WRITES.has(name)),
    r2Reads: count(({ binding, name }) => binding === "R2" && !R2_WRITES.has(name)),
    executions: recorded.length / times,
  };
}
