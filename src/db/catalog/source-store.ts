import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  isNull,
  lt,
  or,
  sql,
  type SQL,
} from "drizzle-orm";

import type { FileSourceId } from "../../core/ids.ts";
import { aliased } from "../aliased.ts";
import type { Database } from "../client.ts";
import { keyedPage, readingOf, type KeyedPage, type PageAt } from "../keyset.ts";
import { fileSources, rags, scanRuns } from "../schema/index.ts";
import { updatedNow } from "../updated-at.ts";

type SourceRow = typeof fileSources.$inferSelect;
export type ScanRunRow = typeof scanRuns.$inferSelect;
/** A file source with its newest scan, finished or under way. */
export type SourceWithScan = { source: SourceRow; lastScan: ScanRunRow | null };

const newestScan = sql`(
  select newest.id from scan_runs newest where newest.file_source_id = ${fileSources.id}
  order by newest.started_at desc, newest.id desc limit 1)`;

const columns = {
  source: aliased("source", getTableColumns(fileSources)),
  lastScan: aliased("scan", getTableColumns(scanRuns)),
};

type Joined = {
  source: SourceRow;
  lastScan: { [Name in keyof ScanRunRow]: ScanRunRow[Name] | null };
};

/** Without a scan the join returns nulls. */
const withScan = ({ source, lastScan }: Joined): SourceWithScan => ({
  source,
  lastScan: isScan(lastScan) ? lastScan : null,
});

const isScan = (row: Joined["lastScan"]): row is ScanRunRow => row.id !== null;

function select(db: Database, where: SQL | undefined) {
  return db
    .select(columns)
    .from(fileSources)
    .leftJoin(scanRuns, eq(scanRuns.id, newestScan))
    .where(and(isNull(fileSources.removedAt), where));
}

/** By id or identifier; an id takes precedence. Null when there is none or it was removed. */
export async function findSourceRow(db: Database, key: string): Promise<SourceWithScan | null> {
  const named = or(sql`${fileSources.id} = ${key}`, eq(fileSources.identifier, key));
  const row = await select(db, named)
    .orderBy(sql`${fileSources.id} = ${key} desc`)
    .limit(1)
    .get();
  return row === undefined ? null : withScan(row);
}

export async function listSourceRows(db: Database, offset: number, limit: number) {
  const [data, [counted]] = await db.batch([
    select(db, undefined).orderBy(asc(fileSources.identifier)).limit(limit).offset(offset),
    db.select({ total: count() }).from(fileSources).where(isNull(fileSources.removedAt)),
  ]);
  return { data: data.map(withScan), total: counted?.total ?? 0 };
}

/** The same by keys, in order of identifier, for lists that cost the same however long they are. */
export async function readSourcePage(db: Database, at: PageAt): Promise<KeyedPage<SourceWithScan>> {
  const reading = readingOf(at, 1);
  const { identifier } = fileSources;
  const key = String(reading.key?.[0] ?? "");
  const beyond = reading.backwards ? lt(identifier, key) : gt(identifier, key);
  const rows = await select(db, beyond)
    .orderBy(reading.backwards ? desc(identifier) : asc(identifier))
    .limit(reading.rows);
  return keyedPage(rows.map(withScan), at, reading, ({ source }) => [source.identifier]);
}

export type NewSource = Omit<typeof fileSources.$inferInsert, "removedAt">;

/** False when the identifier is taken. */
export async function insertSource(db: Database, source: NewSource): Promise<boolean> {
  const inserted = await db
    .insert(fileSources)
    .values(source)
    .onConflictDoNothing()
    .returning({ id: fileSources.id });
  return inserted.length > 0;
}

export type SourceChange = Partial<
  Pick<
    SourceRow,
    | "name"
    | "config"
    | "sealedSecrets"
    | "scanIntervalMinutes"
    | "nextScanAt"
    | "webhookSecretHash"
    | "changeCursor"
  >
>;

export async function updateSourceRow(db: Database, id: FileSourceId, change: SourceChange) {
  if (Object.keys(change).length === 0) return;
  await db
    .update(fileSources)
    .set({ ...change, ...updatedNow() })
    .where(eq(fileSources.id, id));
}

/** Hides a source that no RAG uses; false when one does. */
export async function markSourceRemoved(db: Database, id: FileSourceId, now: number) {
  const unused = sql`not exists (
    select 1 from ${rags} where ${rags.fileSourceId} = ${id} and ${rags.removedAt} is null)`;
  const marked = await db
    .update(fileSources)
    .set({ removedAt: now, nextScanAt: null })
    .where(and(eq(fileSources.id, id), isNull(fileSources.removedAt), unused))
    .returning({ id: fileSources.id });
  return marked.length > 0;
}

/** Identifiers of the RAGs that use a source, in order. */
export async function ragsOfSource(db: Database, id: FileSourceId): Promise<string[]> {
  const used = await db
    .select({ identifier: rags.identifier })
    .from(rags)
    .where(and(eq(rags.fileSourceId, id), isNull(rags.removedAt)))
    .orderBy(asc(rags.identifier));
  return used.map(({ identifier }) => identifier);
}
