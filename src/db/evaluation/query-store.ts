import type { RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { nullable, number, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { execute, readRows } from "../raw-sql.ts";

/** A query as it is kept, with what was found for it. */
export type KeptQuery = {
  id: string;
  ragId: RagId;
  at: number;
  query: string;
  /** Equal for queries that say the same. */
  sameAs: string;
  /** Similarity of the best passage; null: nothing was found. */
  bestScore: number | null;
  /** The file of the best passage. */
  file: string | null;
};

/** Nothing is kept of a RAG that was removed meanwhile. */
export async function insertQuery(db: Database, kept: KeptQuery): Promise<void> {
  await execute(
    db,
    `insert into kept_queries (id, rag_id, at, query, same_as, best_score, file)
     select ?1, r.id, ?3, ?4, ?5, ?6, ?7 from rags r where r.id = ?2 and r.removed_at is null`,
    kept.id,
    kept.ragId,
    kept.at,
    kept.query,
    kept.sameAs,
    kept.bestScore,
    kept.file,
  );
}

/** Deletes queries from before `before`. */
export async function purgeQueries(db: Database, before: number): Promise<void> {
  await execute(db, `delete from kept_queries where at < ?1`, before);
}

/** Few enough for one statement. */
const DELETED_AT_ONCE = 20_000;

/** Deletes all but the newest `most`, the oldest first, so many at once. */
export async function keepNewest(db: Database, most: number): Promise<void> {
  await execute(
    db,
    `delete from kept_queries where id in (select id from kept_queries where id <=
       (select id from kept_queries order by id desc limit 1 offset ?1) order by id limit ?2)`,
    most,
    DELETED_AT_ONCE,
  );
}

const GROUP = row({
  ragIdentifier: text,
  ragName: text,
  query: text,
  times: number,
  lastAt: number,
  bestScore: nullable(number),
  file: nullable(text),
});
/** Queries to a RAG that say the same; text, score and file are those of the latest. */
export type QueryGroup = Row<typeof GROUP>;

/** Those for which least was found first: nothing at all, then by the score of the best passage. */
export async function leastFoundQueries(db: Database, limit: number): Promise<QueryGroup[]> {
  // With max() alone, SQLite takes the other columns from the row that has it.
  return await readRows(
    db,
    GROUP,
    `select r.identifier as ragIdentifier, r.name as ragName, q.query, q.times, q.lastAt,
       q.best_score as bestScore, q.file
     from (select rag_id, query, best_score, file, count(*) as times, max(at) as lastAt
       from kept_queries group by rag_id, same_as) q
     join rags r on r.id = q.rag_id and r.removed_at is null
     order by q.best_score is not null, q.best_score, q.times desc, q.lastAt desc limit ?1`,
    limit,
  );
}
