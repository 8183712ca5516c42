import { invalidField, notFound, reasonOf } from "../../core/errors.ts";
import { fileNameOf } from "../../core/folders.ts";
import { newId, type FileId } from "../../core/ids.ts";
import type { IndexMessage } from "../../core/queue-messages.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import { findFiles, type StoredFile } from "../../db/files/file-store.ts";
import { writeFiles, type WrittenFile } from "../../db/files/write-files.ts";
import { COPIED_VERSION } from "../../db/schema/sources.ts";
import type { PushedText } from "../../ports/job-queue.ts";
import type { Services } from "../../services.ts";
import { problemWithName, problemWithPath } from "../../sources/file-names.ts";
import { bytesKey } from "../../sources/file-objects.ts";
import { queueBySize } from "../indexing/queue-by-size.ts";
import { findChangedReaders, readerRecordsOf, recordReaders } from "../readers/record-readers.ts";
import { sendReadersOrLater } from "../readers/record-readers.ts";
import type { PushedSource } from "../readers/record-readers.ts";
import { timesFrom } from "../timeouts.ts";
import type { Upload } from "./receive-upload.ts";

/** Facts of a file that a caller gives. Null: the file keeps its own. */
export type FileOfCaller = {
  path: string;
  mimeType: string;
  metadata: Record<string, unknown> | null;
  /** When it was last changed, ms. */
  modifiedAt?: number | null;
  /** Principals that may read it. */
  readers?: string[] | null;
};

/**
 * A file before it is stored. `version` is unique per write, even for equal bytes, so that
 * cleaning up one write spares others.
 */
export type ReceivedFile = FileOfCaller & { newId: FileId; version: string; upload: Upload };

export type PutFileResult = ReturnType<typeof resultOf>;
export type StoreOutcome = PutFileResult | { thrown: unknown };

/** Between read and write, a new file's path may be taken, or a deleted file's row purged. */
const WRITE_TRIES = 4;
/** An invocation may have six connections at once. */
const WRITES_AT_ONCE = 6;

/** @throws QuarryError `invalid` unless the path is relative and names a file. */
export function checkFilePath(path: string): void {
  const problem = problemWithName(path) ?? problemWithPath(path);
  if (problem !== null) throw invalidField("path", problem);
}

/** `isCopied`: a copy of a source takes it from its original. */
export const createReceivedFile = <File extends FileOfCaller>(
  { now }: Services,
  file: File,
  isCopied = false,
) => ({
  ...file,
  version: `${isCopied ? COPIED_VERSION : ""}${crypto.randomUUID()}`,
  newId: newId<FileId>(now()),
});

/**
 * Stores files of a source of pushed files, of different paths, and queues their indexing in every
 * RAG that holds them; the results are in their order. Equal bytes change nothing. A file that
 * cannot be stored fails alone.
 * @throws what the database or the queue throws: then every file may or may not be stored
 */
export async function storeFiles(
  services: Services,
  source: PushedSource,
  files: ReceivedFile[],
): Promise<StoreOutcome[]> {
  const results = new Map<ReceivedFile, StoreOutcome>();
  let open = files;
  for (let attempt = 0; attempt < WRITE_TRIES && open.length > 0; attempt++) {
    await storeOnce(services, source, open, results);
    open = open.filter((file) => !results.has(file));
  }
  await mapParallel(open, WRITES_AT_ONCE, async ({ upload }) => await upload.discard());
  return files.map((file) => results.get(file) ?? { thrown: notFound() });
}

/** Files that must be tried again have no result. */
async function storeOnce(
  services: Services,
  source: PushedSource,
  files: ReceivedFile[],
  results: Map<ReceivedFile, StoreOutcome>,
): Promise<void> {
  const paths = files.map(({ path }) => path);
  const existing = await discardOnError(services, files, findFiles(services.db, source.id, paths));
  const {
    own = [],
    same = [],
    changed = [],
  } = Object.groupBy(files, (file) => {
    const before = existing.get(file.path);
    if (isOwn(before, file)) return "own";
    return isUnchanged(before, file) ? "same" : "changed";
  });
  const readersOf = async (some: ReceivedFile[]) =>
    await findChangedReaders(source, some, existing);
  const hasReaders =
    source.permissions === "on" || files.some(({ readers: principals }) => principals !== null);
  if (hasReaders)
    await discardOnError(services, files, recordReaders(services, source, await readersOf(same)));
  await mapParallel([...own, ...same], WRITES_AT_ONCE, async (file) => {
    // This call wrote it already, when the database statement was executed twice.
    if (existing.get(file.path)?.version !== file.version) await file.upload.discard();
    results.set(file, resultOf(file, false));
  });
  const placements = await storeBytes(services, source, changed, existing, results);
  if (placements.length === 0) return;
  const rows = placements.map((file) => rowOf(file, existing.get(file.path)));
  // In one step: nobody who may no longer read the file finds its new content.
  const recorded = await readerRecordsOf(await readersOf(placements));
  const write = { sourceId: source.id, recorded, ...timesFrom(services.now()) };
  // The sweep deletes the bytes and texts of replaced versions.
  const writes = await writeFiles(services.db, rows, write);
  for (const file of placements) {
    if (!writes.ids.has(idOf(file, existing))) continue;
    const before = existing.get(file.path);
    results.set(file, resultOf(file, true, before === undefined || before.deletedAt !== null));
  }
  await queueFiles(services, writes.messages, placements, existing);
  if (recorded.files.some(({ isNew }) => !isNew)) await sendReadersOrLater(services, source.id);
}

