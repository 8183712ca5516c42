import { readLimited } from "../../core/bytes/read-limited.ts";
import { ABOVE_LIMIT, DOCUMENT_LIMIT_BYTES } from "../../core/document-limit.ts";
import { sha256Hex } from "../../core/hash.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { runCooperatively, type YieldToOthers } from "../../core/work/cooperative.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import { noteContent } from "../../db/files/file-store.ts";
import { noteReplacedText } from "../../db/files/image-store.ts";
import { chunkCooperatively } from "../../documents/chunking/chunk-document.ts";
import { extractDocument } from "../../documents/extract-document.ts";
import { UnreadableDocument, TakesTooLong } from "../../documents/extracted-document.ts";
import type { ExtractedDocument } from "../../documents/extracted-document.ts";
import type { PushedTexts } from "../../ports/job-queue.ts";
import { ModelFailure, modelNotice } from "../../ports/models.ts";
import { SourceFailure, type ListedFile } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import { bytesKey } from "../../sources/file-objects.ts";
import { pushKind } from "../../sources/registry.ts";
import type { ImageWork } from "../images/image-calls.ts";
import { readImages } from "../images/read-images.ts";
import { embedderOf } from "./embed-chunks.ts";
import { describeUnchanged, labelFailure, StepFailure, type FileResult } from "./end-file.ts";
import { hasExtractedText, needsExtractedText, getExtractedText } from "./extracted-texts.ts";
import { putExtractedText } from "./extracted-texts.ts";
import { fingerprintOf, identify, type FileWork } from "./file-work.ts";
import type { Lease } from "./work-budget.ts";

export type Load = (file: ClaimedFile) => Promise<LoadedDocument>;

/** When two RAGs share a source, the file is downloaded and extracted once. */
export function createLoader(services: Services, job: LoadContext): Load {
  const loading = new Map<string, Promise<LoadedDocument>>();
  return (file) => {
    const key = `${file.fileId} ${file.version}`;
    const loaded = loading.get(key) ?? loadDocument(services, file, job);
    loading.set(key, loaded);
    return loaded;
  };
}

/** Reads and cuts a file, unless what it holds is indexed already. */
export async function readFile(
  services: Services,
  file: ClaimedFile,
  load: Load,
): Promise<FileWork | FileResult> {
  // An unknown model or a missing setting is reported before anything is downloaded.
  const { tokenizer, name } = embedderOf(services, file);
  if (file.sha256 !== null && file.fingerprint !== null) {
    const unchanged = await describeUnchanged(services, file, file.sha256, () =>
      isTextStored(services, file),
    );
    if (unchanged !== null) return unchanged;
  }
  if (file.modelChangedAt > 0) {
    const cause = new ModelFailure(modelNotice(name));
    throw new StepFailure(`embedding provider: ${cause.message}`, null, { cause });
  }
  const loaded = await load(file);
  if (loaded.sha256 !== file.sha256) {
    const unchanged = await describeUnchanged(services, file, loaded.sha256);
    if (unchanged !== null) return unchanged;
  }
  const fingerprint = await fingerprintOf(file, loaded.sha256);
  const { chunkSize, chunkOverlap, name: fileName } = file;
  const settings = { chunkSize, chunkOverlap, tokenizer, fileName };
  const cut = await runCooperatively(
    chunkCooperatively(loaded.document, settings),
    loaded.yieldToOthers,
  );
  if (cut.length === 0) throw new UnreadableDocument("no text found", "no-text");
  const { markdown } = loaded.document;
  const chunks = await identify(file, markdown, cut);
  return { file, fingerprint, markdown, notes: shortenNotes(loaded.document.notes), chunks };
}

/** Bytes that return after others were indexed are known, but their text was deleted. */
async function isTextStored({ files }: Services, file: ClaimedFile): Promise<boolean> {
  if (!needsExtractedText(file)) return true;
  return await labelFailure("file storage", () => hasExtractedText(files, file));
}

const MAX_NOTES = 10;
const MAX_CHARACTERS = 200;

/** Control, format and unpaired characters: a note may quote names of the document. */
const UNPRINTED = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** A document's notes as stored with its file: few, short and printable. */
export function shortenNotes(notes: string[]): string[] {
  const more = notes.length - MAX_NOTES + 1;
  const listedNotes = notes.length > MAX_NOTES ? notes.slice(0, MAX_NOTES - 1) : notes;
  const short = listedNotes.map(shortenNote);
  return listedNotes === notes ? short : [...short, `${more} more notes`];
}

function shortenNote(note: string): string {
  const line = note.length > MAX_CHARACTERS ? `${note.slice(0, MAX_CHARACTERS - 1)}…` : note;
  return line.replace(UNPRINTED, "");
}

/** Opening and reading one document at its source, ms. */
const DOWNLOAD_TIMEOUT_MS = 60_000;
/** For parsing and chunking a document; below a queue consumer's limit of processor time. */
const READING_TIMEOUT_MS = 3 * MINUTE_MS;

type LoadedDocument = {
  document: ExtractedDocument;
  sha256: string;
  yieldToOthers: YieldToOthers;
};

const encoder = new TextEncoder();

/** Values of the invocation that loading needs. */
export type LoadContext = {
  lease: Lease;
  texts: PushedTexts;
} & Pick<ImageWork, "tally" | "running">;

