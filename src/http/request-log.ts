import type { CallNotes } from "../core/calls/call-record.ts";
import type { Fact, Log, LogFacts } from "../core/log.ts";

type Parts = Record<string, Record<string, Fact>>;
type RecordCall = (notes: CallNotes, isFirst: boolean) => void;

/**
 * The log of one request. What goes well stands in the request's own line, because each line has
 * a price: the first `info` of each event is a part of it. Warnings, errors and what comes after
 * that line, or a second time, are lines of their own.
 */
export class RequestLog implements Log {
  readonly #log: Log;
  readonly #parts: Parts = {};
  readonly #notes: CallNotes = {};
  /** Null until the request's line. */
  #record: RecordCall | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  info(event: string, facts: Record<string, Fact> = {}): void {
    if (this.#record !== null || event in this.#parts) this.#log.info(event, facts);
    else this.#parts[event] = facts;
  }

  warn(event: string, facts?: LogFacts): void {
    this.#log.warn(event, facts);
  }

  error(event: string, facts?: LogFacts): void {
    this.#log.error(event, facts);
  }

  with(facts: LogFacts): Log {
    return this.#log.with(facts);
  }

  note({ legs, ...notes }: CallNotes): void {
    Object.assign(this.#notes, notes, { legs: { ...this.#notes.legs, ...legs } });
    this.#record?.(this.#notes, false);
  }

  /**
   * The request's line, once: a caller who hung up has one before the work ends. The call is
   * recorded for the request log then, and again with what a stream notes later.
   */
  end(event: string, facts: LogFacts, record: RecordCall): void {
    if (this.#record !== null) return;
    this.#log.info(event, { ...facts, ...this.#parts });
    this.#record = record;
    record(this.#notes, true);
  }
}
