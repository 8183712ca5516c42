import type { RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Database } from "../client.ts";
import { number, oneOf, row, text } from "../columns.ts";
import { firstRow, query, runBatch } from "../raw-sql.ts";
import { HOLDS, MESSAGE, OPEN, pendSql } from "./file-rows.ts";
import { leaveSql, REMOVAL } from "./removal-store.ts";
import type { Removal } from "./removal-store.ts";

/** A RAG's indexes and what they may show; null scopes: the whole source. */
export type RagScopes = { generations: [number, number][]; scopes: IndexScope[] | null };

const RAG = row({ mode: oneOf(["global", "scoped"]) });
const GENERATION = row({ generation: number, shards: number });
const SCOPE = row({ type: oneOf(["path", "externalId"]), value: text });

/** Null when there is no such RAG any more. */
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

/** Where the page of a RAG's source ends that begins after `after`; null at the end. */
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

type PageRange = { after: string; upTo: string | null };

/** Gives the RAG the files of a page that it holds, and marks those that it holds no more. */
export async function applyScopesToPage(
  db: Database,
  ragId: RagId,
  { after, upTo }: PageRange,
  times: { now: number; queuedUntil: number; removedUntil: number },
): Promise<{ messages: IndexMessage[]; removals: Removal[] }> {
  const [messages, removals] = await runBatch(db, [
    query(MESSAGE, PEND_PAGE, ragId, times.now, times.queuedUntil, after, upTo),
    query(REMOVAL, LEAVE_PAGE, ragId, times.now, times.removedUntil, after, upTo),
  ]);
  return { messages, removals };
}

const PEND_PAGE = pendSql(
  "rags r join files f on f.file_source_id = r.file_source_id",
  `r.id = ?1 and f.deleted_at is null and f.path > ?4 and (?5 is null or f.path <= ?5)
    and not exists (select 1 from rag_files x where x.rag_id = r.id and x.file_id = f.id
      and x.generation = r.generation and x.status <> 'deleted')`,
  "?2",
  "?3",
);

const LEAVE_PAGE = leaveSql(`rags r cross join rag_generations g on g.rag_id = r.id and ${OPEN}
    cross join rag_files rf on rf.rag_id = r.id and rf.generation = g.generation
    cross join files f on f.id = rf.file_id
  where r.id = ?1 and rf.path > ?4 and (?5 is null or rf.path <= ?5) and not ${HOLDS}`);