/** Texts travel to so many at most: each gets its own messages. */
const INDEXES_WITH_TEXTS = 4;

async function queueFiles(
  services: Services,
  messages: IndexMessage[],
  files: ReceivedFile[],
  existing: Map<string, StoredFile>,
): Promise<void> {
  const sizes = new Map(files.map((file) => [idOf(file, existing), file.upload.size]));
  const sized = messages.map((message) => ({ ...message, size: sizes.get(message.fileId) ?? 0 }));
  const indexes = new Set(messages.map(({ ragId, generation }) => `${ragId} ${generation}`)).size;
  const carried = indexes > INDEXES_WITH_TEXTS ? [] : files;
  const texts = new Map(
    carried.flatMap((file): [FileId, PushedText][] => {
      const text = inlineTextOf(file.upload.bytes);
      return text === null ? [] : [[idOf(file, existing), { version: file.version, text }]];
    }),
  );
  await queueBySize(services, sized, texts);
}

const idOf = (file: ReceivedFile, existing: Map<string, StoredFile>): FileId =>
  existing.get(file.path)?.id ?? file.newId;

/** A failure before any row can refer to the uploads deletes their bytes. */
async function discardOnError<T>(
  { runInBackground }: Services,
  files: ReceivedFile[],
  step: Promise<T>,
): Promise<T> {
  try {
    return await step;
  } catch (error) {
    for (const { upload } of files) runInBackground(upload.discard());
    throw error;
  }
}

/** Bytes are stored before rows, so that a row never refers to missing bytes. */
async function storeBytes(
  { log, takeTurn }: Services,
  source: PushedSource,
  files: ReceivedFile[],
  existing: Map<string, StoredFile>,
  results: Map<ReceivedFile, StoreOutcome>,
): Promise<ReceivedFile[]> {
  await mapParallel(files, WRITES_AT_ONCE, async (file) => {
    const fileId = idOf(file, existing);
    await takeTurn(file.upload.size);
    try {
      await file.upload.storeAt(bytesKey({ sourceId: source.id, fileId }, file.version));
    } catch (thrown) {
      log.error("bytes not stored", { fileId, reason: reasonOf(thrown) });
      results.set(file, { thrown });
    }
  });
  return files.filter((file) => !results.has(file));
}

const isCopied = ({ version }: { version: string }) => version.startsWith(COPIED_VERSION);

/** Files that are put into a copy while it gets the original's stay. */
const isOwn = (before: StoredFile | undefined, file: ReceivedFile) =>
  before?.deletedAt === null && isCopied(file) && !isCopied(before);

function isUnchanged(before: StoredFile | undefined, file: ReceivedFile): boolean {
  return (
    before !== undefined &&
    before.deletedAt === null &&
    before.sha256 === file.upload.sha256 &&
    before.mimeType === file.mimeType &&
    (file.modifiedAt ?? before.modifiedAt) === before.modifiedAt &&
    (file.metadata === null || JSON.stringify(file.metadata) === JSON.stringify(before.metadata))
  );
}

function rowOf(file: ReceivedFile, before: StoredFile | undefined): WrittenFile {
  const { path, mimeType, metadata, modifiedAt = null, version, upload } = file;
  const { size, sha256 } = upload;
  const identity = { id: before?.id ?? file.newId, isNew: before === undefined };
  const content = { path, name: fileNameOf(path), size, mimeType, version, sha256 };
  return { ...identity, ...content, metadata, modifiedAt };
}

function resultOf(
  { path, upload: { size, sha256 } }: ReceivedFile,
  changed: boolean,
  created = false,
) {
  return { path, size, sha256, changed, created };
}

/** In JSON: 25 such texts and their ids are less than the 64 KB that are billed as one message. */
const CARRIED_BYTES = 2_200;

/** Keeps a byte order mark, so that the text is the same bytes again. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * A file's bytes as a text that is short enough to travel in the message that indexes the file;
 * null for others, which are read from the bucket.
 */
export function inlineTextOf(bytes: Uint8Array | null): string | null {
  if (bytes === null || bytes.byteLength > CARRIED_BYTES) return null;
  try {
    const text = decoder.decode(bytes);
    const escapes = JSON.stringify(text).length - text.length;
    return bytes.byteLength + escapes <= CARRIED_BYTES ? text : null;
  } catch {
    return null;
  }
}
