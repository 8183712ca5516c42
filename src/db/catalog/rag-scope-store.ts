import { and, asc, count, eq, sql } from "drizzle-orm";

import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Database } from "../client.ts";
import { among } from "../page.ts";
import { row, text } from "../columns.ts";
import { readRows, runBatch, statement } from "../raw-sql.ts";
import { rags, ragScopes } from "../schema/index.ts";

const columns = { type: ragScopes.type, value: ragScopes.value };
const inOrder = [asc(ragScopes.type), asc(ragScopes.value)];

export async function scopesOf(db: Database, ragId: RagId): Promise<IndexScope[]> {
  return await db
    .select(columns)
    .from(ragScopes)
    .where(eq(ragScopes.ragId, ragId))
    .orderBy(...inOrder);
}

/**
 * Those of these external ids that no file of the source has, neither as its own nor as that of a
 * folder above it. For ids that are no file's own, the source's files are read once.
 */
export async function findUnknownIds(
  db: Database,
  sourceId: FileSourceId,
  ids: string[],
): Promise<string[]> {
  const without = async (among: string[], condition: string) => {
    if (among.length === 0) return [];
    const sql = `select m.value as id from json_each(?2) m where ${condition}`;
    const rows = await readRows(db, row({ id: text }), sql, sourceId, among);
    return rows.map(({ id }) => id);
  };
  const ofNoFile = await without(
    ids,
    `not exists (select 1 from files f where f.file_source_id = ?1
       and f.external_id = m.value and f.deleted_at is null)`,
  );
  return await without(
    ofNoFile,
    `m.value not in (select a.value from files f, json_each(f.metadata, '$.ancestors') a
       where f.file_source_id = ?1 and f.deleted_at is null and a.value is not null)`,
  );
}

/** The scopes of many RAGs, in one round trip. */
export async function scopesOfAll(db: Database, ragIds: RagId[]) {
  const rows = await db
    .select({ ragId: ragScopes.ragId, ...columns })
    .from(ragScopes)
    .where(among(ragScopes.ragId, ragIds))
    .orderBy(...inOrder);
  const byRag = new Map<RagId, IndexScope[]>(ragIds.map((id) => [id, []]));
  for (const { ragId, type, value } of rows) byRag.get(ragId)?.push({ type, value });
  return byRag;
}

/** Written with every change of scopes: until a walk over the files has ended, the sweep begins one. */
const SCOPES_CHANGED = {
  scopesDueAt: 0,
  scopesRevision: sql<number>`${rags.scopesRevision} + 1`,
};

/**
 * The same where files may be added: until they are counted, one is expected, so that the RAG does
 * not count as complete.
 */
export const SCOPES_REPLACED = { ...SCOPES_CHANGED, comingFiles: 1 };

/**
 * Adds a scope to a scoped RAG with fewer than `max`; "full" at the maximum, "none" when the scope
 * exists or the RAG is not scoped.
 */
export async function insertScope(
  db: Database,
  ragId: RagId,
  scope: IndexScope,
  { now, max }: { now: number; max: number },
): Promise<"added" | "full" | "none"> {
  const { type, value } = scope;
  const [inserted] = await runBatch(db, [
    statement(INSERT, ragId, type, value, now, max),
    statement(CHANGED_BY_INSERT, ragId, type, value, now),
  ]);
  if (inserted.length > 0) return "added";
  const [[counted], same] = await db.batch([
    db.select({ total: count() }).from(ragScopes).where(eq(ragScopes.ragId, ragId)),
    db.select(columns).from(ragScopes).where(isScope(ragId, scope)),
  ]);
  return same.length === 0 && (counted?.total ?? 0) >= max ? "full" : "none";
}

const INSERT = `insert into rag_scopes (rag_id, type, value, created_at)
  select id, ?2, ?3, ?4 from rags
  where id = ?1 and scope_mode = 'scoped' and removed_at is null
    and (select count(*) from rag_scopes where rag_id = ?1) < ?5
  on conflict do nothing returning 1`;

const CHANGED_BY_INSERT = `update rags set coming_files = coming_files + 1, scopes_due_at = 0,
    scopes_revision = scopes_revision + 1
  where id = ?1 and exists (select 1 from rag_scopes where rag_id = ?1 and type = ?2
    and value = ?3 and created_at = ?4)`;

const isScope = (ragId: RagId, { type, value }: IndexScope) =>
  and(eq(ragScopes.ragId, ragId), eq(ragScopes.type, type), eq(ragScopes.value, value));

/** Removes a scope; false when there was none. */
export async function deleteScope(db: Database, ragId: RagId, scope: IndexScope): Promise<boolean> {
  const [deleted] = await db.batch([
    db.delete(ragScopes).where(isScope(ragId, scope)).returning({ ragId: ragScopes.ragId }),
    db.update(rags).set(SCOPES_CHANGED).where(eq(rags.id, ragId)),
  ]);
  return deleted.length > 0;
}

/** Statements that set exactly these scopes of a RAG, for a batch. */
export function replaceScopes(db: Database, ragId: RagId, scopes: IndexScope[], now: number) {
  return [
    db.delete(ragScopes).where(eq(ragScopes.ragId, ragId)),
    insertScopes(db, ragId, scopes, now),
  ] as const;
}

/** A statement that adds any number of scopes to a RAG that exists. */
export function insertScopes(db: Database, ragId: RagId, scopes: IndexScope[], now: number) {
  const type = sql<IndexScope["type"]>`scope.value ->> 'type'`.as("type");
  const value = sql<string>`scope.value ->> 'value'`.as("value");
  return db
    .insert(ragScopes)
    .select(
      db
        .select({
          ragId: rags.id,
          type,
          value,
          createdAt: sql<number>`${now}`.as("created_at"),
        })
        .from(rags)
        .innerJoin(sql`json_each(${JSON.stringify(scopes)}) as scope`, sql`true`)
        .where(eq(rags.id, ragId)),
    )
    .onConflictDoNothing();
}
