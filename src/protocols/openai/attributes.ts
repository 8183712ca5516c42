import type { FileSourceId } from "../../core/ids.ts";
import { isoTime } from "../../core/time.ts";
import type { Reads } from "../../db/sql.ts";
import { readFileMetadata } from "../../db/files/file-store.ts";

/* https://platform.openai.com/docs/api-reference/vector-stores/search: limits of attributes */
const KEY_MAX_LENGTH = 64;
const TEXT_MAX_LENGTH = 512;

export type Attributes = Record<string, string | number | boolean>;

/** Of files by path: media type, last change and metadata, as far as attributes can hold them. */
export async function attributesOf(
  db: Reads,
  source: FileSourceId,
  paths: string[],
): Promise<Map<string, Attributes>> {
  const files = paths.length === 0 ? [] : await readFileMetadata(db, source, paths);
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
  if (key.length > KEY_MAX_LENGTH) return false;
  if (typeof value === "string") return value.length <= TEXT_MAX_LENGTH;
  return typeof value === "number" || typeof value === "boolean";
}