/**
 * The extracted text of a file, and the `yieldToOthers` for processing it within the file's
 * remaining time. A stored text is reused, so that a second RAG neither downloads nor extracts the
 * file again; otherwise the bytes are extracted and the text is stored.
 * @throws UnreadableDocument, SourceFailure, StepFailure
 */
async function loadDocument(
  services: Services,
  file: ClaimedFile,
  { lease, texts, tally, running }: LoadContext,
): Promise<LoadedDocument> {
  const keeps = needsExtractedText(file);
  let textBefore: string | null = null;
  if (keeps && file.sha256 !== null) {
    const document = await labelFailure("file storage", () =>
      getExtractedText(services.files, file),
    );
    if (document !== null && !mayReadMore(document, file)) {
      await services.takeTurn(document.markdown.length);
      return {
        document,
        sha256: file.sha256,
        yieldToOthers: createYield(services, file, lease),
      };
    }
    if (document !== null) textBefore = await sha256Hex(document.markdown);
  }
  const content = await readContent(services, file, texts);
  const { sha256, mimeType } = content;
  await services.takeTurn(content.bytes.byteLength);
  if (sha256 !== file.sha256) {
    const facts = { sha256, size: content.bytes.byteLength };
    await labelFailure("database", () => noteContent(services.db, file, facts));
  }
  const raw = { name: content.name, mimeType, bytes: content.bytes };
  const yieldToOthers = createYield(services, file, lease);
  const beat = () => lease.renew([file]);
  const { extend } = yieldToOthers;
  const extracted = await readImages(services, file, { tally, running, beat, extend }, (pictures) =>
    labelFailure("text extraction", () =>
      extractDocument(raw, { ...pictures, discardsBytes: true, yieldToOthers }),
    ),
  );
  const document = { ...extracted, ...imageFields(extracted, file) };
  if (textBefore !== null && textBefore !== (await sha256Hex(document.markdown)))
    await labelFailure("database", () => noteReplacedText(services.db, file, services.now()));
  // The sweep deletes the text of a file that was replaced or deleted meanwhile.
  if (keeps)
    await labelFailure("file storage", () => putExtractedText(services.files, file, document));
  return { document, sha256, yieldToOthers };
}

/** A field for the model that was to read a document's pictures, where it has any. */
const imageFields = (
  { recognised, unread, skipped }: ExtractedDocument,
  { source }: ClaimedFile,
) =>
  recognised === undefined && unread === undefined && skipped === undefined
    ? {}
    : { imageModel: source.imageModel };

/**
 * Whether pictures are left that the source's model reads now, or a RAG is indexed again that has
 * what another model has read. A new RAG takes that as it is.
 */
function mayReadMore(document: ExtractedDocument, { source, indexedAt }: ClaimedFile): boolean {
  const { unread = 0, skipped = 0, imageModel } = document;
  if (source.imageModel === null || imageModel === undefined) return false;
  return (
    unread > 0 ||
    (skipped > 0 && source.pictures) ||
    (imageModel !== source.imageModel && indexedAt !== null)
  );
}

/** The clock of a Worker advances only while the Worker waits. */
function createYield({ now }: Services, file: ClaimedFile, lease: Lease) {
  let deadline = now() + READING_TIMEOUT_MS;
  const yieldToOthers: YieldToOthers = async () => {
    await scheduler.wait(0);
    await lease.renew([file]);
    if (now() > deadline) throw new TakesTooLong(READING_TIMEOUT_MS / MINUTE_MS);
  };
  /** Called when a model has read a picture: to wait for it is no work. */
  const extend = () => void (deadline = now() + READING_TIMEOUT_MS);
  return Object.assign(yieldToOthers, { extend });
}

async function readContent(services: Services, file: ClaimedFile, texts: PushedTexts) {
  if (pushKind(file.source.provider) !== "files") return await downloadFile(services, file);
  const { name } = file;
  const text = texts.get(file.version);
  if (text !== undefined && file.sha256 !== null) {
    return { bytes: encoder.encode(text), sha256: file.sha256, mimeType: file.mimeType, name };
  }
  const key = bytesKey({ sourceId: file.source.id, fileId: file.fileId }, file.version);
  const bytes = await labelFailure("file storage", async () => {
    const object = await services.files.get(key);
    return object === null ? null : new Uint8Array(await object.arrayBuffer());
  });
  if (bytes === null) throw new StepFailure("file storage: the file's bytes are missing", null);
  return { bytes, sha256: file.sha256 ?? (await sha256Hex(bytes)), mimeType: file.mimeType, name };
}

async function downloadFile(services: Services, file: ClaimedFile) {
  const reader = await labelFailure("file source", () => services.sourceReaders(file.source));
  if (reader === null) throw new SourceFailure("denied", "file source: cannot be read");
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  const content = await labelFailure("file source", () => reader.open(listedFileOf(file), signal));
  const bytes = await labelFailure("file source", () =>
    readLimited(content.body, DOCUMENT_LIMIT_BYTES),
  );
  if (bytes === null) throw new UnreadableDocument(`file is ${ABOVE_LIMIT}`, "too-large");
  const { mimeType, name } = { ...content, name: content.name ?? file.name };
  return { bytes, sha256: await sha256Hex(bytes), mimeType: mimeType ?? file.mimeType, name };
}

function listedFileOf(file: ClaimedFile): ListedFile {
  const { path, externalId, url, name, size, mimeType, version, metadata, sourceState } = file;
  return { path, externalId, url, name, size, mimeType, version, metadata, sourceState };
}
