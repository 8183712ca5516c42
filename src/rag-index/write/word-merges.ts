import { HOUR_MS } from "../../core/time.ts";
import { run, readSetting, writeSetting, valueOf } from "../tables.ts";

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

/**
 * A merge writes the words of the whole index again: one an hour does for any number of edits, whose
 * words no search finds meanwhile.
 */
const MERGE_EVERY_MS = HOUR_MS;

/** Value: "all" of the index is to be merged; "rest": a merge is under way. */
const STATE = "words_to_merge";
/** When the last merge began, ms. */
const BEGAN = "words_merge_began";

const isSecure = (sql: SqlStorage) =>
  valueOf(sql)`SELECT 1 FROM words_config WHERE k = 'secure-delete' AND v = 1` !== null;

/**
 * Called before the words of passages are deleted, of which there are so many in this transaction
 * up to now. FTS5 deletes them as its setting says at the end of the transaction.
 */
export function chooseRemoval(sql: SqlStorage, passages: number): "secure" | "merged" {
  const secure = passages <= SECURE_PASSAGES;
  if (isSecure(sql) !== secure) {
    // A parameter would be a floating-point number, which FTS5 refuses.
    sql.exec(`INSERT INTO words (words, rank) VALUES ('secure-delete', ${secure ? 1 : 0})`);
  }
  if (secure) return "secure";
  writeSetting(sql, STATE, "all");
  return "merged";
}

/** When the next step of merging is due, ms; null: no words of deleted passages are stored. */
export function mergeDueAt(sql: SqlStorage): number | null {
  const state = readSetting(sql, STATE);
  if (state === null) return null;
  const began = readSetting(sql, BEGAN);
  return state === "rest" || began === null ? 0 : Number(began) + MERGE_EVERY_MS;
}

/** One step of merging, inside a transaction. */
export function mergeWords(sql: SqlStorage, now: number): void {
  const begins = readSetting(sql, STATE) === "all";
  if (begins) writeSetting(sql, BEGAN, String(now));
  const before = structureOf(sql);
  // A negative number of pages begins to merge all segments into one.
  const pages = begins ? -PAGES_PER_STEP : PAGES_PER_STEP;
  sql.exec(`INSERT INTO words (words, rank) VALUES ('merge', ${pages})`);
  if (structureOf(sql) !== before) writeSetting(sql, STATE, "rest");
  else run(sql)`DELETE FROM settings WHERE name = ${STATE}`;
}

/** FTS5's record of its segments, which every step that merges something changes. */
const structureOf = (sql: SqlStorage): string | null =>
  valueOf<string>(sql)`SELECT hex(block) FROM words_data WHERE id = 10`;
