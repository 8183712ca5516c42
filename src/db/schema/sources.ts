import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { z } from "zod";

import type { FileId, FileSourceId, ScanRunId } from "../../core/ids.ts";
import { DEFAULT_IMAGE_MODEL } from "../../core/models/model-kind.ts";
import { accessCounts, leftOutList, owner, updatedAt, choice } from "./columns.ts";
import { jsonColumn, jsonObject, textList } from "./columns.ts";

/** SQL for an id that no other content of the file ever had. */
export const NEW_CONTENT_ID = "(lower(hex(randomblob(8))))";

/** How the version of a file begins that a copy of a source has from its original. */
export const COPIED_VERSION = "copy-";

export const fileSources = sqliteTable(
  "file_sources",
  {
    id: text().$type<FileSourceId>().primaryKey(),
    name: text().notNull(),
    identifier: text().notNull(),
    /** As a manifest of `sources/` names it. */
    provider: text().notNull(),
    /** Provider settings as JSON, without secrets. */
    config: jsonColumn(jsonObject).notNull(),
    /** Secrets of the configuration: `keyId.iv.ciphertext`; null when there are none. */
    sealedSecrets: text(),
    webhookSecretHash: text().notNull(),
    /** The webhook's secret of a provider that signs with it: `keyId.iv.ciphertext`; null: none. */
    sealedWebhookSecret: text(),
    scanIntervalMinutes: integer().notNull().default(360),
    /** On: a call reads only files whose audience its reader is in. */
    permissions: choice("off", "on"),
    /** When they were last switched on, ms: audiences recorded earlier let nobody in. */
    permissionsSince: integer().notNull().default(0),
    /** When members of its groups are read next, ms. */
    groupsDueAt: integer().notNull().default(0),
    /** Counts of files by who may read them, as of the last time its groups were due. */
    access: jsonColumn(accessCounts),
    /** Principals of files for which none are named. */
    defaultReaders: jsonColumn(textList).notNull().default([]),
    /** Reads pictures and scanned pages; null: nothing does. */
    imageModel: text().default(DEFAULT_IMAGE_MODEL),
    /** Whether pictures within Word, PowerPoint and mail are read, too. */
    pictures: integer({ mode: "boolean" }).notNull().default(false),
    status: choice("active", "error"),
    /** When the clock queues the next scan; null: only on request. */
    nextScanAt: integer(),
    /** A scan was requested while one was in progress: run once more. */
    scanAgain: integer({ mode: "boolean" }).notNull().default(false),
    /** The run in progress and until when it claims the source. */
    scanRunId: text().$type<ScanRunId>(),
    scanClaimedUntil: integer(),
    /** The last cursor of the provider's change feed. */
    changeCursor: text(),
    /**
     * When the newest complete listing began whose files were all compared; null: none yet; 0: one
     * broke off since.
     */
    listedAt: integer(),
    /** When the clock next looks after the source's watches; null: its provider has none. */
    watchDueAt: integer(),
    /** Failed attempts since the last success, and what the last one said. */
    watchAttempts: integer().notNull().default(0),
    watchError: text(),
    /** Until when the provider notifies of every change, ms; null: it does not. */
    watchedUntil: integer(),
    /** When the bucket's next page is compared with pushed files, ms; null: none are pushed. */
    uploadsDueAt: integer(),
    /** The key up to which that comparison has come; empty: it begins. */
    uploadsAfter: text().notNull().default(""),
    /** Number of rows of files pushed to a web source, deleted ones too: exact after each scan. */
    pushedFiles: integer().notNull().default(0),
    /** Number of its scan runs, kept by triggers, so that a list of them costs one page. */
    runCount: integer().notNull().default(0),
    /** Pushed URLs that were rejected: beyond the limit, or of another host. */
    pushesRefused: integer().notNull().default(0),
    pushesRefusedAt: integer(),
    /** When the first of the last runs began that held removals back; null: the last one did not. */
    heldSince: integer(),
    /** The source whose files it still gets; null: it is no copy, or has them all. */
    copyOf: text().$type<FileSourceId>(),
    /** Why the last step of that failed; null: it did not. */
    copyError: text(),
    /** Counts of files that limits kept out of the newest complete listing. */
    leftOut: jsonColumn(leftOutList).notNull().default([]),
    createdAt: integer().notNull(),
    updatedAt: updatedAt(),
    /** Set at removal; its data is deleted in the background, then the row. */
    removedAt: integer(),
  },
  (table) => [
    uniqueIndex("file_sources_identifier")
      .on(table.identifier)
      .where(sql`removed_at is null`),
    index("file_sources_next_scan").on(table.nextScanAt),
    index("file_sources_claimed").on(table.scanClaimedUntil),
    index("file_sources_watch_due").on(table.watchDueAt),
    index("file_sources_uploads_due")
      .on(table.uploadsDueAt)
      .where(sql`uploads_due_at is not null`),
    index("file_sources_removed").on(table.removedAt),
    index("file_sources_copy")
      .on(table.copyOf)
      .where(sql`copy_of is not null`),
  ],
);

