import { and, asc, count, desc, eq, gt, gte, isNull, min, ne, sql, sum } from "drizzle-orm";

import { aliased } from "../aliased.ts";
import type { Database } from "../client.ts";
import {
  files,
  fileSources,
  ragFiles,
  ragGenerations,
  rags,
  scanRuns,
  usageHours,
  vectorSyncs,
} from "../schema/index.ts";

const live = and(eq(ragGenerations.ragId, rags.id), eq(ragGenerations.generation, rags.generation));
const liveFiles = and(eq(ragFiles.ragId, rags.id), eq(ragFiles.generation, rags.generation));

const counted = (column: Parameters<typeof sum>[0]) =>
  sql<number>`coalesce(${sum(column)}, 0)`.mapWith(Number);

/**
 * The data of the panel's first page, in one round trip. `limit` bounds each list, `callsSince`
 * (ms, by the hour) the calls. Counts are the live generations' counters, two rows per RAG.
 */
export async function readOverview(
  db: Database,
  { now, callsSince, limit }: { now: number; callsSince: number; limit: number },
) {
  const [
    [counts],
    failingFiles,
    failingSources,
    scans,
    [oldest],
    [calls],
    [verifications = NO_VERIFICATIONS],
  ] = await db.batch([
    db
      .select({
        pending: counted(ragGenerations.pendingFiles),
        processing: counted(ragGenerations.processingFiles),
        indexed: counted(ragGenerations.indexedFiles),
        error: counted(ragGenerations.errorFiles),
        deleted: counted(ragGenerations.deletedFiles),
      })
      .from(rags)
      .innerJoin(ragGenerations, live)
      .where(isNull(rags.removedAt)),
    selectFailingFiles(db, limit),
    selectFailingSources(db, limit),
    selectScansUnderWay(db, now, limit),
    db
      .select({ since: min(ragFiles.revision) })
      .from(ragFiles)
      .innerJoin(rags, and(liveFiles, isNull(rags.removedAt)))
      .where(and(sql`${ragFiles.status} in ('pending', 'processing')`, eq(rags.status, "active"))),
    db
      .select({
        calls: counted(usageHours.calls),
        errors: counted(usageHours.errors),
        degraded: counted(usageHours.degraded),
      })
      .from(usageHours)
      .where(and(eq(usageHours.dimension, "all"), gte(usageHours.hour, callsSince))),
    selectVerifications(db),
  ]);
  // A revision is at least the time in ms at which the change became known.
  const oldestPendingSince = oldest?.since ?? null;
  return { counts, failingFiles, failingSources, scans, oldestPendingSince, calls, verifications };
}

const NO_VERIFICATIONS = {
  indexes: 0,
  compared: 0,
  lastEndedAt: null,
  checked: 0,
  addedAgain: 0,
  removed: 0,
  underWay: 0,
  underWaySince: null,
};

/** The sums of the last complete verification of each index in use; costs two rows per index. */
const selectVerifications = (db: Database) =>
  db
    .select({
      indexes: count(),
      compared: count(vectorSyncs.lastVerification),
      lastEndedAt: sql<number | null>`max(${vectorSyncs.lastVerification} ->> 'endedAt')`,
      checked: counted(sql`${vectorSyncs.lastVerification} ->> 'checked'`),
      addedAgain: counted(sql`${vectorSyncs.lastVerification} ->> 'addedAgain'`),
      removed: counted(sql`${vectorSyncs.lastVerification} ->> 'removed'`),
      underWay: count(vectorSyncs.verification),
      underWaySince: sql<number | null>`min(${vectorSyncs.verification} ->> 'beganAt')`,
    })
    .from(vectorSyncs)
    .innerJoin(
      ragGenerations,
      and(
        eq(ragGenerations.ragId, vectorSyncs.ragId),
        eq(ragGenerations.generation, vectorSyncs.generation),
        ne(ragGenerations.state, "dropped"),
      ),
    );

const selectFailingFiles = (db: Database, limit: number) =>
  db
    .select({
      ...aliased("rag", { ragIdentifier: rags.identifier }),
      ...aliased("file", { filePath: ragFiles.path, errorMessage: ragFiles.errorMessage }),
      ...aliased("of", { name: files.name }),
    })
    .from(rags)
    .innerJoin(ragGenerations, live)
    .innerJoin(ragFiles, and(liveFiles, eq(ragFiles.status, "error")))
    .innerJoin(files, eq(files.id, ragFiles.fileId))
    .where(and(isNull(rags.removedAt), gt(ragGenerations.errorFiles, 0)))
    .orderBy(asc(rags.identifier), asc(ragFiles.path))
    .limit(limit);

const newestRun = sql`(
  select newest.id from scan_runs newest where newest.file_source_id = ${fileSources.id}
  order by newest.started_at desc, newest.id desc limit 1)`;

const selectFailingSources = (db: Database, limit: number) =>
  db
    .select({
      ...aliased("source", { identifier: fileSources.identifier, name: fileSources.name }),
      ...aliased("run", { error: scanRuns.error, finishedAt: scanRuns.finishedAt }),
    })
    .from(fileSources)
    .leftJoin(scanRuns, eq(scanRuns.id, newestRun))
    .where(and(isNull(fileSources.removedAt), eq(fileSources.status, "error")))
    .orderBy(asc(fileSources.identifier))
    .limit(limit);

const selectScansUnderWay = (db: Database, now: number, limit: number) =>
  db
    .select({
      ...aliased("source", { identifier: fileSources.identifier, name: fileSources.name }),
      ...aliased("run", { startedAt: scanRuns.startedAt }),
    })
    .from(fileSources)
    .innerJoin(scanRuns, eq(scanRuns.id, fileSources.scanRunId))
    .where(and(isNull(fileSources.removedAt), gt(fileSources.scanClaimedUntil, now)))
    .orderBy(desc(scanRuns.startedAt))
    .limit(limit);
