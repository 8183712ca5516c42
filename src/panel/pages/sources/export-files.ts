import { isoTime } from "../../../core/time.ts";
import type { SourceFile } from "../../../db/files/source-file-list.ts";
import { readFilePage, type FilePageQuery } from "../../../db/files/source-file-pages.ts";
import type { Database } from "../../../db/sql.ts";
import { csvLine } from "../../../evaluation/questions/export-questions.ts";

const ROWS_AT_ONCE = 1_000;
const HEAD = ["path", "status", "size", "type", "indexed", "error"];

/** A list of files as CSV, a page of the database at a time. */
export async function* filesAsCsv(db: Database, query: Omit<FilePageQuery, "at">) {
  yield `${csvLine(HEAD)}\r\n`;
  for (let after: (string | number)[] | null | undefined; after !== null;) {
    const at = { after: after ?? null, before: null, limit: ROWS_AT_ONCE };
    const page = await readFilePage(db, { ...query, at });
    yield page.data.map((file) => `${csvLine(cellsOf(file))}\r\n`).join("");
    after = page.after;
  }
}

const cellsOf = ({ path, status, size, mimeType, indexedAt, errorMessage }: SourceFile) => [
  path,
  status ?? "in no RAG",
  String(size),
  mimeType,
  indexedAt === null ? null : isoTime(indexedAt),
  errorMessage,
];
