import { SECOND_MS, timeIn } from "../core/time.ts";
import type { FileCondition } from "../ports/file-condition.ts";
import { wasModifiedAt } from "../retrieval/retrieval-request.ts";
import { storedFormsOf } from "../sources/file-names.ts";

/* What filters may name: `path`, `modifiedAt`, and metadata by any other name. */

export const metadataField = (name: string) => (name === "mime_type" ? "mimeType" : name);

/** Ms of a time as text, or in seconds since 1970; null: it is none. */
export const timeOf = (value: unknown): number | null =>
  typeof value === "number" ? value * SECOND_MS : typeof value === "string" ? timeIn(value) : null;

/** How the value at a place is read. @throws what is told of one that has the wrong form */
type Reading = {
  text: (value: unknown, at: number) => string;
  time: (value: unknown, at: number) => number;
};

/** Metadata are stored as text: 3 and "3" are one value. */
export function isOneOf(name: string, values: unknown[], { text, time }: Reading): FileCondition {
  if (name === "modifiedAt")
    return { any: values.map((value, at) => wasModifiedAt(time(value, at))) };
  const texts = values.map(text);
  if (name === "path") return { paths: texts.flatMap(storedFormsOf) };
  return { metadata: { field: metadataField(name), values: texts } };
}
