import { MINUTE_MS } from "../../core/time.ts";
import { sha256Hex } from "../../core/hash.ts";
import type { YieldToOthers } from "../../core/work/cooperative.ts";
import { noteContent } from "../../db/files/file-store.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import type { PushedTexts } from "../../ports/job-queue.ts";
import { SourceFailure, type ListedFile } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import { extractDocument } from "../../documents/extract-document.ts";
import { TakesTooLong, UnreadableDocument } from "../../documents/extracted-document.ts";
import type { ExtractedDocument } from "../../documents/extracted-document.ts";
import { bytesKey } from "../../sources/file-objects.ts";
import { takenBy } from "../../sources/registry.ts";
import { ABOVE_LIMIT, DOCUMENT_LIMIT_BYTES } from "../../core/document-limit.ts";
import { StepFailure, labelFailure } from "./end-file.ts";
import { getExtractedText, keepsExtractedText, putExtractedText } from "./extracted-texts.ts";
import type { Lease } from "./work-budget.ts";
import { readLimited } from "../../core/read-limited.ts";

/** Opening and reading one document at its source, ms. */
const DOWNLOAD_TIMEOUT_MS = 60_000;
/**
 * Parsing and chunking one downloaded document, ms; less than a queue consumer's processor time
 * limit.
 */
const READING_TIMEOUT_MS = 3 * MINUTE_MS;

export type LoadedDocument =
  | { outcome: "loaded"; document: ExtractedDocument; sha256: string; yieldToOthers: YieldToOthers }
  | { outcome: "deleted" };

const encoder = new TextEncoder();

/** What loading needs of its invocation. */
export type Loading = { lease: Lease; texts: PushedTexts };

type Content = { bytes: Uint8Array; sha256: string; mimeType: string };

/**
 * The extracted text of a file, and the `yieldToOthers` for processing it within the file's
 * remaining time. A stored text is reused, so that a second RAG neither downloads nor extracts the
 * file again; otherwise the bytes are extracted and the text is stored.
 * @throws UnreadableDocument, SourceFailure, StepFailure
 */
export async function loadDocument(
  services: Services,
  file: ClaimedFile,
  { lease, texts }: Loading,
): Promise<LoadedDocument> {
  const keeps = keepsExtractedText(file);
  if (keeps && file.sha256 !== null) {
    const document = await labelFailure("file storage", () =>
      getExtractedText(services.files, file),
    );
    if (document !== null) {
      await services.takeTurn(document.markdown.length);
      return {
        outcome: "loaded",
        document,
        sha256: file.sha256,
        yieldToOthers: yieldWithin(services, file, lease),
      };
    }
  }
  const content = await readContent(services, file, texts);
  if (content === null) return { outcome: "deleted" };
  const { sha256, mimeType } = content;
  await services.takeTurn(content.bytes.byteLength);
  if (sha256 !== file.sha256) {
    const facts = { sha256, size: content.bytes.byteLength };
    await labelFailure("database", () => noteContent(services.db, file, facts));
  }
  const raw = { name: file.name, mimeType, bytes: content.bytes };
  const yieldToOthers = yieldWithin(services, file, lease);
  const options = { converter: services.converter, discardsBytes: true, yieldToOthers };
  const document = await labelFailure("text extraction", () => extractDocument(raw, options));
  // Of a file that was replaced or deleted meanwhile, the sweep deletes it.
  if (keeps)
    await labelFailure("file storage", () => putExtractedText(services.files, file, document));
  return { outcome: "loaded", document, sha256, yieldToOthers };
}

/** The clock of a Worker advances only while the Worker waits. */
function yieldWithin({ now }: Services, file: ClaimedFile, lease: Lease): YieldToOthers {
  const deadline = now() + READING_TIMEOUT_MS;
  return async () => {
    await scheduler.wait(0);
    await lease.renew([file]);
    if (now() > deadline) throw new TakesTooLong(READING_TIMEOUT_MS / MINUTE_MS);
  };
}

async function readContent(services: Services, file: ClaimedFile, texts: PushedTexts) {
  if (takenBy(file.source.provider) !== "files") return await downloaded(services, file);
  const text = texts.get(file.version);
  if (text !== undefined && file.sha256 !== null) {
    return { bytes: encoder.encode(text), sha256: file.sha256, mimeType: file.mimeType };
  }
  const key = bytesKey({ sourceId: file.source.id, fileId: file.fileId }, file.version);
  const bytes = await labelFailure("file storage", async () => {
    const object = await services.files.get(key);
    return object === null ? null : new Uint8Array(await object.arrayBuffer());
  });
  if (bytes === null) throw new StepFailure("file storage: the file's bytes are missing", null);
  return { bytes, sha256: file.sha256 ?? (await sha256Hex(bytes)), mimeType: file.mimeType };
}

async function downloaded(services: Services, file: ClaimedFile): Promise<Content | null> {
  const reader = await labelFailure("file source", () => services.sourceReaders(file.source));
  if (reader === null) throw new SourceFailure("denied", "file source: cannot be read");
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  const opened = await labelFailure("file source", () => reader.open(listedFrom(file), signal));
  if (opened.outcome === "deleted") return null;
  const bytes = await labelFailure("file source", () =>
    readLimited(opened.body, DOCUMENT_LIMIT_BYTES),
  );
  if (bytes === null) throw new UnreadableDocument(`file is ${ABOVE_LIMIT}`, "too-large");
  return { bytes, sha256: await sha256Hex(bytes), mimeType: opened.mimeType ?? file.mimeType };
}

function listedFrom(file: ClaimedFile): ListedFile {
  const { path, externalId, url, name, size, mimeType, version, metadata, sourceState } = file;
  return { path, externalId, url, name, size, mimeType, version, metadata, sourceState };
}
