/** Facts on a span. Never a secret, a query or document text. */
export type SpanFacts = Record<string, string | number | boolean>;

/** Runs work as a named span below the current one, if there is tracing. `note` adds facts. */
export type Trace = <T>(
  name: string,
  work: (note: (facts: SpanFacts) => void) => Promise<T>,
) => Promise<T>;

export const runUntraced: Trace = (_name, work) => work(() => undefined);
