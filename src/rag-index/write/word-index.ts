import { HOUR_MS } from "../../core/time.ts";
import { toBatches } from "../../core/work/batches.ts";
import { indexedTextsOf, indexedWordsOf, type ChunkText } from "../../text/indexed-words.ts";
import { run, stringsIn, readSetting, writeSetting, valueOf, type Row } from "../tables.ts";
import { termSlotsOf } from "./term-counts.ts";
import type { UnindexedChunk, WriteContext } from "./write-context.ts";

/** Texts that the FTS index was given of a chunk; deleting its words needs equal ones. */
type StoredTexts = Row<"chunks", "chunk" | "headings" | "languages"> & Row<"contents", "text">;
type IndexedTexts = { chunk: number } & ReturnType<typeof indexedTextsOf>;

function readTexts<Read>(
  sql: SqlStorage,
  chunks: number[],
  readText: (chunk: number, of: ChunkText) => Read,
): Read[] {
  const rows = run<StoredTexts>(sql)`
    SELECT c.chunk, c.headings, c.languages, t.text FROM json_each(${chunks}) wanted
    CROSS JOIN chunks c ON c.chunk = wanted.value JOIN contents t ON t.chunk = c.chunk`;
  return Array.from(rows, ({ chunk, headings, ...text }) =>
    readText(chunk, { ...text, headings: stringsIn(headings) }),
  );
}

export const readWords = (sql: SqlStorage, chunks: number[]) =>
  readTexts(sql, chunks, (chunk, text) => ({ chunk, ...indexedWordsOf(text) }));

const readIndexed = (sql: SqlStorage, chunks: number[]): IndexedTexts[] =>
  readTexts(sql, chunks, indexedTexts);

const indexedTexts = (chunk: number, text: ChunkText): IndexedTexts => ({
  chunk,
  ...indexedTextsOf(text),
});

const slotsOf = ({ headings, text, languages }: IndexedTexts) =>
  termSlotsOf([headings, text], languages);

/** FTS5's own delete command: unlike `contentless_delete` it also corrects the totals for BM25. */
function removeWords(sql: SqlStorage, { chunk, headings, text }: IndexedTexts): void {
  run(sql)`INSERT INTO words (words, rowid, headings, text)
    VALUES ('delete', ${chunk}, ${headings}, ${text})`;
}

/** Number of texts in memory at once; a large file has thousands of chunks. */
const CHUNKS_AT_ONCE = 256;

/** In the chunks' order: FTS5 writes what it has gathered before it takes an earlier row. */
function textsToIndex(sql: SqlStorage, chunks: UnindexedChunk[]): IndexedTexts[] {
  const unread = chunks.flatMap(({ chunk, written: ownText }) => (ownText === null ? [chunk] : []));
  const storedTexts = unread.length === 0 ? [] : readIndexed(sql, unread);
  const readOf = new Map(storedTexts.map((texts) => [texts.chunk, texts]));
  return chunks.flatMap(({ chunk, written: ownText }) =>
    ownText === null ? (readOf.get(chunk) ?? []) : indexedTexts(chunk, ownText),
  );
}

/**
 * Indexes the words of chunks that became live, of their current texts and headings. Called once,
 * after all else: FTS5 writes what it has gathered, as a segment to be merged with others later,
 * before every statement of several rows. For the same reason each row is a statement.
 */
export function indexWords({ sql, termCounts, unindexed, change }: WriteContext): void {
  change.words ||= unindexed.length > 0;
  for (const batch of toBatches(unindexed.splice(0), CHUNKS_AT_ONCE)) {
    const texts = textsToIndex(sql, batch);
    for (const { chunk, headings, text } of texts) {
      run(sql)`INSERT INTO words (rowid, headings, text) VALUES (${chunk}, ${headings}, ${text})`;
    }
    termCounts.record(1, texts.map(slotsOf));
  }
}

