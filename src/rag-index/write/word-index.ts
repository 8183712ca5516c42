import { inBatches } from "../../core/work/batches.ts";
import { indexedTextsOf, indexedWordsOf } from "../../text/indexed-words.ts";
import type { Language } from "../../text/languages.ts";
import { run, stringsIn, type Row } from "../tables.ts";
import { termSlotsOf } from "./term-counts.ts";
import { chooseRemoval } from "./word-merges.ts";
import type { UnindexedChunk, WriteContext } from "./write-context.ts";

/** A chunk's words in their order. */
export type ChunkWords = { chunk: number; headings: string[]; text: string[] };
/** What the FTS index was given of a chunk; deleting its words needs the same. */
type StoredTexts = Row<"chunks", "chunk" | "headings"> & Row<"contents", "text">;
type IndexedTexts = StoredTexts & { languages: Set<Language> };

function readTexts<Read>(
  sql: SqlStorage,
  chunks: number[],
  read: (row: StoredTexts) => Read,
): Read[] {
  const rows = run<StoredTexts>(sql)`
    SELECT c.chunk, c.headings, t.text FROM json_each(${chunks}) wanted
    CROSS JOIN chunks c ON c.chunk = wanted.value JOIN contents t ON t.chunk = c.chunk`;
  return Array.from(rows, read);
}

/** Reads the words of live chunks from their stored texts. */
export function readWords(sql: SqlStorage, chunks: number[]): ChunkWords[] {
  return readTexts(sql, chunks, ({ chunk, headings, text }) => {
    return { chunk, ...indexedWordsOf({ headings: stringsIn(headings), text }) };
  });
}

const readIndexed = (sql: SqlStorage, chunks: number[]): IndexedTexts[] =>
  readTexts(sql, chunks, ({ chunk, headings, text }) =>
    indexedTexts(chunk, { headings: stringsIn(headings), text }),
  );

const indexedTexts = (chunk: number, of: { headings: string[]; text: string }): IndexedTexts => ({
  chunk,
  ...indexedTextsOf(of),
});

const slotsOf = ({ headings, text, languages }: IndexedTexts) =>
  termSlotsOf([headings, text], languages);

/**
 * FTS5's own delete command for a contentless index. Unlike `contentless_delete` it also subtracts
 * the row from the totals that BM25 uses.
 */
function removeWords(sql: SqlStorage, { chunk, headings, text }: IndexedTexts): void {
  run(sql)`INSERT INTO words (words, rowid, headings, text)
    VALUES ('delete', ${chunk}, ${headings}, ${text})`;
}

/** Number of texts in memory at once; a large file has thousands of chunks. */
const CHUNKS_AT_ONCE = 256;

/** In the chunks' order: FTS5 writes what it has gathered before it takes an earlier row. */
function textsToGive(sql: SqlStorage, chunks: UnindexedChunk[]): IndexedTexts[] {
  const unread = chunks.flatMap(({ chunk, written }) => (written === null ? [chunk] : []));
  const read = unread.length === 0 ? [] : readIndexed(sql, unread);
  const readOf = new Map(read.map((texts) => [texts.chunk, texts]));
  return chunks.flatMap(({ chunk, written }) =>
    written === null ? (readOf.get(chunk) ?? []) : indexedTexts(chunk, written),
  );
}

/**
 * Indexes the words of chunks that became live, of their current texts and headings. Called once,
 * after all else: FTS5 writes what it has gathered, as a segment to be merged with others later,
 * before every statement of several rows. For the same reason each row is a statement.
 */
export function giveWords({ sql, termCounts, unindexed, change }: WriteContext): void {
  change.words ||= unindexed.length > 0;
  for (const batch of inBatches(unindexed.splice(0), CHUNKS_AT_ONCE)) {
    const texts = textsToGive(sql, batch);
    for (const { chunk, headings, text } of texts) {
      run(sql)`INSERT INTO words (rowid, headings, text) VALUES (${chunk}, ${headings}, ${text})`;
    }
    termCounts.record(1, texts.map(slotsOf));
  }
}

/** Removes the words; texts and headings must still be those that were indexed. */
export function takeWords(context: WriteContext, chunks: number[]): void {
  if (chunks.length === 0) return;
  // Words that are not indexed yet cannot be removed: a file may come twice in a call.
  const leaving = new Set(chunks);
  if (context.unindexed.some(({ chunk }) => leaving.has(chunk))) giveWords(context);
  const { sql, termCounts, removals, change } = context;
  change.words = true;
  removals.passages += chunks.length;
  removals.leavesWords = chooseRemoval(sql, removals.passages) === "merged";
  for (const batch of inBatches(chunks, CHUNKS_AT_ONCE)) {
    const texts = readIndexed(sql, batch);
    for (const one of texts) removeWords(sql, one);
    termCounts.record(-1, texts.map(slotsOf));
  }
}
