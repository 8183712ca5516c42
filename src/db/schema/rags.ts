import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

import type { FileId, FileSourceId, RagId } from "../../core/ids.ts";
import { files, fileSources } from "./sources.ts";

export const FILE_STATUSES = ["pending", "processing", "indexed", "error", "deleted"] as const;

export const SCOPE_TYPES = ["path", "externalId"] as const;

/** As JSON: nothing was left out or mended. */
export const NO_NOTES = "[]";

export const rags = sqliteTable(
  "rags",
  {
    id: text().$type<RagId>().primaryKey(),
    name: text().notNull(),
    identifier: text().notNull(),
    fileSourceId: text()
      .$type<FileSourceId>()
      .notNull()
      .references(() => fileSources.id),
    /** `error` is not stored: it is the file source's. */
    status: text({ enum: ["active", "paused"] })
      .notNull()
      .default("active"),
    scopeMode: text({ enum: ["global", "scoped"] })
      .notNull()
      .default("global"),
    chunkSize: integer().notNull().default(400),
    chunkOverlap: integer().notNull().default(60),
    reranker: text(),
    searchMode: text({ enum: ["hybrid", "semantic"] })
      .notNull()
      .default("hybrid"),
    /** The generation that answers. */
    generation: integer().notNull().default(1),
    /** What the deployment asked for when an administrator went back to an index without it. */
    refusedIndex: text(),
    /**
     * Files that its scopes hold and that have no row yet: changed scopes are applied page by page.
     * They count among its files from the change on.
     */
    comingFiles: integer().notNull().default(0),
    /** When the sweep applies the scopes anew while files are coming, ms. */
    comingDueAt: integer().notNull().default(0),
    createdAt: integer().notNull(),
    removedAt: integer(),
  },
  (table) => [
    index("rags_coming")
      .on(table.comingDueAt)
      .where(sql`coming_files > 0`),
    uniqueIndex("rags_identifier")
      .on(table.identifier)
      .where(sql`removed_at is null`),
    index("rags_source").on(table.fileSourceId),
    index("rags_removed").on(table.removedAt),
  ],
);

/** How one generation of a RAG's index was built. */
export const ragGenerations = sqliteTable(
  "rag_generations",
  {
    ragId: text()
      .$type<RagId>()
      .notNull()
      .references(() => rags.id, { onDelete: "cascade" }),
    generation: integer().notNull(),
    state: text({ enum: ["building", "live", "retired", "dropping", "dropped"] }).notNull(),
    embeddingModel: text().notNull(),
    dimensions: integer().notNull(),
    chunkSize: integer().notNull(),
    chunkOverlap: integer().notNull(),
    /** Version of chunking, extraction and index layout together. */
    format: integer().notNull(),
    shards: integer().notNull().default(1),
    createdAt: integer().notNull(),
    /** When it went live or was retired, ms; 0 before. */
    changedAt: integer().notNull().default(0),
    /** When it first answered, ms; 0: never. Such a one can answer again until it is dropped. */
    liveSince: integer().notNull().default(0),
    /** The generation whose vectors it takes where the embedded text is the same; null: none. */
    vectorsFrom: integer(),
    /**
     * While it is built: it has rows of the RAG's files up to this id (by order of id). Null: of all
     * files; from then on every change of a file writes its row here as well.
     */
    filledUpTo: text(),
    /** Counters kept by triggers on rag_files, so that reading them costs one row. */
    pendingFiles: integer().notNull().default(0),
    processingFiles: integer().notNull().default(0),
    indexedFiles: integer().notNull().default(0),
    errorFiles: integer().notNull().default(0),
    deletedFiles: integer().notNull().default(0),
    numberVectors: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.ragId, table.generation] }),
    index("rag_generations_state").on(table.state),
  ],
);

/**
 * When the vectors of an index object are next to be compared with the vector index outside. It
 * outlives its RAG until nothing of that is left there, so it refers to none.
 */
export const vectorSyncs = sqliteTable(
  "vector_syncs",
  {
    ragId: text().$type<RagId>().notNull(),
    generation: integer().notNull(),
    shard: integer().notNull(),
    dueAt: integer().notNull(),
    /** When the next verification of all vectors begins, or goes on. */
    verifyAt: integer().notNull().default(0),
    /** JSON: when the verification under way began and what it found so far; null: none is under way. */
    verification: text(),
    /** JSON: when the last whole verification ended and what it found. */
    lastVerification: text(),
  },
  (table) => [
    primaryKey({ columns: [table.ragId, table.generation, table.shard] }),
    index("vector_syncs_due").on(table.dueAt),
  ],
);

export const ragScopes = sqliteTable(
  "rag_scopes",
  {
    ragId: text()
      .$type<RagId>()
      .notNull()
      .references(() => rags.id, { onDelete: "cascade" }),
    type: text({ enum: SCOPE_TYPES }).notNull(),
    value: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.ragId, table.type, table.value] })],
);

/**
 * A file in one generation of a RAG's index, and the work on it. The rows of the live generation
 * are what users see. A change of a file writes the rows of the live generation and of one that is
 * being built; those of a retired one stay as they are, and where their revision differs from the
 * live one's, the file is due again should that generation come back.
 */
export const ragFiles = sqliteTable(
  "rag_files",
  {
    ragId: text()
      .$type<RagId>()
      .notNull()
      .references(() => rags.id, { onDelete: "cascade" }),
    generation: integer().notNull(),
    fileId: text()
      .$type<FileId>()
      .notNull()
      .references(() => files.id, { onDelete: "cascade" }),
    /** The file's path again, so that a page of the list is read from one index. */
    path: text().notNull(),
    status: text({ enum: FILE_STATUSES }).notNull(),
    /** Grows with every known change (at least the time in ms): older work is void. */
    revision: integer().notNull(),
    /** The last success, ms; null until the first. */
    indexedAt: integer(),
    errorMessage: text(),
    /** Whether a later scan should try again: the cause was outside the file. */
    errorIsOutside: integer({ mode: "boolean" }).notNull().default(false),
    /** Chunks of the version that answers. */
    chunkCount: integer().notNull().default(0),
    /** Hash of all that the answering chunks were made from. */
    fingerprint: text(),
    /** What was left out or mended in that content: a JSON list of plain sentences. */
    notes: text().notNull().default(NO_NOTES),
    attempts: integer().notNull().default(0),
    /**
     * Who works on it, and until when it (or a message in a queue) claims the row; of an error: since
     * when it is one. A `deleted` row that is claimed is not yet taken out of the index; `leave` as
     * lease: then the row goes too.
     */
    leaseId: text(),
    claimedUntil: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.ragId, table.generation, table.fileId] }),
    index("rag_files_path").on(table.ragId, table.generation, table.path),
    index("rag_files_status").on(table.ragId, table.generation, table.status, table.path),
    index("rag_files_file").on(table.fileId, table.ragId, table.generation),
    index("rag_files_claimed")
      .on(table.ragId, table.generation, table.claimedUntil)
      .where(sql`status in ('pending', 'processing')`),
    index("rag_files_leaving")
      .on(table.claimedUntil)
      .where(sql`status = 'deleted' and claimed_until > 0`),
  ],
);
