import { asc, count, eq, inArray, or, sql } from "drizzle-orm";

import type { InferenceId, RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { among, type Slice } from "../page.ts";
import { updatedNow } from "../updated-at.ts";
import { ragColumns, ragRecordOf, liveGeneration, selectRags } from "./rag-store.ts";
import type { InferenceRecord } from "../records.ts";
import { fileSources, inferenceRags, inferences, ragGenerations, rags } from "../schema/index.ts";

type InferenceRow = typeof inferences.$inferSelect;

/**
 * The queries for one inference: its row, and its linked RAGs, which do not depend on the row's
 * result. `key` is an id or an identifier; an id takes precedence.
 */
function selectInference(db: Database, key: string) {
  const named = or(sql`${inferences.id} = ${key}`, eq(inferences.identifier, key));
  const idFirst = sql`${inferences.id} = ${key} desc`;
  const found = db
    .select({ id: inferences.id })
    .from(inferences)
    .where(named)
    .orderBy(idFirst)
    .limit(1);
  const linked = db
    .select({ ragId: inferenceRags.ragId })
    .from(inferenceRags)
    .where(inArray(inferenceRags.inferenceId, found));
  return [
    db.select().from(inferences).where(named).orderBy(idFirst).limit(1),
    selectRags(db, inArray(rags.id, linked)).orderBy(asc(rags.identifier)),
  ] as const;
}

function recordOf(row: InferenceRow, linked: Parameters<typeof ragRecordOf>[0][]): InferenceRecord {
  return { ...row, rags: linked.map(ragRecordOf) };
}

/** By id or identifier; null when there is none. */
export async function findInferenceRecord(db: Database, key: string) {
  const [[row], linked] = await db.batch([...selectInference(db, key)]);
  return row === undefined ? null : recordOf(row, linked);
}

/** A page of the inferences in order of identifier, each with its linked RAGs. */
export async function listInferenceRecords(db: Database, { offset, limit }: Slice) {
  const page = db
    .select({ id: inferences.id })
    .from(inferences)
    .orderBy(asc(inferences.identifier))
    .limit(limit)
    .offset(offset);
  const [rows, links, [counted]] = await db.batch([
    db.select().from(inferences).orderBy(asc(inferences.identifier)).limit(limit).offset(offset),
    db
      .select({ inferenceId: inferenceRags.inferenceId, ...ragColumns })
      .from(inferenceRags)
      .innerJoin(rags, eq(rags.id, inferenceRags.ragId))
      .innerJoin(fileSources, eq(fileSources.id, rags.fileSourceId))
      .innerJoin(ragGenerations, liveGeneration)
      .where(inArray(inferenceRags.inferenceId, page))
      .orderBy(asc(rags.identifier)),
    db.select({ total: count() }).from(inferences),
  ]);
  const linksOf = Map.groupBy(links, (link) => link.inferenceId);
  const data = rows.map((row) => recordOf(row, linksOf.get(row.id) ?? []));
  return { data, total: counted?.total ?? 0 };
}

const link = (db: Database, id: InferenceId, ragIds: RagId[]) =>
  db
    .insert(inferenceRags)
    .select(
      db
        .select({ inferenceId: inferences.id, ragId: rags.id })
        .from(inferences)
        .innerJoin(rags, among(rags.id, ragIds))
        .where(eq(inferences.id, id)),
    );

/** Writes an inference with its links in one step; false when the identifier is taken. */
export async function insertInference(
  db: Database,
  row: typeof inferences.$inferInsert,
  ragIds: RagId[],
) {
  const [inserted] = await db.batch([
    db.insert(inferences).values(row).onConflictDoNothing().returning({ id: inferences.id }),
    link(db, row.id, ragIds),
  ]);
  return inserted.length > 0;
}

export type InferenceChange = Partial<Omit<InferenceRow, "id" | "identifier" | "createdAt">>;

/** Changes an inference and, unless `ragIds` is null, its links, in one step. */
export async function updateInferenceRow(
  db: Database,
  id: InferenceId,
  change: InferenceChange,
  ragIds: RagId[] | null,
): Promise<void> {
  const update = db
    .update(inferences)
    .set({ ...change, ...updatedNow() })
    .where(eq(inferences.id, id));
  if (ragIds === null) {
    await update;
    return;
  }
  const unlink = db.delete(inferenceRags).where(eq(inferenceRags.inferenceId, id));
  await db.batch([update, unlink, link(db, id, ragIds)]);
}

/** Deletes an inference with its links and the tokens' grants to it. Usage figures stay. */
export async function deleteInference(db: Database, id: InferenceId): Promise<void> {
  await db.delete(inferences).where(eq(inferences.id, id));
}

/** Which of these identifiers name an inference, with their ids; any number of them. */
export async function findInferenceIds(db: Database, identifiers: string[]) {
  return await db
    .select({ id: inferences.id, identifier: inferences.identifier })
    .from(inferences)
    .where(among(inferences.identifier, identifiers));
}
