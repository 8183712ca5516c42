import type { ChunkId } from "../../core/ids.ts";
import type { Admission } from "./eligibility.ts";

/** Chunks that are read and scored without the help of FTS5. */
export const DIRECT_LIMIT_CHUNKS = 400;
const ROWS_A_PAGE = 1_000;

type Row = { chunk: number; id: ChunkId; file: number; duplicate: number };
export type Sample = Map<number, ChunkId>;

function admitInto(sample: Sample, admission: Admission, rows: Row[]): void {
  for (const { chunk, id, file, duplicate } of rows) {
    if (sample.size >= DIRECT_LIMIT_CHUNKS) return;
    if (admission.admits({ chunk, file, duplicate: duplicate === 1 })) sample.set(chunk, id);
  }
}

/** Every chunk of the eligible files; for restrictions within DIRECT_LIMIT_CHUNKS. */
export function eligibleChunks(sql: SqlStorage, admission: Admission): Sample {
  const files = JSON.stringify([...(admission.eligibility.files ?? [])]);
  const rows = sql
    .exec<Row>(
      `SELECT c.chunk, c.id, c.file, c.duplicate FROM json_each(?) f
        CROSS JOIN chunks c ON c.file = f.value AND c.live = 1`,
      files,
    )
    .toArray();
  const sample: Sample = new Map();
  admitInto(sample, admission, rows);
  return sample;
}

/** Where the chunks of a restriction begin: a RAG's files mostly stand one after the other. */
function firstEligible(sql: SqlStorage, { eligibility }: Admission): number {
  if (eligibility.files === null) return 0;
  const { first } = sql
    .exec<{ first: number | null }>(
      `SELECT min(c.chunk) AS first FROM json_each(?) f
        CROSS JOIN chunks c ON c.file = f.value AND c.live = 1`,
      JSON.stringify([...eligibility.files]),
    )
    .one();
  return first ?? 0;
}

const NEXT_PAGE = `SELECT c.chunk, c.id, c.file, c.duplicate
  FROM words w CROSS JOIN chunks c ON c.chunk = w.rowid
  WHERE words MATCH ? AND w.rowid > ? ORDER BY w.rowid LIMIT ?`;

/** The first eligible chunks that match, from at most so many postings. */
export function firstMatches(
  sql: SqlStorage,
  admission: Admission,
  { match, postingsLimit }: { match: string; postingsLimit: number },
): Sample {
  const sample: Sample = new Map();
  let after = firstEligible(sql, admission) - 1;
  for (let read = 0; read < postingsLimit && sample.size < DIRECT_LIMIT_CHUNKS;) {
    // Each page is read to its end: an abandoned cursor would keep its statement busy.
    const rows = sql.exec<Row>(NEXT_PAGE, match, after, ROWS_A_PAGE).toArray();
    admitInto(sample, admission, rows);
    read += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_A_PAGE) break;
    after = last.chunk;
  }
  return sample;
}
