import type { RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Database } from "../client.ts";
import { id, number, oneOf, row, text } from "../columns.ts";
import { query, readRow, readRows, runBatch, statement } from "../raw-sql.ts";
import { FILE_STATUSES } from "../schema/rags.ts";
import { HOLDS, MESSAGE, OPEN, pendSql } from "./file-rows.ts";
import { AFTER_ALL, ALL_PATHS, rangeOf } from "../path-range.ts";
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
  const end = await readRow(
    db,
    row({ path: text }),
    `select f.path from files f join rags r on r.file_source_id = f.file_source_id
     where r.id = ?1 and f.path > ?2 order by f.path limit 1 offset ?3`,
    ragId,
    after,
    limit - 1,
  );
  return end?.path ?? null;
}

/** Whether a file `f` of the source of a RAG `r` has no current row in the RAG. */
const LACKS = `not exists (select 1 from rag_files x where x.rag_id = r.id and x.file_id = f.id
    and x.generation = r.generation and x.status <> 'deleted')`;

const OF_SOURCE = "f.file_source_id = r.file_source_id and f.deleted_at is null";

/** How the scopes of a RAG changed; `replaced`: in more than one; `absent`: removed before. */
export type ScopeChange =
  | { kind: "replaced" }
  | { kind: "added" | "removed" | "absent"; scope: IndexScope };

/** Files looked at in the request that changed scopes; the walk over all files does the rest. */
const EXAMINED_AT_ONCE = 20_000;
const LEAVING_AT_ONCE = 2_000;

/** The files ?3 to ?4, up to ?5 of them. */
const EXAMINED = `(select f.id, f.path, f.external_id, f.metadata from files f
  where ${OF_SOURCE} and f.path between ?3 and ?4 limit ?5) f`;

/** At least one more is expected among files beyond the limit. */
const COMING = `(select coalesce(sum(${LACKS} and ${HOLDS}), 0) + (count(*) = ?5) from ${EXAMINED})`;
const NOT_COMING = `(select coalesce(sum(${LACKS} and not ${HOLDS}), 0) from ${EXAMINED})`;

const COMING_AFTER: Record<ScopeChange["kind"], string> = {
  replaced: COMING,
  // The change itself counted one.
  added: `max(0, r.coming_files - 1 + ${COMING})`,
  removed: `max(0, r.coming_files - ${NOT_COMING})`,
  absent: "r.coming_files",
};

/**
 * Counts the files that changed scopes add, and takes those out of the RAG's counts that the
 * scopes no longer contain. Their removal from the indexes is claimed until `heldUntil`. Does
 * nothing when the walk over the files has ended meanwhile.
 */
export async function countScopeChange(
  db: Database,
  ragId: RagId,
  change: ScopeChange,
  { now, heldUntil }: { now: number; heldUntil: number },
): Promise<void> {
  const range = change.kind === "replaced" ? ALL_PATHS : rangeOf(change.scope);
  // An external id has no range of paths: what is counted over all files is the whole count.
  const isWhole = range === ALL_PATHS && change.kind !== "absent";
  const after = COMING_AFTER[isWhole ? "replaced" : change.kind];
  const examined = [...range, EXAMINED_AT_ONCE];
  await runBatch(db, [
    statement(
      `update rags as r set scopes_due_at = ?2, coming_files = ${after}
       where r.id = ?1 and r.scopes_due_at is not null`,
      ragId,
      heldUntil,
      ...(change.kind === "absent" ? [] : examined),
    ),
    ...(change.kind === "added"
      ? []
      : [statement(LEAVE_SOME, ragId, now, heldUntil, ...examined, LEAVING_AT_ONCE)]),
  ]);
}

/** Grows with every change of a RAG's scopes; null when the RAG does not exist any more. */
export async function scopesRevision(db: Database, ragId: RagId): Promise<number | null> {
  const found = await readRow(
    db,
    row({ revision: number }),
    `select scopes_revision as revision from rags where id = ?1 and removed_at is null`,
    ragId,
  );
  return found?.revision ?? null;
}

