import { liveRowsOf } from "../../access/readers.ts";
import { isNotFound, notFound, unprocessable } from "../../core/errors.ts";
import { findFileStatuses, type PublicFile } from "../../db/files/public-files.ts";
import { readExtractedText } from "../../ingestion/indexing/extracted-texts.ts";
import { storedFormsOf } from "../../sources/file-names.ts";
import type { FileAddress } from "../file-address.ts";
import { coveredRag, type Session } from "./session.ts";

export type FileText = {
  file: PublicFile;
  /** From `start`, at most `limit` UTF-16 code units of it. */
  text: string;
  /** Length of the whole text. */
  length: number;
  /** Where the next part begins; null: there is none. */
  next: number | null;
};

const NO_TEXT_NOW =
  "The text is not available: a newer version of the file is being read, or could not be read. Search still finds its passages.";

/**
 * A part of a file's text, as it was read for a RAG that the token covers.
 * @throws QuarryError `not-found`, `forbidden`, `unprocessable` while a newer version has no text
 */
export async function readFileText(
  session: Session,
  { rag: identifier, path }: FileAddress,
  part: Part,
): Promise<FileText> {
  const { services } = session;
  const rag = await coveredRag(session, identifier);
  const { fileSource: source } = rag;
  const rows = [liveRowsOf(rag)];
  const files = await findFileStatuses(services.reads, source.id, rows, storedFormsOf(path));
  const [file] = files;
  const isHidden = file?.isExcluded === true || file?.status === "deleted";
  if (file === undefined || isHidden || file.indexedAt === null) throw notFound();
  const { text: whole } = await readExtractedText(services, { source, path: file.path }).catch(
    (thrown: unknown) => {
      throw isNotFound(thrown) ? unprocessable(NO_TEXT_NOW) : thrown;
    },
  );
  return { file, length: whole.length, ...partOf(whole, part) };
}

/** Offsets and lengths in UTF-16 code units; `limit` is at least 2. */
type Part = { start: number; limit: number };

/** A part of a text. `next`: where the next one begins; null: there is none. */
export function partOf(
  whole: string,
  { start, limit }: Part,
): { text: string; next: number | null } {
  const end = endWithin(whole, start + limit);
  return { text: whole.slice(start, end), next: end < whole.length ? end : null };
}

/** Never between the two halves of a character. */
function endWithin(text: string, end: number): number {
  if (end >= text.length) return text.length;
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}
