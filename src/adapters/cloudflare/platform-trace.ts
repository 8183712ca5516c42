import { runUntraced, type Trace } from "../../core/trace.ts";

/**
 * Custom spans of Workers tracing
 * (https://developers.cloudflare.com/workers/observability/traces/custom-spans/): they appear
 * in one trace with the spans of the platform for D1 queries and Durable Object calls.
 */
export function platformTrace(tracing: Tracing | undefined): Trace {
  if (tracing === undefined) return runUntraced;
  return (name, work) =>
    tracing.enterSpan(name, (span) => work((facts) => void span.setAttributes(facts)));
}