/** Removes the words; texts and headings must still be those that were indexed. */
export function unindexWords(context: WriteContext, chunks: number[]): void {
  if (chunks.length === 0) return;
  // Words that are not indexed yet cannot be removed: a file may come twice in a call.
  const leaving = new Set(chunks);
  if (context.unindexed.some(({ chunk }) => leaving.has(chunk))) indexWords(context);
  const { sql, termCounts, removals, change } = context;
  change.words = true;
  removals.passages += chunks.length;
  if (chooseRemoval(sql, removals.passages) === "merged") removals.leavesRest = true;
  for (const batch of toBatches(chunks, CHUNKS_AT_ONCE)) {
    const texts = readIndexed(sql, batch);
    for (const text of texts) removeWords(sql, text);
    termCounts.record(-1, texts.map(slotsOf));
  }
}

/*
 * How deleted words leave the FTS index for good (https://www.sqlite.org/fts5.html):
 * - `secure-delete` rewrites the page of each word as it is deleted, about 9 ms a passage;
 * - without it a deletion is a mark of microseconds, and the words stay until the segments that
 *   hold them are merged: about 15 µs for each passage of the whole index, in as many steps as
 *   wanted.
 */

/** Passages of one transaction whose words are deleted securely: a third of a second. */
const SECURE_PASSAGES = 32;

/** Pages of about 4 KB that one step merges, in about 50 ms; other calls come between steps. */
const PAGES_PER_STEP = 1_000;

/** A merge rewrites the words of the whole index, so one an hour does for any number of edits. */
const MERGE_EVERY_MS = HOUR_MS;

/** "all" of the index is to be merged; "rest": a merge is under way; "again": and one follows it. */
const STATE = "words_to_merge";
/** When the last merge began, ms. */
const BEGAN = "words_merge_began";

const isSecure = (sql: SqlStorage) =>
  valueOf(sql)`SELECT 1 FROM words_config WHERE k = 'secure-delete' AND v = 1` !== null;

/**
 * FTS5 deletes the words of a transaction as its setting says when the transaction ends. Not
 * securely while marks are stored: of a passage indexed twice, that deletes the later words with
 * the mark that hides the earlier ones.
 */
function chooseRemoval(sql: SqlStorage, passages: number): "secure" | "merged" {
  const state = readSetting(sql, STATE);
  const secure = passages <= SECURE_PASSAGES && state === null;
  if (isSecure(sql) !== secure) {
    // A parameter would be a floating-point number, which FTS5 refuses.
    sql.exec(`INSERT INTO words (words, rank) VALUES ('secure-delete', ${secure ? 1 : 0})`);
  }
  if (secure) return "secure";
  writeSetting(sql, STATE, (state ?? "all") === "all" ? "all" : "again");
  return "merged";
}

/** When the next step of merging is due, ms; null: no words of deleted passages are stored. */
export function mergeDueAt(sql: SqlStorage): number | null {
  const state = readSetting(sql, STATE);
  if (state === null) return null;
  const began = readSetting(sql, BEGAN);
  return state !== "all" || began === null ? 0 : Number(began) + MERGE_EVERY_MS;
}

/** One step of merging, inside a transaction. */
export function mergeWords({ sql }: WriteContext, now: number): void {
  const state = readSetting(sql, STATE);
  const begins = state === "all";
  if (begins) writeSetting(sql, BEGAN, String(now));
  const before = structureOf(sql);
  // A negative number of pages begins to merge all segments into one.
  const pages = begins ? -PAGES_PER_STEP : PAGES_PER_STEP;
  sql.exec(`INSERT INTO words (words, rank) VALUES ('merge', ${pages})`);
  const isDone = structureOf(sql) === before;
  if (isDone && state !== "again") run(sql)`DELETE FROM settings WHERE name = ${STATE}`;
  else if (isDone || begins) writeSetting(sql, STATE, isDone ? "all" : "rest");
}

/** FTS5's record of its segments, which every step that merges something changes. */
const structureOf = (sql: SqlStorage): string | null =>
  valueOf<string>(sql)`SELECT hex(block) FROM words_data WHERE id = 10`;
