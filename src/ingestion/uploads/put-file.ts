import { notFound, tooLarge } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { FileId, FileSourceId } from "../../core/ids.ts";
import { findFile, writeFile } from "../../db/files/file-store.ts";
import type { StoredFile } from "../../db/files/file-store.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Services } from "../../services.ts";
import { bytesKey } from "../../sources/file-objects.ts";
import { checkFilePath, fileNameOf } from "./file-path.ts";
import { QUEUED_CLAIM_MS } from "../timeouts.ts";
import { DOCUMENT_LIMIT_BYTES } from "../../core/document-limit.ts";
import { receiveUpload } from "./receive-upload.ts";
import type { Upload } from "./receive-upload.ts";

export type PutFileInput = {
  source: { id: FileSourceId };
  path: string;
  body: ReadableStream<Uint8Array> | ArrayBuffer;
  /** The size the caller declared, bytes; used only to refuse early. */
  contentLength: number | null;
  mimeType: string;
  /** Null keeps the file's current value. */
  metadata: Record<string, unknown> | null;
};

export type PutFileResult = {
  path: string;
  size: number;
  sha256: string;
  changed: boolean;
  created: boolean;
};

/** Between read and write, a new file's path may be taken, or a deleted file's row purged. */
const WRITE_TRIES = 4;
/**
 * Stores a file of a `file_system` source and queues its indexing in every RAG that holds it.
 * Pushing the same bytes again changes nothing.
 * @throws QuarryError `invalid` (path), `too-large`, `not-found` (the source was removed)
 */
export async function putFile(services: Services, input: PutFileInput): Promise<PutFileResult> {
  checkFilePath(input.path);
  if (input.contentLength !== null && input.contentLength > DOCUMENT_LIMIT_BYTES) throw tooLarge();
  const version = crypto.randomUUID();
  const newFileId = newId<FileId>(services.now());
  const before = () => findFile(services.db, input.source.id, input.path);
  const upload = await receiveUpload(services.files, input.body, {
    placeFor: async () => {
      const fileId = (await before())?.id ?? newFileId;
      return bytesKey({ sourceId: input.source.id, fileId }, version);
    },
    limit: DOCUMENT_LIMIT_BYTES,
    announcedBytes: input.contentLength,
  });
  if (upload === null) throw tooLarge();
  for (let attempt = 0; attempt < WRITE_TRIES; attempt++) {
    const file = await unlessLost(services, upload, before());
    const base = { path: input.path, size: upload.size, sha256: upload.sha256 };
    if (file !== null && isUnchanged(file, input, upload.sha256)) {
      // This call wrote it already, when the database statement was executed twice.
      if (file.version !== version) await upload.discard();
      return { ...base, changed: false, created: false };
    }
    const content = { upload, version, fileId: file?.id ?? newFileId, before: file };
    const messages = await store(services, input, content);
    if (messages === null) continue;
    await services.queue.index(messages);
    return { ...base, changed: true, created: file === null || file.deletedAt !== null };
  }
  await upload.discard();
  throw notFound();
}

/** A failure before any row can refer to the upload deletes its bytes. */
async function unlessLost<T>(
  { inBackground }: Services,
  upload: Upload,
  step: Promise<T>,
): Promise<T> {
  try {
    return await step;
  } catch (error) {
    inBackground(upload.discard());
    throw error;
  }
}

function isUnchanged(before: StoredFile, input: PutFileInput, sha256: string): boolean {
  return (
    before.deletedAt === null &&
    before.sha256 === sha256 &&
    before.mimeType === input.mimeType &&
    (input.metadata === null || JSON.stringify(input.metadata) === JSON.stringify(before.metadata))
  );
}

/**
 * `version` is unique per write, even for equal bytes, so that cleaning up one write spares
 * others.
 */
type Content = { upload: Upload; version: string; fileId: FileId; before: StoredFile | null };

/** Bytes are stored before rows, so that a row never refers to missing bytes. */
async function store(
  services: Services,
  input: PutFileInput,
  { upload, version, fileId, before }: Content,
): Promise<IndexMessage[] | null> {
  const now = services.now();
  const of = { sourceId: input.source.id, fileId };
  await upload.storeAt(bytesKey(of, version));
  const written = await writeFile(
    services.db,
    {
      id: of.fileId,
      sourceId: of.sourceId,
      path: input.path,
      name: fileNameOf(input.path),
      size: upload.size,
      mimeType: input.mimeType,
      version,
      sha256: upload.sha256,
      metadata: input.metadata ?? before?.metadata ?? {},
      isNew: before === null,
    },
    now,
    now + QUEUED_CLAIM_MS,
  );
  const replaced = written?.replaced ?? null;
  const isOther = replaced !== null && replaced !== version;
  // The sweep does it again if this is interrupted, and deletes the text.
  if (isOther) services.inBackground(services.files.delete(bytesKey(of, replaced)));
  return written?.messages ?? null;
}
