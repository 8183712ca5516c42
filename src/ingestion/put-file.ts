import { notFound, tooLarge } from "../core/errors.ts";
import { sha256Hex } from "../core/hash.ts";
import { newId } from "../core/ids.ts";
import type { FileId, FileSourceId } from "../core/ids.ts";
import { findFile, writeFile } from "../db/file-store.ts";
import type { StoredFile } from "../db/file-store.ts";
import type { IndexMessage } from "../ports/job-queue.ts";
import type { Services } from "../services.ts";
import { bytesKey } from "./file-objects.ts";
import { checkFilePath, fileNameOf } from "./file-path.ts";
import { FILE_LIMIT_BYTES, QUEUED_HOLD_MS } from "./hold-times.ts";
import { readLimited } from "./read-limited.ts";

export type PutFileInput = {
  source: { id: FileSourceId };
  path: string;
  body: ReadableStream<Uint8Array> | ArrayBuffer;
  /** What the caller announced, bytes; only good for refusing early. */
  contentLength: number | null;
  mimeType: string;
  /** Null keeps what the file has. */
  metadata: Record<string, unknown> | null;
};

export type PutFileResult = {
  path: string;
  size: number;
  sha256: string;
  changed: boolean;
  created: boolean;
};

/** A new file's path may be taken, and a deleted one forgotten, between reading and writing it. */
const WRITE_TRIES = 4;
/** Versions tell writes of equal bytes apart, so that cleaning up after one spares the other. */
const WRITE_ID_LENGTH = 12;

/**
 * Stores a file of a `file_system` source and queues its indexing in every RAG that holds it.
 * The same bytes again change nothing.
 * @throws QuarryError `invalid` (path), `too-large`, `not-found` (the source has gone)
 */
export async function putFile(services: Services, input: PutFileInput): Promise<PutFileResult> {
  checkFilePath(input.path);
  if (input.contentLength !== null && input.contentLength > FILE_LIMIT_BYTES) throw tooLarge();
  const bytes = await readLimited(input.body, FILE_LIMIT_BYTES, input.contentLength);
  if (bytes === null) throw tooLarge();
  const sha256 = await sha256Hex(bytes);
  for (let attempt = 0; attempt < WRITE_TRIES; attempt++) {
    const before = await findFile(services.db, input.source.id, input.path);
    const base = { path: input.path, size: bytes.byteLength, sha256 };
    if (before !== null && isUnchanged(before, input, sha256)) {
      return { ...base, changed: false, created: false };
    }
    const messages = await store(services, input, { bytes, sha256, before });
    if (messages === null) continue;
    await services.queue.index(messages);
    return { ...base, changed: true, created: before === null || before.deletedAt !== null };
  }
  throw notFound();
}

function isUnchanged(before: StoredFile, input: PutFileInput, sha256: string): boolean {
  return (
    before.deletedAt === null &&
    before.sha256 === sha256 &&
    before.mimeType === input.mimeType &&
    (input.metadata === null || JSON.stringify(input.metadata) === JSON.stringify(before.metadata))
  );
}

type Content = { bytes: Uint8Array; sha256: string; before: StoredFile | null };

/** Bytes first, then the rows: a row never names bytes that are not there. */
async function store(
  services: Services,
  input: PutFileInput,
  { bytes, sha256, before }: Content,
): Promise<IndexMessage[] | null> {
  const now = services.now();
  const of = { sourceId: input.source.id, fileId: before?.id ?? newId<FileId>(now) };
  const version = `${sha256}-${crypto.randomUUID().slice(0, WRITE_ID_LENGTH)}`;
  await services.files.put(bytesKey(of, version), bytes);
  const written = await writeFile(
    services.db,
    {
      id: of.fileId,
      sourceId: of.sourceId,
      path: input.path,
      name: fileNameOf(input.path),
      size: bytes.byteLength,
      mimeType: input.mimeType,
      version,
      sha256,
      metadata: input.metadata ?? before?.metadata ?? {},
      isNew: before === null,
    },
    now,
    now + QUEUED_HOLD_MS,
  );
  const unneeded = written === null ? version : written.replaced;
  if (unneeded !== null) {
    services.inBackground(services.files.delete(bytesKey(of, unneeded)));
  }
  return written?.messages ?? null;
}
