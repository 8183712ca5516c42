import { z } from "zod";

import { FILE_FAILURES } from "../../core/file-failures.ts";
import { fieldsOfKind } from "../../core/input/fields-of-kind.ts";
import { FILE_STATUSES } from "../../db/schema/rags.ts";

/** Increment it when a part is written in another way; earlier formats are still read. */
export const ARCHIVE_FORMAT = 1;
export const SETTINGS = "settings.json";
/** The other parts: who may use it, questions, texts, listings, files, passages and vectors. */
export const isPartName = (name: string): boolean => PART.test(name);
const PART =
  /^(?:settings\.json|access\.json|questions\/[a-z0-9-]+\.jsonl|texts\/[0-9a-f]{64}|files\/[a-z0-9-]+(?:\.\d+)?\.jsonl|files\/[a-z0-9-]+\/.+|rags\/[a-z0-9-]+\/(?:passages-\d+\.jsonl|vectors-\d+\.f16))$/s;

const text = z.string();
const count = z.int().min(0);
const hash = text.regex(/^[0-9a-f]{32,64}$/);
const record = z.record(text, z.unknown());
const MAX = { shards: 32, dimensions: 10_000, time: 8.64e15 };
/** In ms; negative before 1970. A `Date` has no others. */
export const archivedTime = z.int().min(-MAX.time).max(MAX.time);

export const archivedRag = z.object({
  ...fieldsOfKind(text, "fileSource", "embeddingModel", "passagePrefix"),
  ...fieldsOfKind(count, "chunkSize", "chunkOverlap", "format", "files", "passages"),
  shards: count.min(1).max(MAX.shards),
  dimensions: count.min(1).max(MAX.dimensions),
  vectors: z.boolean(),
});
export type ArchivedRag = z.infer<typeof archivedRag>;

/** `parts`: the SHA-256 of every other part. */
export const manifest = z.object({
  format: count.min(1),
  ...fieldsOfKind(text, "createdAt", "version"),
  fileSources: z.record(text, z.object({ files: count })),
  rags: z.record(text, archivedRag),
  parts: z.record(text, hash),
});
export type Manifest = z.infer<typeof manifest>;

/** A file in a RAG's index. */
const indexedFile = z.object({
  status: z.enum(FILE_STATUSES),
  indexedAt: archivedTime.nullable(),
  chunkCount: count,
  ...fieldsOfKind(text.nullable(), "fingerprint", "errorMessage"),
  notes: z.array(text),
  errorCode: z.enum(FILE_FAILURES).nullable(),
  errorIsOutside: z.boolean(),
});

/** A line of `files/<source>.jsonl`. `text`: the part with what was read from it, and its format. */
export const archivedFile = z.object({
  ...fieldsOfKind(text, "path", "name", "mimeType", "version"),
  ...fieldsOfKind(text.nullable(), "externalId", "url", "unreadable"),
  ...fieldsOfKind(count, "size", "readersRevision"),
  ...fieldsOfKind(archivedTime, "modifiedAt", "createdAt"),
  sha256: hash.nullable(),
  metadata: record,
  sourceState: record.nullable(),
  readers: z.array(z.object(fieldsOfKind(text, "principal", "from"))).nullable(),
  text: z.object({ sha256: hash, format: text }).nullable(),
  rags: z.record(text, indexedFile),
});
export type ArchivedFile = z.infer<typeof archivedFile>;

/** Another line of it: content that is left out of search. */
export const archivedExclusion = z.object({
  kind: z.enum(["file", "passage"]),
  ...fieldsOfKind(text, "value", "path", "excerpt"),
  createdAt: archivedTime,
  createdBy: text.nullable(),
});

/**
 * A line of `rags/<rag>/passages-N.jsonl`. Of passages with equal hashes, the one with the smallest
 * number is the original. `row`: of its vector in `vectors-N.f16`, if the archive has one.
 */
export const archivedPassage = z.object({
  ...fieldsOfKind(text, "path", "text", "languages"),
  ...fieldsOfKind(count, "position", "start", "end", "number"),
  page: count.nullable(),
  row: count.optional(),
  headings: z.array(text),
  hash,
  isDuplicate: z.boolean(),
  /** Whether the first heading is the file's name. */
  isNamed: z.literal(true).optional(),
  /** Whether a model read it in a picture. */
  recognised: z.literal(true).optional(),
});
export type ArchivedPassage = z.infer<typeof archivedPassage>;
