import { runCooperatively } from "../../core/work/cooperative.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import type { Services } from "../../services.ts";
import { chunkCooperatively } from "../../documents/chunking/chunk-document.ts";
import { UnreadableDocument } from "../../documents/extracted-document.ts";
import { embedderOf } from "./embed-chunks.ts";
import { describeUnchanged, labelFailure, type FileResult } from "./end-file.ts";
import { fingerprintOf, identify, type FileWork } from "./file-work.ts";
import { hasExtractedText, keepsExtractedText } from "./extracted-texts.ts";
import { loadDocument, type LoadedDocument, type Loading } from "./load-document.ts";
import { removeDeletedFiles } from "../removal/remove-from-indexes.ts";

export type Load = (file: ClaimedFile) => Promise<LoadedDocument>;

/** When two RAGs share a source, the file is downloaded and extracted once. */
export function loadingOnce(services: Services, job: Loading): Load {
  const loading = new Map<string, Promise<LoadedDocument>>();
  return (file) => {
    const key = `${file.fileId} ${file.version}`;
    const known = loading.get(key) ?? loadDocument(services, file, job);
    loading.set(key, known);
    return known;
  };
}

/** Reads and cuts a file, unless what it holds is indexed already. */
export async function readFile(
  services: Services,
  file: ClaimedFile,
  load: Load,
): Promise<FileWork | FileResult> {
  // An unknown model or a missing setting is reported before anything is downloaded.
  const { tokenizer } = embedderOf(services, file);
  if (file.sha256 !== null && file.fingerprint !== null) {
    const known = await describeUnchanged(services, file, file.sha256, () =>
      isTextStored(services, file),
    );
    if (known !== null) return known;
  }
  const loaded = await load(file);
  if (loaded.outcome === "deleted") {
    await removeDeletedFiles(services, [file.fileId], services.now());
    return { kind: "deleted" };
  }
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
  return { file, fingerprint, markdown, notes: storedNotes(loaded.document.notes), chunks };
}

/** Bytes that return after others were indexed are known, but their text was deleted. */
async function isTextStored({ files }: Services, file: ClaimedFile): Promise<boolean> {
  if (!keepsExtractedText(file)) return true;
  return await labelFailure("file storage", () => hasExtractedText(files, file));
}

const MAX_NOTES = 10;
const MAX_CHARACTERS = 200;

/** Control, format and unpaired characters: a note may quote names of the document. */
const UNPRINTED = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** A document's notes as stored with its file: few, short and printable. */
export function storedNotes(notes: string[]): string[] {
  const more = notes.length - MAX_NOTES + 1;
  const kept = notes.length > MAX_NOTES ? notes.slice(0, MAX_NOTES - 1) : notes;
  const short = kept.map(shortened);
  return kept === notes ? short : [...short, `${more} more notes`];
}

function shortened(note: string): string {
  const line = note.length > MAX_CHARACTERS ? `${note.slice(0, MAX_CHARACTERS - 1)}…` : note;
  return line.replace(UNPRINTED, "");
}
