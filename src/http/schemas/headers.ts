/** Headers of answers, as components of the published specification. */
export const HEADERS = {
  "X-Request-Id": {
    description: "The caller's X-Request-Id if it is valid, otherwise a new id.",
    schema: { type: "string" },
    example: "7d2f5c1e-4f0b-4a57-9a0e-0c6c9e0a1b52",
  },
  RateLimit: {
    description: "The limit's name, `r` requests left, `t` seconds until all are available again.",
    schema: { type: "string" },
    example: '"api";r=59;t=60',
  },
  "RateLimit-Policy": {
    description: "The limit's name, `q` requests in any `w` seconds for a client address.",
    schema: { type: "string" },
    example: '"api";q=60;w=60',
  },
  "Retry-After": {
    description: "Whole seconds to wait.",
    schema: { type: "integer", minimum: 1 },
    example: 12,
  },
  "WWW-Authenticate": {
    description: "Says that a bearer token is required.",
    schema: { type: "string" },
    example: 'Bearer realm="Quarry"',
  },
  "X-Inference-Timings": {
    description:
      "Only with an administrator session: milliseconds by step, in the syntax of Server-Timing.",
    schema: { type: "string" },
    example: "context;dur=12.3, reranking;dur=0.0, model;dur=801.2, total;dur=820.9",
  },
  "X-Ignored-Fields": {
    description:
      "Fields of the body that were ignored: unknown ones, and useReranking if no RAG has a reranker. Absent if there are none.",
    schema: { type: "string" },
    example: "top_k",
  },
  "X-Scope-Files": {
    description: "Number of files in the scope now; `10000+` above 10,000.",
    schema: { type: "string", pattern: String.raw`^\d+\+?$` },
    example: "31",
  },
} as const;

export type HeaderName = keyof typeof HEADERS;

/** References for the `headers` of a response. */
export function headersOf(names: readonly HeaderName[] = [], isLimited = true) {
  const always: HeaderName[] = isLimited
    ? ["X-Request-Id", "RateLimit", "RateLimit-Policy"]
    : ["X-Request-Id"];
  const reference = (name: HeaderName) => ({ $ref: `#/components/headers/${name}` });
  return Object.fromEntries([...always, ...names].map((name) => [name, reference(name)]));
}
