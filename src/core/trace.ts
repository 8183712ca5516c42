/** Facts on a span. Never a secret, a query or document text. */
export type SpanFacts = Record<string, string | number | boolean>;

/**
 * Runs work as a named span of the request's trace, below the current span. `note` adds facts.
 * Without tracing the work just runs.
 */
export type Trace = <T>(
  name: string,
  work: (note: (facts: SpanFacts) => void) => Promise<T>,
) => Promise<T>;

export const untraced: Trace = (_name, work) => work(() => undefined);
