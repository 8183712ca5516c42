import { invalidField, QuarryError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import type { Services } from "../../services.ts";
import type { PushedSource } from "../readers/record-readers.ts";
import { Upload } from "./receive-upload.ts";
import { checkFilePath, createReceivedFile, storeFiles } from "./store-files.ts";
import type { FileOfCaller, ReceivedFile, StoreOutcome } from "./store-files.ts";

const MIB = 1 << 20;
/** Limits of one batch; one file at a time and one group are in memory. */
export const BATCH_LIMITS = { files: 500, bytes: 32 * MIB, fileBytes: 4 * MIB };
/** A group of files that are stored together holds at least this much. */
const GROUP_BYTES = 8 * MIB;
/** Bytes of rows that the database gets at once: a parameter has at most 2 MB. */
const GROUP_ROW_BYTES = 256 * 1_024;

/** A file as it was sent; `bytes` null: it is longer than the limit. Or why it has no path. */
export type SentFile =
  | (FileOfCaller & { bytes: Uint8Array<ArrayBuffer> | null })
  | { path: string; thrown: unknown };

export type BatchResult = { path: string; stored: StoreOutcome };

/**
 * Stores the files of a batch as `putFile` does each, group by group as they come. A file that is
 * refused fails alone; a path that was given before in the batch is refused.
 * Where `files` throws and groups that came before are stored, the results name these, and what was
 * thrown as a result without a path.
 * @throws what `files` throws when nothing is stored
 */
export async function putFiles(
  services: Services,
  { source, files, isCopied = false }: SentBatch,
): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  const paths = new Set<string>();
  let group: { at: number; file: ReceivedFile }[] = [];
  let bytes = 0;
  let rowBytes = 0;
  const storeGroup = async () => {
    const ofGroup = group.map(({ file }) => file);
    const outcomes = await storeFiles(services, source, ofGroup);
    for (const [nth, result] of outcomes.entries()) {
      const at = group[nth]?.at ?? 0;
      results[at] = { path: results[at]?.path ?? "", stored: result };
    }
    group = [];
    bytes = 0;
    rowBytes = 0;
  };
  let isAnyStored = false;
  const takeAll = async () => {
    for await (const file of files) await take(file);
    if (group.length > 0) await storeGroup();
  };
  const take = async (file: SentFile) => {
    const at = results.length;
    const received = await receiveOrRefuse(services, file, { paths, isCopied });
    // A file of a group gets its result when the group is stored.
    const thrown = "thrown" in received ? received.thrown : null;
    results.push({ path: file.path, stored: { thrown } });
    if ("thrown" in received) return;
    group.push({ at, file: received });
    bytes += received.upload.size;
    rowBytes += received.path.length + JSON.stringify(received.metadata).length;
    if (bytes >= GROUP_BYTES || rowBytes >= GROUP_ROW_BYTES) {
      await storeGroup();
      isAnyStored = true;
    }
  };
  try {
    await takeAll();
  } catch (thrown) {
    if (!isAnyStored) throw thrown;
    const unstored = new Set(group.map(({ at }) => at));
    const answers = results.filter((_, at) => !unstored.has(at));
    return [...answers, { path: "", stored: { thrown } }];
  }
  return results;
}

type SentBatch = { source: PushedSource; files: AsyncIterable<SentFile>; isCopied?: boolean };

async function receiveOrRefuse(
  services: Services,
  file: SentFile,
  { paths, isCopied }: { paths: Set<string>; isCopied: boolean },
) {
  if ("thrown" in file) return file;
  const { bytes, ...description } = file;
  try {
    checkFilePath(description.path);
    if (paths.has(description.path)) throw invalidField("path", "was given before in this batch");
    if (bytes === null) throw tooLargeForBatch();
  } catch (thrown) {
    return { thrown };
  }
  paths.add(description.path);
  const facts = { size: bytes.byteLength, sha256: await sha256Hex(bytes) };
  const upload = new Upload(services.files, facts, { bytes });
  return { ...createReceivedFile(services, description, isCopied), upload };
}

const tooLargeForBatch = () =>
  new QuarryError(
    "too-large",
    `Payload too large: a file of a batch has at most ${BATCH_LIMITS.fileBytes / MIB} MiB, put it by itself`,
  );
