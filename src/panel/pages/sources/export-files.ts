import { csvLine } from "../../../evaluation/questions/export-questions.ts";
import type { SourceFile } from "../../../db/files/source-file-list.ts";
import { readFilePage, type FilePageQuery } from "../../../db/files/source-file-pages.ts";
import type { Database } from "../../../db/sql.ts";
import { isoTime } from "../../../core/time.ts";

const ROWS_AT_ONCE = 1_000;
const HEAD = ["path", "status", "size", "type", "indexed", "error"];

/** A list of files as CSV, a page of the database at a time. */
export function filesAsCsv(db: Database, query: Omit<FilePageQuery, "at">): ReadableStream {
  const lines = linesOf(db, query);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
}

async function* linesOf(
  db: Database,
  query: Omit<FilePageQuery, "at">,
): AsyncGenerator<string, undefined> {
  yield `${csvLine(HEAD)}\r\n`;
  for (let after: (string | number)[] | null | undefined; after !== null;) {
    const at = { after: after ?? null, before: null, limit: ROWS_AT_ONCE };
    const page = await readFilePage(db, { ...query, at });
    yield page.data.map((file) => `${csvLine(cellsOf(file))}\r\n`).join("");
    after = page.after;
  }
  return undefined;
}

const cellsOf = ({ path, status, size, mimeType, indexedAt, errorMessage }: SourceFile) => [
  path,
  status ?? "in no RAG",
  String(size),
  mimeType,
  indexedAt === null ? null : isoTime(indexedAt),
  errorMessage,
];
