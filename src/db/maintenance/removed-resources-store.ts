import type { FileSourceId, RagId } from "../../core/ids.ts";
import { heldUntilSql, rowKey, LEAVING } from "../files/file-rows.ts";
import { IN_WORK } from "../files/pending-files.ts";
import { fileSources, ragGenerations, rags } from "../schema/index.ts";
import { columnsOf, pick, select, type Row } from "../select.ts";
import { execute, hasRows, readValue, runBatch, sql, readRows, type Database } from "../sql.ts";

const [r, s] = [columnsOf(rags), columnsOf(fileSources)];
const [RAG_ID, SOURCE_ID] = [select(pick(r, "id")), select(pick(s, "id"))];

/** RAGs and sources removed before `before` that still have data to delete. */
export async function listRemoved(
  db: Database,
  before: number,
): Promise<{ rags: RagId[]; sources: FileSourceId[] }> {
  const [ofRags, ofSources] = await runBatch(db, [
    sql`select ${RAG_ID} from rags where removed_at < ${before}`,
    sql`select ${SOURCE_ID} from file_sources where removed_at < ${before}`,
  ]);
  return { rags: ofRags.map(({ id }) => id), sources: ofSources.map(({ id }) => id) };
}

const GENERATION = select(pick(columnsOf(ragGenerations), "generation", "shards", "vectorsIn"));

/**
 * Every generation of a removed RAG, retired ones included; null when it is not removed, or another
 * index is being built from it.
 */
export async function listGenerationsOfRemovedRag(
  db: Database,
  ragId: RagId,
): Promise<Row<typeof GENERATION>[] | null> {
  const [removed, generations] = await runBatch(db, [
    sql`select 1 from rags where id = ${ragId} and removed_at is not null and not exists (
      select 1 from rag_generations where state = 'building' and copy_of = ${ragId})`,
    sql`select ${GENERATION} from rag_generations where rag_id = ${ragId}`,
  ]);
  return removed.length === 0 ? null : generations;
}

/** Deletes some of a RAG's file rows; returns whether there may be more. */
export const deleteRagFiles = async (db: Database, ragId: RagId, limit: number) =>
  (
    await readRows(db)`delete from rag_files where (${rowKey()}) in (
    select ${rowKey()} from rag_files where rag_id = ${ragId} limit ${limit})
    returning 1`
  ).length === limit;

/** Whether a worker may still write to the RAG's index. */
export const isWorkedOn = (db: Database, ragId: RagId, now: number) =>
  hasRows(db)`select 1 from rag_files
    where rag_id = ${ragId} and status = 'processing' and ${heldUntilSql()} > ${now} limit 1`;

export const deleteRag = (db: Database, ragId: RagId) =>
  execute(db)`delete from rags where id = ${ragId} and removed_at is not null`;

/** When a source was removed, ms; null: it was not, or its RAGs are not cleaned yet. */
export const purgeableSince = (db: Database, sourceId: FileSourceId) =>
  readValue(db, s.removedAt)`select removed_at from file_sources where id = ${sourceId}
    and removed_at is not null and not exists (
      select 1 from rags where file_source_id = ${sourceId})`;

/** Deletes some of a source's files; returns whether there may be more. */
export const deleteSourceFiles = async (db: Database, sourceId: FileSourceId, limit: number) =>
  (
    await readRows(db)`delete from files where id in (
    select id from files where file_source_id = ${sourceId} limit ${limit})
    returning 1`
  ).length === limit;

export const deleteSource = (db: Database, sourceId: FileSourceId) =>
  execute(db)`delete from file_sources where id = ${sourceId} and removed_at is not null`;

/** After a crash that lost the queues' memory. Attempts stay: a file may have caused the crash. */
export async function expireClaims(db: Database): Promise<void> {
  await runBatch(db, [
    sql`update rag_files set claimed_until = 1, leased_until = 1
      where ${IN_WORK} and (claimed_until > 1 or leased_until > 1)`,
    sql`update rag_files set leased_until = 1 where ${LEAVING} and leased_until > 1`,
    sql`update file_sources set scan_claimed_until = 1
      where scan_claimed_until is not null and scan_run_id is not null`,
    sql`update rags set scopes_due_at = 1 where scopes_due_at > 1`,
    sql`update evaluation_runs set lease = null, claimed_until = 1 where status = 'running'`,
  ]);
}