/** Subscriptions to the providers' notifications of changes. */
export const sourceWatches = sqliteTable(
  "source_watches",
  {
    /** The provider's id; until it answered, the one proposed to it. */
    id: text().primaryKey(),
    fileSourceId: owner<FileSourceId>(() => fileSources.id),
    /** The watched part of the source, as the reader names it. */
    target: text().notNull(),
    /** The watched part as the provider names it in notifications; null where it does not. */
    resourceId: text(),
    tokenHash: text().notNull(),
    /** The service's address that the provider was given, without a path. */
    baseUrl: text().notNull(),
    /** False until the provider has answered. */
    live: integer({ mode: "boolean" }).notNull().default(false),
    /** When it was started or last extended. */
    startedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** When it is to be stopped, because another took its place; null: it is kept. */
    endsAt: integer(),
  },
  (table) => [index("source_watches_source").on(table.fileSourceId)],
);

/** A file or an address that a scan could not read. */
const scanProblem = z.object({ path: z.string(), message: z.string() });
export type ScanProblem = z.infer<typeof scanProblem>;

/** Empty pages in a row; `mark`: hash of the cursor that the page of the number `markedAt` led to. */
const listingAdvance = z.object({
  pages: z.number(),
  empty: z.number(),
  mark: z.string(),
  markedAt: z.number(),
});

/** The state a scan needs to continue, stored with each page that it commits. */
const scanProgress = z.object({
  mode: z.enum(["full", "follow", "look"]),
  urls: z.array(z.string()).nullable(),
  confirmRemovals: z.boolean(),
  /** Pages committed. */
  step: z.number(),
  /** After the change feed, everything is listed to mend what the feed missed. */
  verify: z.boolean().optional(),
  /** Notes of earlier pages do not count: of a change feed, or of a listing that started over. */
  notesFrom: z.number().optional(),
  /** When the listing began, if the run followed a change feed before it, ms. */
  listedFrom: z.number().optional(),
  cursor: z.string().nullable(),
  /** Evidence that the listing makes progress; absent at its beginning. */
  advance: listingAdvance.optional(),
  leftOut: leftOutList.optional(),
  /** Everything is listed; unlisted files are still to be removed. */
  listed: z.boolean(),
  partial: z.boolean(),
  seenFiles: z.number(),
  /** Failed attempts of the current page. */
  attempts: z.number(),
  changeCursor: z.string().nullable(),
  againAt: z.number().optional(),
  /** Identifies the commit, so that the other statements of its batch can refer to it. */
  commit: z.string(),
});
export type ScanProgress = z.infer<typeof scanProgress>;

