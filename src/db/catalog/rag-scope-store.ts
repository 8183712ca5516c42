import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import { countSql, countUpTo } from "../page.ts";
import { AFTER_SLASH } from "../path-range.ts";
import { ragScopes } from "../schema/index.ts";
import { text, columnsOf, pick, select, rowAsSelect } from "../select.ts";
import { raw, readRows, readValues, runBatch, sql, type Database, type Sql } from "../sql.ts";

const s = columnsOf(ragScopes, "s");
const SCOPE = select(pick(s, "type", "value"));

/** The scopes `s` of a RAG, in order; `ragId`: of the RAG, or what selects it. */
export const selectScopes = (ragId: RagId | Sql) =>
  sql`select ${SCOPE} from rag_scopes s where s.rag_id = ${ragId}
    order by s.type, s.value`;

export async function scopesOf(db: Database, ragId: RagId): Promise<IndexScope[]> {
  const [scopes] = await runBatch(db, [selectScopes(ragId)]);
  return scopes;
}

/** Which of these paths a RAG has, and a part of its scopes in order behind `after`. */
export async function readScopes(
  db: Database,
  { ragId, paths, after, limit }: ScopeQuery,
): Promise<{ among: Set<string>; listed: IndexScope[] }> {
  const [among, scopeRows] = await runBatch(db, [
    sql`select ${SCOPE} from json_each(${paths}) wanted cross join rag_scopes s
      on s.rag_id = ${ragId} and s.type = 'path' and s.value = wanted.value`,
    sql`select ${SCOPE} from rag_scopes s where s.rag_id = ${ragId}
        and (s.type, s.value) > (${after?.type ?? ""}, ${after?.value ?? ""})
      order by s.type, s.value limit ${limit}`,
  ]);
  return { among: new Set(among.map(({ value }) => value)), listed: scopeRows };
}

type ScopeQuery = { ragId: RagId; paths: string[]; after: IndexScope | null; limit: number };

/** The number of a RAG's scopes; counting stops at `max`. */
export const countScopes = (db: Database, ragId: RagId, max: number) =>
  countUpTo(db, max, sql`from rag_scopes where rag_id = ${ragId}`);

const ID = text("m.value");

/** Those that no file of the source has, as its own id or that of a folder above it. */
export async function findUnknownIds(
  db: Database,
  sourceId: FileSourceId,
  ids: string[],
): Promise<string[]> {
  const selectUnmatched = (among: string[], condition: Sql) =>
    readValues(db, ID)`select m.value from json_each(${among}) m where ${condition}`;
  const ofNoFile = await selectUnmatched(
    ids,
    sql`not exists (select 1 from files f where f.file_source_id = ${sourceId}
      and f.external_id = m.value and f.deleted_at is null)`,
  );
  if (ofNoFile.length === 0) return [];
  return await selectUnmatched(
    ofNoFile,
    sql`m.value not in (select a.value from files f, json_each(f.metadata, '$.ancestors') a
      where f.file_source_id = ${sourceId} and f.deleted_at is null and a.value is not null)`,
  );
}

const SCOPE_OF_RAG = select(pick(s, "ragId", "type", "value"));

/** The scopes of many RAGs, in one round trip. */
export async function scopesOfAll(db: Database, ragIds: RagId[]) {
  const rows = await readRows(db)`select ${SCOPE_OF_RAG} from rag_scopes s
    where s.rag_id in (select value from json_each(${ragIds})) order by s.type, s.value`;
  const byRag = new Map<RagId, IndexScope[]>(ragIds.map((id) => [id, []]));
  for (const { ragId, type, value } of rows) byRag.get(ragId)?.push({ type, value });
  return byRag;
}

/** Written with every change of scopes: until a walk over the files has ended, the sweep begins one. */
const SCOPES_CHANGED = raw("scopes_due_at = 0, scopes_revision = scopes_revision + 1");

/** Where files may be added, one is expected until they are counted. */
export const SCOPES_REPLACED = sql`${SCOPES_CHANGED}, coming_files = 1`;

/** "full" at `max` scopes; "none" when the scope exists or the RAG is not scoped. */
export async function insertScope(
  db: Database,
  ragId: RagId,
  scope: IndexScope,
  { now, max }: { now: number; max: number },
): Promise<"added" | "full" | "none"> {
  const ofRag = sql`from rag_scopes where rag_id = ${ragId}`;
  const same = sql`select 1 ${ofRag} and type = ${scope.type} and value = ${scope.value}`;
  const [inserted] = await runBatch(db, [
    sql`insert into rag_scopes
      ${rowAsSelect(ragScopes, { ragId, ...scope, createdAt: now })} from rags
      where id = ${ragId} and scope_mode = 'scoped' and removed_at is null
        and (select count(*) ${ofRag}) < ${max}
      on conflict do nothing returning 1`,
    sql`update rags set coming_files = coming_files + 1, ${SCOPES_CHANGED}
      where id = ${ragId} and exists (${same} and created_at = ${now})`,
  ]);
  if (inserted.length > 0) return "added";
  const [[counts], equals] = await runBatch(db, [countSql(ofRag), same]);
  return equals.length === 0 && (counts?.count ?? 0) >= max ? "full" : "none";
}

/** Removes a scope; false when there was none. */
export async function deleteScope(
  db: Database,
  ragId: RagId,
  { type, value }: IndexScope,
): Promise<boolean> {
  const [deleted] = await runBatch(db, [
    sql`delete from rag_scopes where rag_id = ${ragId} and type = ${type} and value = ${value}
      returning 1`,
    sql`update rags set ${SCOPES_CHANGED} where id = ${ragId}`,
  ]);
  return deleted.length > 0;
}

/** Statements that set exactly these scopes of a RAG, for a batch. */
export const replaceScopes = (ragId: RagId, scopes: IndexScope[], now: number): Sql[] => [
  sql`delete from rag_scopes where rag_id = ${ragId}`,
  insertScopes(ragId, scopes, now),
];

/** A statement that adds any number of scopes to a RAG that exists. */
export const insertScopes = (ragId: RagId, scopes: IndexScope[], now: number): Sql =>
  sql`insert into rag_scopes (rag_id, type, value, created_at)
    select r.id, m.value ->> 'type', m.value ->> 'value', ${now}
    from rags r join json_each(${scopes}) m where r.id = ${ragId} on conflict do nothing`;

const filesOf = (sourceId: FileSourceId) =>
  sql`from files f where f.file_source_id = ${sourceId} and f.deleted_at is null`;

/** The number of a source's files inside a scope; counting stops at `max`. */
export const countScopeFiles = (
  db: Database,
  sourceId: FileSourceId,
  scope: IndexScope,
  max: number,
) => countUpTo(db, max, sql`${filesOf(sourceId)} and ${isInside(scope)}`);

/** The number of a source's files; counting stops at `max`. */
export const countSourceFiles = (db: Database, sourceId: FileSourceId, max: number) =>
  countUpTo(db, max, filesOf(sourceId));

/** A folder is a range of paths, so that the index can be used. */
function isInside({ type, value }: IndexScope): Sql {
  if (type === "externalId") {
    return sql`(f.external_id = ${value}
      or exists (select 1 from json_each(f.metadata, '$.ancestors') where value = ${value}))`;
  }
  if (!value.endsWith("/")) return sql`f.path = ${value}`;
  return sql`f.path >= ${value} and f.path < ${value.slice(0, -1) + AFTER_SLASH}`;
}
