import { r } from "../records.ts";
import { keptQueries } from "../schema/index.ts";
import { number, columnsOf, select, rowAsSelect, type Row } from "../select.ts";
import { execute, readRows, type Database } from "../sql.ts";

/** A query as it is kept, with what was found for it. */
export type KeptQuery = typeof keptQueries.$inferSelect;

/** Nothing is kept of a RAG that was removed meanwhile. */
export const insertQuery = (db: Database, query: KeptQuery) =>
  execute(db)`insert into kept_queries ${rowAsSelect(keptQueries, query)}
    from rags r where r.id = ${query.ragId} and r.removed_at is null`;

export const purgeQueries = (db: Database, before: number) =>
  execute(db)`delete from kept_queries where at < ${before}`;

/** Few enough for one statement. */
const DELETED_AT_ONCE = 20_000;

/** Deletes all but the newest `most`, the oldest first, so many at once. */
export const keepNewestQueries = (db: Database, most: number) =>
  execute(db)`delete from kept_queries where id in (select id from kept_queries where id <=
    (select id from kept_queries order by id desc limit 1 offset ${most})
    order by id limit ${DELETED_AT_ONCE})`;

const q = columnsOf(keptQueries, "q");
const GROUP = select({
  ragIdentifier: r.identifier,
  ragName: r.name,
  query: q.query,
  times: number("q.times"),
  lastAt: number("q.lastAt"),
  bestScore: q.bestScore,
  file: q.file,
});
/** Queries to a RAG that say the same; text, score and file are those of the latest. */
export type QueryGroup = Row<typeof GROUP>;

/** Queries that found nothing first, then by the score of the best passage. */
export const listLeastFoundQueries = (db: Database, limit: number): Promise<QueryGroup[]> =>
  // With max() alone, SQLite takes the other columns from the row that has it.
  readRows(db)`select ${GROUP}
    from (select rag_id, query, best_score, file, count(*) as times, max(at) as lastAt
      from kept_queries group by rag_id, same_as) q
    join rags r on r.id = q.rag_id and r.removed_at is null
    order by q.best_score is not null, q.best_score, q.times desc, q.lastAt desc limit ${limit}`;