export const scanRuns = sqliteTable(
  "scan_runs",
  {
    id: text().$type<ScanRunId>().primaryKey(),
    fileSourceId: owner<FileSourceId>(() => fileSources.id),
    startedAt: integer().notNull(),
    finishedAt: integer(),
    added: integer().notNull().default(0),
    changed: integer().notNull().default(0),
    removed: integer().notNull().default(0),
    unchanged: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    /** The first of those that failed, and why. */
    problems: jsonColumn(z.array(scanProblem)).notNull().default([]),
    /** The change feed was followed, then everything was listed and compared with it. */
    verified: integer({ mode: "boolean" }).notNull().default(false),
    /** Files that the listing found and the feed had not reported. */
    mendedAdded: integer().notNull().default(0),
    mendedChanged: integer().notNull().default(0),
    mendedRemoved: integer().notNull().default(0),
    /** Work that unchanged versions and hashes made unnecessary. */
    downloadsSaved: integer().notNull().default(0),
    embeddingsSaved: integer().notNull().default(0),
    error: text(),
    /** Removals that wait for an administrator's confirmation. */
    heldRemovals: integer().notNull().default(0),
    leftOut: jsonColumn(leftOutList).notNull().default([]),
    /** The state needed to continue, as JSON; null when finished. */
    progress: jsonColumn(scanProgress),
  },
  (table) => [index("scan_runs_source").on(table.fileSourceId, table.startedAt)],
);

/** Whichever RAGs index it. Created `without rowid`, so that its key is no second written row. */
export const files = sqliteTable(
  "files",
  {
    id: text().$type<FileId>().primaryKey(),
    fileSourceId: owner<FileSourceId>(() => fileSources.id),
    path: text().notNull(),
    externalId: text(),
    url: text(),
    name: text().notNull(),
    size: integer().notNull(),
    mimeType: text().notNull(),
    /** The source's own version (ETag, md5, change key); equal versions are never downloaded. */
    version: text().notNull(),
    /** SHA-256 of the bytes, hex; null before they were read. */
    sha256: text(),
    /** Names the text of these bytes, name and type; never used again: old texts can go. */
    contentId: text().notNull().default(sql.raw(NEW_CONTENT_ID)),
    /** Labels, owner, tags and the like, for `providerFilter`. */
    metadata: jsonColumn(jsonObject).notNull(),
    /** When it was last changed, as far as its source says; else when its bytes last changed. */
    modifiedAt: integer().notNull().default(0),
    /** A reader's values between scans: validators, how a page was found. */
    sourceState: jsonColumn(jsonObject),
    /** Null: its readers were never recorded, so nobody may read it where permissions are on. */
    audience: text(),
    /** Grows with each change of the audience (at least the time in ms): an older one is void. */
    readersRevision: integer().notNull().default(0),
    /** Pictures and pages that wait for a model, or for another try. */
    imagesUnread: integer().notNull().default(0),
    /** Pictures within it that the source's settings leave out. */
    imagesSkipped: integer().notNull().default(0),
    /** When they are read next, ms; null: when somebody chooses a model, or never. */
    imagesDueAt: integer(),
    /** Failed tries since the content or the model changed. */
    imageTries: integer().notNull().default(0),
    createdAt: integer().notNull(),
    /** When it was deleted at the source; the row is purged after `DELETED_FILES_DAYS`. */
    deletedAt: integer(),
  },
  (table) => [
    uniqueIndex("files_path").on(table.fileSourceId, table.path),
    index("files_size").on(table.fileSourceId, table.size, table.path),
    index("files_external")
      .on(table.fileSourceId, table.externalId)
      .where(sql`external_id is not null`),
    index("files_audience")
      .on(table.audience, table.fileSourceId)
      .where(sql`audience is not null`),
    index("files_images_due")
      .on(table.imagesDueAt)
      .where(sql`images_due_at is not null`),
    index("files_images_waiting")
      .on(table.fileSourceId)
      .where(sql`images_unread + images_skipped > 0`),
    index("files_deleted")
      .on(table.deletedAt)
      .where(sql`deleted_at is not null`),
  ],
);

/** A file by its path, also when it returns, a trigger adds those that it moves to; a passage by the duplicate key of its text. */
export const searchExclusions = sqliteTable(
  "search_exclusions",
  {
    fileSourceId: owner<FileSourceId>(() => fileSources.id),
    kind: text({ enum: ["file", "passage"] }).notNull(),
    value: text().notNull(),
    /** The file at which a passage was left out, and the beginning of its text. */
    path: text().notNull(),
    excerpt: text().notNull().default(""),
    createdAt: integer().notNull(),
    /** The name of whoever left it out, at that time; null: not recorded. */
    createdBy: text(),
  },
  (table) => [primaryKey({ columns: [table.fileSourceId, table.kind, table.value] })],
);
