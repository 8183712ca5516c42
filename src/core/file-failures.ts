/** Why a file is not indexed, as far as the remedies differ; the message says the rest. */
export const FILE_FAILURES = [
  "encrypted",
  "empty",
  "no-text",
  "picture",
  "too-large",
  "damaged",
  "unsupported",
  "encoding",
  "beyond-limits",
  "denied",
  "source",
  "model",
  "spending-limit",
  "service",
] as const;
export type FileFailure = (typeof FILE_FAILURES)[number];
