import { DOCUMENT_LIMIT_BYTES } from "../../core/document-limit.ts";
import { QuarryError } from "../../core/errors.ts";
import { findFile } from "../../db/files/file-store.ts";
import type { Services } from "../../services.ts";
import { bytesKey } from "../../sources/file-objects.ts";
import type { PushedSource } from "../readers/record-readers.ts";
import { receiveUpload } from "./receive-upload.ts";
import { checkFilePath, createReceivedFile, storeFiles } from "./store-files.ts";
import type { FileOfCaller, PutFileResult } from "./store-files.ts";

export type PutFileInput = {
  source: PushedSource;
  body: ReadableStream<Uint8Array> | ArrayBuffer;
  /** The size the caller declared, bytes; used only to refuse early. */
  contentLength: number | null;
} & FileOfCaller;

/**
 * Stores a file of a source of pushed files and queues its indexing in every RAG that holds it.
 * Pushing the same bytes again changes nothing.
 * @throws QuarryError `invalid` (path), `too-large`, `not-found` (the source was removed)
 */
export async function putFile(services: Services, input: PutFileInput): Promise<PutFileResult> {
  const { source, path, mimeType, metadata, modifiedAt = null, readers = null } = input;
  checkFilePath(path);
  if (input.contentLength !== null && input.contentLength > DOCUMENT_LIMIT_BYTES)
    throw tooLargeFile();
  const file = createReceivedFile(services, { path, mimeType, metadata, modifiedAt, readers });
  const upload = await receiveUpload(services.files, input.body, {
    placeFor: async () => {
      const fileId = (await findFile(services.db, source.id, path))?.id ?? file.newId;
      return bytesKey({ sourceId: source.id, fileId }, file.version);
    },
    limit: DOCUMENT_LIMIT_BYTES,
    announcedBytes: input.contentLength,
  });
  if (upload === null) throw tooLargeFile();
  const [result] = await storeFiles(services, source, [{ ...file, upload }]);
  if (result === undefined || "thrown" in result) throw result?.thrown;
  return result;
}

const MIB = 1_024 * 1_024;
const tooLargeFile = () =>
  new QuarryError(
    "too-large",
    `Payload too large: a file has at most ${DOCUMENT_LIMIT_BYTES / MIB} MiB`,
  );
