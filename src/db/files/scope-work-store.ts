import type { RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../core/queue-messages.ts";
import type { IndexScope, SearchExclusions } from "../../ports/rag-index.ts";
import { selectExclusionsOf } from "../catalog/exclusion-store.ts";
import { selectScopes } from "../catalog/rag-scope-store.ts";
import { AFTER_ALL, ALL_PATHS, rangeOf } from "../path-range.ts";
import { r, g } from "../records.ts";
import { files } from "../schema/index.ts";
import { FILE_STATUSES, ROW_STATUSES } from "../schema/rags.ts";
import { columnsOf, pick, select } from "../select.ts";
import { raw, readValue, readValues, runBatch, sql, type Database, type Sql } from "../sql.ts";
import { HOLDS, isRemoved, OPEN, queueSql, type PendTimes } from "./file-rows.ts";
import { markLeavingSql, type Removal, type RemovalTimes } from "./removal-store.ts";

/** A RAG's indexes and what they show; null scopes: the whole source. */
export type RagScopes = {
  generations: [number, number][];
  scopes: IndexScope[] | null;
  excluded: SearchExclusions;
};

const MODE = select(pick(r, "scopeMode"));
const GENERATION = select(pick(g, "generation", "shards"));

/** Null when the RAG does not exist any more. */
export async function scopesOfIndexes(db: Database, ragId: RagId): Promise<RagScopes | null> {
  const [[rag], generations, scopes, exclusions] = await runBatch(db, [
    sql`select ${MODE} from rags r where r.id = ${ragId} and r.removed_at is null`,
    sql`select ${GENERATION} from rag_generations g
      where g.rag_id = ${ragId} and ${OPEN}`,
    selectScopes(ragId),
    selectExclusionsOf(ragId),
  ]);
  if (rag === undefined) return null;
  const excludedValues = (condition: string) =>
    exclusions.filter(({ kind }) => kind === condition).map(({ value }) => value);
  return {
    generations: generations.map(({ generation, shards }) => [generation, shards]),
    scopes: rag.scopeMode === "global" ? null : scopes,
    excluded: { paths: excludedValues("file"), passages: excludedValues("passage") },
  };
}

/** The last file of the page of a RAG's source that begins after `after`; null at the end. */
export const endOfPage = (db: Database, ragId: RagId, after: string, limit: number) =>
  readValue(db, columnsOf(files).path)`select f.path
    from files f join rags r on r.file_source_id = f.file_source_id
    where r.id = ${ragId} and f.path > ${after} order by f.path limit 1 offset ${limit - 1}`;

/** Whether a file `f` of the source of a RAG `r` has no current row in the RAG. */
const LACKS = sql`not exists (select 1 from rag_files x where x.rag_id = r.id and x.file_id = f.id
  and x.generation = r.generation and not ${isRemoved("x")})`;

const OF_SOURCE = raw("f.file_source_id = r.file_source_id and f.deleted_at is null");

/** How the scopes of a RAG changed; `replaced`: in more than one; `absent`: removed before. */
export type ScopeChange =
  | { kind: "replaced" }
  | { kind: "added" | "removed" | "absent"; scope: IndexScope };

/** Files looked at in the request that changed scopes; the walk over all files does the rest. */
const EXAMINED_AT_ONCE = 20_000;
const ADDED_AT_ONCE = 500;
const LEAVING_AT_ONCE = 2_000;

/** How many files of a range of paths come into a RAG `r` once its scopes have changed. */
function countComingSql(kind: ScopeChange["kind"], first: string, last: string): Sql {
  const examined = sql`(select f.id, f.path, f.external_id, f.metadata from files f
    where ${OF_SOURCE} and f.path between ${first} and ${last} limit ${EXAMINED_AT_ONCE}) f`;
  // At least one more is expected among files beyond the limit.
  const coming = sql`(select coalesce(sum(${LACKS} and ${HOLDS}), 0)
    + (count(*) = ${EXAMINED_AT_ONCE}) from ${examined})`;
  if (kind === "replaced") return coming;
  // The change itself counted one.
  if (kind === "added") return sql`max(0, r.coming_files - 1 + ${coming})`;
  if (kind === "absent") return raw("r.coming_files");
  const notComing = sql`(select coalesce(sum(${LACKS} and not ${HOLDS}), 0) from ${examined})`;
  return sql`max(0, r.coming_files - ${notComing})`;
}

/**
 * Counts the files that changed scopes add, lists the first of them, and takes those out of the
 * RAG's counts and list that the scopes no longer contain. The work on both is claimed until
 * `heldUntilSql`. Returns messages for the files that are listed. Counts nothing when the walk over
 * the files has ended meanwhile.
 */
export async function countScopeChange(
  db: Database,
  ragId: RagId,
  change: ScopeChange,
  { now, heldUntil }: { now: number; heldUntil: number },
): Promise<IndexMessage[]> {
  const range = change.kind === "replaced" ? ALL_PATHS : rangeOf(change.scope);
  // An external id has no range of paths: what is counted over all files is the whole count.
  const isWhole = range === ALL_PATHS && change.kind !== "absent";
  const [first, last] = range;
  const leaving = sql`rags r cross join (
      select x.rag_id, x.generation, x.file_id from rag_generations g
      cross join rag_files x on x.rag_id = g.rag_id and x.generation = g.generation
        and x.status in ${LISTED} and x.path between ${first} and ${last}
      where g.rag_id = ${ragId} and ${OPEN} limit ${EXAMINED_AT_ONCE}) rf
    cross join files f on f.id = rf.file_id where r.id = ${ragId} and not ${HOLDS}`;
  const added = sql`rags r cross join (select * from files
    where file_source_id = (select file_source_id from rags where id = ${ragId})
      and deleted_at is null and path between ${first} and ${last} limit ${EXAMINED_AT_ONCE}) f`;
  const isAdded = sql`r.id = ${ragId} and ${LACKS} limit ${ADDED_AT_ONCE}`;
  const adds = change.kind === "added" || change.kind === "replaced";
  const [messages] = await runBatch(db, [
    queueSql(added, adds ? isAdded : raw("0"), { now, claimedUntil: heldUntil }),
    sql`update rags as r set scopes_due_at = ${heldUntil},
        coming_files = ${countComingSql(isWhole ? "replaced" : change.kind, first, last)}
      where r.id = ${ragId} and r.scopes_due_at is not null`,
    ...(change.kind === "added"
      ? []
      : [markLeavingSql(leaving, { now, removedUntil: heldUntil }, sql`limit ${LEAVING_AT_ONCE}`)]),
  ]);
  return messages;
}

/** Grows with every change of a RAG's scopes; null when the RAG does not exist any more. */
export const scopesRevision = (db: Database, ragId: RagId) =>
  readValue(db, r.scopesRevision)`select scopes_revision from rags
    where id = ${ragId} and removed_at is null`;

type Page = {
  after: string;
  upTo: string | null;
  /** The revision of the scopes when the walk began; null: unknown, the walk ends nothing. */
  revision: number | null;
};

/** Adds a page's files that the scopes contain, marks the others. `upTo` null: the last page. */
export async function applyScopesToPage(
  db: Database,
  ragId: RagId,
  { after, upTo, revision }: Page,
  times: PendTimes & RemovalTimes,
): Promise<{ messages: IndexMessage[]; removals: Removal[] }> {
  // Without an upper bound SQLite would read the index to its end, page after page.
  const last = upTo ?? AFTER_ALL;
  const isInPage = (x: string) => sql`${raw(x)}.path > ${after} and ${raw(x)}.path <= ${last}`;
  const [, messages, removals] = await runBatch(db, [
    // Files that this page adds are no longer coming. While the walk is under way, one is.
    sql`update rags as r set scopes_due_at = ${times.claimedUntil},
        coming_files = max(min(1, coming_files), coming_files - (select count(*) from files f
          where ${OF_SOURCE} and ${isInPage("f")} and ${LACKS} and ${HOLDS}))
      where r.id = ${ragId} and r.scopes_due_at is not null`,
    queueSql(
      raw("rags r join files f on f.file_source_id = r.file_source_id"),
      sql`r.id = ${ragId} and ${isInPage("f")} and f.deleted_at is null and ${LACKS}`,
      times,
    ),
    markLeavingSql(
      sql`rags r cross join rag_generations g on g.rag_id = r.id and ${OPEN}
          cross join rag_files rf on rf.rag_id = r.id and rf.generation = g.generation
          cross join files f on f.id = rf.file_id
        where r.id = ${ragId} and rf.status in ${ANY_STATUS} and ${isInPage("rf")} and not ${HOLDS}`,
      times,
    ),
    // A later change of the scopes has its own walk.
    ...(upTo === null
      ? [
          sql`update rags set coming_files = 0, scopes_due_at = null
            where id = ${ragId} and scopes_revision = ${revision}`,
        ]
      : []),
  ]);
  return { messages, removals };
}

/** Statuses are named, so that a range of paths is read from the index of both. */
const namesOf = (statuses: readonly string[]) =>
  raw(`(${statuses.map((status) => `'${status}'`).join(", ")})`);
const ANY_STATUS = namesOf(ROW_STATUSES);
const LISTED = namesOf(FILE_STATUSES);

const RAGS_AT_ONCE = 1_000;

/** RAGs whose changed scopes are not being applied; each is postponed until `heldUntilSql`. */
export const takeUnappliedScopes = (db: Database, now: number, heldUntil: number) =>
  readValues(db, r.id)`update rags set scopes_due_at = ${heldUntil}
    where id in (select id from rags where scopes_due_at < ${now} and removed_at is null
      order by scopes_due_at limit ${RAGS_AT_ONCE}) returning id`;
