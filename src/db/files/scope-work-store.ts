import type { RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Database } from "../client.ts";
import { id, number, oneOf, row, text } from "../columns.ts";
import { allRows, firstRow, query, runBatch, statement } from "../raw-sql.ts";
import { HOLDS, MESSAGE, OPEN, pendSql } from "./file-rows.ts";
import { leaveSql, REMOVAL } from "./removal-store.ts";
import type { Removal } from "./removal-store.ts";

/** A RAG's indexes and their scopes; null scopes: the whole source. */
export type RagScopes = { generations: [number, number][]; scopes: IndexScope[] | null };

const RAG = row({ mode: oneOf(["global", "scoped"]) });
const GENERATION = row({ generation: number, shards: number });
const SCOPE = row({ type: oneOf(["path", "externalId"]), value: text });

/** Null when the RAG does not exist any more. */
export async function scopesOfIndexes(db: Database, ragId: RagId): Promise<RagScopes | null> {
  const [[rag], generations, scopes] = await runBatch(db, [
    query(RAG, `select scope_mode as mode from rags where id = ?1 and removed_at is null`, ragId),
    query(
      GENERATION,
      `select generation, shards from rag_generations
       where rag_id = ?1 and state in ('live', 'building')`,
      ragId,
    ),
    query(
      SCOPE,
      `select type, value from rag_scopes where rag_id = ?1 order by type, value`,
      ragId,
    ),
  ]);
  if (rag === undefined) return null;
  return {
    generations: generations.map(({ generation, shards }) => [generation, shards]),
    scopes: rag.mode === "global" ? null : scopes,
  };
}

/** The last file of the page of a RAG's source that begins after `after`; null at the end. */
export async function endOfPage(
  db: Database,
  ragId: RagId,
  after: string,
  limit: number,
): Promise<string | null> {
  const end = await firstRow(
    db,
    query(
      row({ path: text }),
      `select f.path from files f join rags r on r.file_source_id = f.file_source_id
       where r.id = ?1 and f.path > ?2 order by f.path limit 1 offset ?3`,
      ragId,
      after,
      limit - 1,
    ),
  );
  return end?.path ?? null;
}

/** Whether a RAG `r` contains a file `f` of its source but has no current row of it. */
const LACKS = `f.file_source_id = r.file_source_id and f.deleted_at is null and ${HOLDS}
  and not exists (select 1 from rag_files x where x.rag_id = r.id and x.file_id = f.id
    and x.generation = r.generation and x.status <> 'deleted')`;

/**
 * Counts the files still to be added, exactly; ?2: the deadline for applying the scopes. Every
 * change of scopes and every walk over the files ends with it, so the count is right after the
 * last of them, whatever changed meanwhile.
 */
const COUNT_COMING = `update rags as r set coming_due_at = ?2,
    coming_files = (select count(*) from files f where ${LACKS})
  where r.id = ?1`;

/** Counts the files that changed scopes will add, in the request that changed them. */
export async function countComing(db: Database, ragId: RagId, heldUntil: number): Promise<void> {
  await allRows(db, statement(COUNT_COMING, ragId, heldUntil));
}

/**
 * Also takes up to `limit` files that the scopes no longer contain out of the RAG's counts. Their
 * removal from the indexes is claimed until `heldUntil`.
 */
export async function countChangedScopes(
  db: Database,
  ragId: RagId,
  { now, heldUntil, limit }: { now: number; heldUntil: number; limit: number },
): Promise<void> {
  await runBatch(db, [
    statement(LEAVE_SOME, ragId, now, heldUntil, limit),
    statement(COUNT_COMING, ragId, heldUntil),
  ]);
}

type PageRange = { after: string; upTo: string | null };

/** Adds the files of a page that are inside the RAG's scopes, and marks those outside. */
export async function applyScopesToPage(
  db: Database,
  ragId: RagId,
  { after, upTo }: PageRange,
  times: { now: number; queuedUntil: number; removedUntil: number },
): Promise<{ messages: IndexMessage[]; removals: Removal[] }> {
  const [, messages, removals] = await runBatch(db, [
    statement(COME_PAGE, ragId, times.queuedUntil, after, upTo),
    query(MESSAGE, PEND_PAGE, ragId, times.now, times.queuedUntil, after, upTo),
    query(REMOVAL, LEAVE_PAGE, ragId, times.now, times.removedUntil, after, upTo),
    ...(upTo === null ? [statement(COUNT_COMING, ragId, times.queuedUntil)] : []),
  ]);
  return { messages, removals };
}

/** Files that this page adds are no longer counted as still to be added. */
const COME_PAGE = `update rags as r set coming_due_at = ?2, coming_files = max(0, coming_files -
    (select count(*) from files f where ${LACKS} and f.path > ?3 and (?4 is null or f.path <= ?4)))
  where r.id = ?1 and r.coming_files > 0`;

const PEND_PAGE = pendSql(
  "rags r join files f on f.file_source_id = r.file_source_id",
  `r.id = ?1 and f.path > ?4 and (?5 is null or f.path <= ?5) and ${LACKS}`,
  "?2",
  "?3",
);

const OPEN_ROWS = `rags r cross join rag_generations g on g.rag_id = r.id and ${OPEN}
    cross join rag_files rf on rf.rag_id = r.id and rf.generation = g.generation
    cross join files f on f.id = rf.file_id`;

const LEAVE_SOME = leaveSql(
  `${OPEN_ROWS} where r.id = ?1 and rf.status <> 'deleted' and not ${HOLDS}`,
  "limit ?4",
);

const LEAVE_PAGE = leaveSql(
  `${OPEN_ROWS} where r.id = ?1 and rf.path > ?4 and (?5 is null or rf.path <= ?5) and not ${HOLDS}`,
);

/** RAGs whose changed scopes are not being applied; each is postponed until `heldUntil`. */
export async function takeUnappliedScopes(
  db: Database,
  now: number,
  heldUntil: number,
): Promise<RagId[]> {
  const rows = await allRows(
    db,
    query(
      row({ id: id<RagId>() }),
      `update rags set coming_due_at = ?2
       where coming_files > 0 and coming_due_at < ?1 and removed_at is null returning id`,
      now,
      heldUntil,
    ),
  );
  return rows.map(({ id }) => id);
}
