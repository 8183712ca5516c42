import type { Fact, Log, LogFacts } from "../core/log.ts";

type Parts = Record<string, Record<string, Fact>>;

/**
 * The log of one request. What goes well is told in the request's own line, because each line has
 * a price: the first `info` of each event is a part of it. Warnings, errors and what comes after
 * that line, or a second time, are lines of their own.
 */
export class RequestLog implements Log {
  readonly #log: Log;
  #parts: Parts | null = {};

  constructor(log: Log) {
    this.#log = log;
  }

  info(event: string, facts: Record<string, Fact> = {}): void {
    if (this.#parts === null || event in this.#parts) this.#log.info(event, facts);
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

  /** The request's line, once: a caller who hung up has one before the work ends. */
  end(event: string, facts: LogFacts): void {
    if (this.#parts === null) return;
    this.#log.info(event, { ...facts, ...this.#parts });
    this.#parts = null;
  }
}
