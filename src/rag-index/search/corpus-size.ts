import type { CorpusSize } from "../../text/bm25.ts";
import { valueOf } from "../tables.ts";

const MORE = 0x80;
const SEVEN_BITS = 128;

/** SQLite's variable-length integers, most significant bits first; sums here stay below 2^53. */
function varintsOf(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * SEVEN_BITS + (byte % MORE);
    if (byte >= MORE) continue;
    values.push(value);
    value = 0;
  }
  return values;
}

/**
 * The totals for the averages in `bm25()`: row 1 of an FTS5 table's data holds the number of rows
 * and the words of each column, as varints (`sqlite3Fts5StorageSync` in ext/fts5/fts5_storage.c).
 */
export function readCorpusSize(sql: SqlStorage): CorpusSize {
  const block = valueOf<ArrayBuffer>(sql, "SELECT block FROM words_data WHERE id = 1");
  const [chunks = 0, headings = 0, text = 0] = varintsOf(new Uint8Array(block ?? []));
  return { chunks, words: headings + text };
}