type Page = {
  after: string;
  upTo: string | null;
  /** Of the scopes when the walk began; null: unknown, the walk ends nothing. */
  revision: number | null;
};

/**
 * Adds the files of a page that are inside the RAG's scopes, and marks those outside. The last page
 * (`upTo` null) ends the work on the scopes that the walk began with.
 */
export async function applyScopesToPage(
  db: Database,
  ragId: RagId,
  { after, upTo, revision }: Page,
  times: { now: number; queuedUntil: number; removedUntil: number },
): Promise<{ messages: IndexMessage[]; removals: Removal[] }> {
  // Without an upper bound SQLite would read the index to its end, page after page.
  const last = upTo ?? AFTER_ALL;
  const [, messages, removals] = await runBatch(db, [
    statement(COME_PAGE, ragId, times.queuedUntil, after, last),
    query(MESSAGE, PEND_PAGE, ragId, times.now, times.queuedUntil, after, last),
    query(REMOVAL, LEAVE_PAGE, ragId, times.now, times.removedUntil, after, last),
    ...(upTo === null ? [statement(END_WALK, ragId, revision)] : []),
  ]);
  return { messages, removals };
}

/** Files that this page adds are no longer coming. While the walk is under way, one is. */
const COME_PAGE = `update rags as r set scopes_due_at = ?2,
    coming_files = max(min(1, coming_files), coming_files - (select count(*) from files f
      where ${OF_SOURCE} and f.path > ?3 and f.path <= ?4 and ${LACKS} and ${HOLDS}))
  where r.id = ?1 and r.scopes_due_at is not null`;

/** A later change of the scopes has its own walk. */
const END_WALK = `update rags set coming_files = 0, scopes_due_at = null
  where id = ?1 and scopes_revision = ?2`;

const PEND_PAGE = pendSql(
  "rags r join files f on f.file_source_id = r.file_source_id",
  `r.id = ?1 and f.path > ?4 and f.path <= ?5 and f.deleted_at is null
     and ${LACKS}`,
  "?2",
  "?3",
);

/** Statuses are named, so that a range of paths is read from the index of both. */
const namesOf = (statuses: readonly string[]) =>
  `(${statuses.map((one) => `'${one}'`).join(", ")})`;
const ANY_STATUS = namesOf(FILE_STATUSES);
const NOT_DELETED = namesOf(FILE_STATUSES.filter((one) => one !== "deleted"));

const OPEN_ROWS = `rags r cross join rag_generations g on g.rag_id = r.id and ${OPEN}
    cross join rag_files rf on rf.rag_id = r.id and rf.generation = g.generation
    cross join files f on f.id = rf.file_id`;

const LEAVE_SOME = leaveSql(
  `rags r cross join (
     select x.rag_id, x.generation, x.file_id
     from rag_generations g cross join rag_files x on x.rag_id = g.rag_id
       and x.generation = g.generation and x.status in ${NOT_DELETED} and x.path between ?4 and ?5
     where g.rag_id = ?1 and ${OPEN} limit ?6) rf
   cross join files f on f.id = rf.file_id where r.id = ?1 and not ${HOLDS}`,
  "limit ?7",
);

const LEAVE_PAGE = leaveSql(
  `${OPEN_ROWS} where r.id = ?1 and rf.status in ${ANY_STATUS} and rf.path > ?4 and rf.path <= ?5 and not ${HOLDS}`,
);

/** RAGs whose changed scopes are not being applied; each is postponed until `heldUntil`. */
export async function takeUnappliedScopes(
  db: Database,
  now: number,
  heldUntil: number,
): Promise<RagId[]> {
  const rows = await readRows(
    db,
    row({ id: id<RagId>() }),
    `update rags set scopes_due_at = ?2
     where scopes_due_at < ?1 and removed_at is null returning id`,
    now,
    heldUntil,
  );
  return rows.map(({ id }) => id);
}
