import { sha256Hex } from "../core/hash.ts";
import { noteContent } from "../db/file-store.ts";
import type { ClaimedFile } from "../db/rag-file-store.ts";
import { SourceFailure } from "../ports/source-reader.ts";
import type { ListedFile } from "../ports/source-reader.ts";
import type { Services } from "../services.ts";
import { extractDocument } from "./extractors/extract-document.ts";
import { EXTRACTION_FORMAT, UnreadableDocument } from "./extractors/extracted-document.ts";
import type { ExtractedDocument } from "./extractors/extracted-document.ts";
import { bytesKey, textKey } from "./file-objects.ts";
import { FILE_LIMIT_BYTES } from "./hold-times.ts";
import { StepFailure, during } from "./index-failure.ts";
import { readLimited } from "./read-limited.ts";

/** Opening and reading one document at its source, ms. */
const DOWNLOAD_TIMEOUT_MS = 60_000;
/** Plain text of this size, bytes, is read as fast from its bytes as from a kept extraction. */
const KEEP_PLAIN_TEXT_FROM_BYTES = 64 * 1024;

export type LoadedDocument =
  | { outcome: "loaded"; document: ExtractedDocument; sha256: string }
  | { outcome: "gone" };

type Content = { bytes: Uint8Array; sha256: string; mimeType: string };

/**
 * The extracted text of a file: the kept one where there is one, so that a second RAG neither
 * downloads nor extracts again; otherwise from the bytes, and then it is kept.
 * @throws UnreadableDocument, SourceFailure, StepFailure
 */
export async function loadDocument(services: Services, file: ClaimedFile): Promise<LoadedDocument> {
  const keeps = isWorthKeeping(file);
  if (keeps && file.sha256 !== null) {
    const document = await keptText(services, file, file.sha256);
    if (document !== null) return { outcome: "loaded", document, sha256: file.sha256 };
  }
  const content = await readContent(services, file);
  if (content === null) return { outcome: "gone" };
  const { bytes, sha256, mimeType } = content;
  if (sha256 !== file.sha256) {
    const facts = { sha256, size: bytes.byteLength };
    await during("database", () => noteContent(services.db, file.fileId, file.version, facts));
  }
  const { converter } = services;
  const raw = { name: file.name, mimeType, bytes };
  const document = await during("text extraction", () => extractDocument(raw, { converter }));
  if (keeps) await keepText(services, file, sha256, document);
  return { outcome: "loaded", document, sha256 };
}

function isWorthKeeping({ source, mimeType, size }: ClaimedFile): boolean {
  const isPlain = /^text\/(plain|markdown|csv)\b/.test(mimeType);
  return source.provider !== "file_system" || !isPlain || size >= KEEP_PLAIN_TEXT_FROM_BYTES;
}

async function keyOf(file: ClaimedFile, sha256: string): Promise<string> {
  const reading = await sha256Hex(`${file.name}\u0000${file.mimeType}`);
  const contentKey = `${sha256}.${reading.slice(0, 8)}.${EXTRACTION_FORMAT}`;
  return textKey({ sourceId: file.source.id, fileId: file.fileId }, contentKey);
}

async function keptText(services: Services, file: ClaimedFile, sha256: string) {
  const key = await keyOf(file, sha256);
  return await during("file storage", async () => {
    const object = await services.files.get(key);
    return object === null ? null : await object.json<ExtractedDocument>();
  });
}

async function keepText(
  services: Services,
  file: ClaimedFile,
  sha256: string,
  document: ExtractedDocument,
): Promise<void> {
  const key = await keyOf(file, sha256);
  await during("file storage", () => services.files.put(key, JSON.stringify(document)));
}

async function readContent(services: Services, file: ClaimedFile): Promise<Content | null> {
  if (file.source.provider !== "file_system") return await downloaded(services, file);
  const key = bytesKey({ sourceId: file.source.id, fileId: file.fileId }, file.version);
  const bytes = await during("file storage", async () => {
    const object = await services.files.get(key);
    return object === null ? null : new Uint8Array(await object.arrayBuffer());
  });
  if (bytes === null) throw new StepFailure("file storage: the file's bytes are missing", null);
  return { bytes, sha256: file.sha256 ?? (await sha256Hex(bytes)), mimeType: file.mimeType };
}

async function downloaded(services: Services, file: ClaimedFile): Promise<Content | null> {
  const reader = await during("file source", () => services.sourceReaders(file.source));
  if (reader === null) throw new SourceFailure("denied", "file source: cannot be read");
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  const opened = await during("file source", () => reader.open(listedFrom(file), signal));
  if (opened.outcome === "gone") return null;
  const bytes = await during("file source", () => readLimited(opened.body, FILE_LIMIT_BYTES));
  if (bytes === null) throw new UnreadableDocument("file is larger than 25 MiB");
  return { bytes, sha256: await sha256Hex(bytes), mimeType: opened.mimeType ?? file.mimeType };
}

function listedFrom(file: ClaimedFile): ListedFile {
  const { path, externalId, url, name, size, mimeType, version, metadata, sourceState } = file;
  return { path, externalId, url, name, size, mimeType, version, metadata, sourceState };
}
