import { isoTime, SECOND_MS, timeIn } from "../core/time.ts";
import { readFileMetadata } from "../db/files/file-store.ts";
import type { RagRecord } from "../db/records.ts";
import type { Reads } from "../db/sql.ts";
import type { FileCondition } from "../ports/file-condition.ts";
import { modifiedAtCondition } from "../retrieval/retrieval-request.ts";
import type { RetrievedChunk } from "../retrieval/score-chunks.ts";
import { storedFormsOf } from "../sources/file-names.ts";

/** Fields that filters may name: `path`, `compareModified`, and metadata by any other name. */

export const metadataField = (name: string) => (name === "mime_type" ? "mimeType" : name);

/** Ms of a time as text, or in seconds since 1970; null: it is none. */
export const timeOf = (value: unknown): number | null =>
  typeof value === "number" ? value * SECOND_MS : typeof value === "string" ? timeIn(value) : null;

/** Reads the value at a place of the list. @throws the protocol's refusal of a wrong form */
type Reading = {
  text: (value: unknown, at: number) => string;
  time: (value: unknown, at: number) => number;
};

/** Metadata are stored as text: 3 and "3" are one value. */
export function isOneOf(name: string, values: unknown[], { text, time }: Reading): FileCondition {
  if (name === "modifiedAt")
    return { any: values.map((value, at) => modifiedAtCondition(time(value, at))) };
  const texts = values.map(text);
  if (name === "path") return { paths: texts.flatMap(storedFormsOf) };
  return { metadata: { field: metadataField(name), values: texts } };
}

/* https://platform.openai.com/docs/api-reference/vector-stores/search: limits of attributes */
const MAX_KEY_LENGTH = 64;
const MAX_TEXT_LENGTH = 512;

export type Attributes = Record<string, string | number | boolean>;

/** Attributes of the passages' files by path: media type, last change and the metadata that fit. */
export async function attributesOf(
  db: Reads,
  { fileSource: { id } }: Pick<RagRecord, "fileSource">,
  chunks: RetrievedChunk[],
): Promise<Map<string, Attributes>> {
  const paths = chunks.map(({ source }) => source.filePath);
  const files = paths.length === 0 ? [] : await readFileMetadata(db, id, paths);
  return new Map(
    files.map(({ path, mimeType, modifiedAt, metadata }) => {
      const fitting = Object.entries(metadata).filter(isAttribute);
      const own = { mime_type: mimeType, modifiedAt: isoTime(modifiedAt) };
      return [path, { ...Object.fromEntries(fitting), ...own }];
    }),
  );
}

function isAttribute(entry: [string, unknown]): entry is [string, Attributes[string]] {
  const [key, value] = entry;
  if (key.length > MAX_KEY_LENGTH) return false;
  if (typeof value === "string") return value.length <= MAX_TEXT_LENGTH;
  return typeof value === "number" || typeof value === "boolean";
}
