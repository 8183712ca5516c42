import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

import { FILE_FAILURES } from "../../core/file-failures.ts";
import type { FileId, FileSourceId, RagId } from "../../core/ids.ts";
import { owner, updatedAt, jsonColumn, numberList, textList, choice } from "./columns.ts";
import { files, fileSources } from "./sources.ts";

export const FILE_STATUSES = ["pending", "processing", "indexed", "error", "deleted"] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];
/** The status of a file that several RAGs index is the first of these that it has in one. */
export const FILE_STATUSES_BY_PROGRESS = [
  "error",
  "pending",
  "processing",
  "indexed",
  "deleted",
] as const satisfies FileStatus[];
/** `leaving`: only left the scopes. Listed nowhere; deleted when the index has removed it. */
export const ROW_STATUSES = [...FILE_STATUSES, "leaving"] as const;

export const SCOPE_TYPES = ["path", "externalId"] as const;

/** Exactly, in the index objects, or in the vector index. The objects store them in both cases. */
export const VECTOR_PLACES = ["object", "vectorize"] as const;
export type VectorPlace = (typeof VECTOR_PLACES)[number];

/** Tokens. */
export const DEFAULT_CHUNK_OVERLAP = 60;

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
    /** `error` is not stored: it is derived from the file source. */
    status: choice("active", "paused"),
    scopeMode: choice("global", "scoped"),
    chunkSize: integer().notNull().default(400),
    chunkOverlap: integer().notNull().default(DEFAULT_CHUNK_OVERLAP),
    reranker: text(),
    searchMode: choice("hybrid", "semantic"),
    /** Days in which half of what age may cost a passage is lost; null: age does not count. */
    recencyHalfLifeDays: integer(),
    /** Whether passages that do not concern a query are left out. */
    leaveOutUnrelated: integer({ mode: "boolean" }).notNull().default(false),
    /** Whether members may connect programs to it. */
    openToMembers: integer({ mode: "boolean" }).notNull().default(false),
    /** The live generation. */
    generation: integer().notNull().default(1),
    /** The deployment's settings when an administrator returned to an index without them. */
    refusedIndex: text(),
    /** Files of changed scopes that have no row yet; they count among the files at once. */
    comingFiles: integer().notNull().default(0),
    /** When the sweep applies the scopes again, ms; null: they are applied to all files. */
    scopesDueAt: integer(),
    /** Grows with every change of the scopes. */
    scopesRevision: integer().notNull().default(0),
    createdAt: integer().notNull(),
    updatedAt: updatedAt(),
    removedAt: integer(),
  },
  (table) => [
    index("rags_scopes_due")
      .on(table.scopesDueAt)
      .where(sql`scopes_due_at is not null`),
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
    ragId: owner<RagId>(() => rags.id),
    generation: integer().notNull(),
    state: text({ enum: ["building", "live", "retired", "dropping", "dropped"] }).notNull(),
    embeddingModel: text().notNull(),
    dimensions: integer().notNull(),
    /** Put before each passage that is embedded. */
    passagePrefix: text().notNull().default(""),
    chunkSize: integer().notNull(),
    chunkOverlap: integer().notNull(),
    /** Version of chunking, extraction and index layout together. */
    format: integer().notNull(),
    shards: integer().notNull().default(1),
    /** Fixed for its life. Without a vector index, `vectorize` is searched in the objects too. */
    vectorsIn: text({ enum: VECTOR_PLACES }).notNull().default("vectorize"),
    createdAt: integer().notNull(),
    /** When it became live or was retired, ms; 0 before. */
    changedAt: integer().notNull().default(0),
    /** When it first became live, ms; 0: never. If it was, it can be again until it is dropped. */
    liveSince: integer().notNull().default(0),
    /** The generation whose vectors it reuses where the embedded text is the same; null: none. */
    vectorsFrom: integer(),
    /** The RAG that it is a copy of, whose generation `vectorsFrom` is; null: its own RAG. */
    copyOf: text().$type<RagId>(),
    /** The model's vector of a fixed text when the index was begun; null: not compared yet. */
    probe: jsonColumn(numberList),
    /** When it was last compared, ms. */
    probedAt: integer().notNull().default(0),
    /** Since when another model answers by its name, ms; 0: the same one does. */
    modelChangedAt: integer().notNull().default(0),
    /** The similarity that questions about something else rarely reach; null: not measured. */
    unrelatedSimilarity: real(),
    /** While built: has rows up to this id. Null: of all files, and each change updates them. */
    filledUpTo: text(),
    /** Counters kept by triggers on rag_files, so that reading them costs one row. */
    pendingFiles: integer().notNull().default(0),
    processingFiles: integer().notNull().default(0),
    indexedFiles: integer().notNull().default(0),
    errorFiles: integer().notNull().default(0),
    deletedFiles: integer().notNull().default(0),
    numberVectors: integer().notNull().default(0),
    /** Only inside a batch that counts its files itself (`db/files/counter-writes.ts`). */
    countedByBatch: integer({ mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.ragId, table.generation] }),
    index("rag_generations_state").on(table.state),
  ],
);

/** Outlives its RAG until the vector index holds none of its vectors, so has no foreign key. */
export const vectorSyncs = sqliteTable(
  "vector_syncs",
  {
    ragId: text().$type<RagId>().notNull(),
    generation: integer().notNull(),
    shard: integer().notNull(),
    dueAt: integer().notNull(),
    /** When the next verification of all vectors begins or continues. */
    verifyAt: integer().notNull().default(0),
    /** JSON: when the verification began and what it found so far; null: none in progress. */
    verification: text(),
    /** JSON: when the last complete verification ended and its findings. */
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
    ragId: owner<RagId>(() => rags.id),
    type: text({ enum: SCOPE_TYPES }).notNull(),
    value: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.ragId, table.type, table.value] })],
);

/**
 * A file in one generation of a RAG's index, and its indexing state. Users see the live
 * generation's rows. Changes of a file update the rows of the live and the building generation; if
 * a retired one is brought back, files whose revision differs from the live row are indexed again.
 * Created `without rowid`, so that its key is no second written row. The key begins with the file:
 * where it began with the RAG, the planner would read all of a generation's rows rather than use
 * the index of their status.
 */
export const ragFiles = sqliteTable(
  "rag_files",
  {
    ragId: owner<RagId>(() => rags.id),
    generation: integer().notNull(),
    fileId: owner<FileId>(() => files.id),
    /** Copy of the file's path, so that a page of a list is read from the index of statuses. */
    path: text().notNull(),
    status: text({ enum: ROW_STATUSES }).notNull(),
    /** Increases with every known change (at least the time in ms): older work is void. */
    revision: integer().notNull(),
    /** The last success, ms; null until the first. */
    indexedAt: integer(),
    errorMessage: text(),
    /** Classifies the message: the remedy depends on it. */
    errorCode: text({ enum: FILE_FAILURES }),
    /** Whether a later scan retries the file: the cause was outside of it. */
    errorIsOutside: integer({ mode: "boolean" }).notNull().default(false),
    /** Chunks of the live version. */
    chunkCount: integer().notNull().default(0),
    /** Hash of everything that the live chunks were made from. */
    fingerprint: text(),
    /** The `contentId` that they were made from; null: not recorded. */
    contentId: text(),
    /** Parts of that content that were left out or repaired: a JSON list of plain sentences. */
    notes: jsonColumn(textList).notNull().default([]),
    attempts: integer().notNull().default(0),
    /**
     * When the sweep queues a pending or processing row again, unless a worker holds it; for
     * others 0. A worker's claim leaves it as it is, and its index does not name the status,
     * so that a claim does not write that index.
     */
    claimedUntil: integer().notNull().default(0),
    /** The worker's lease and its end; of an error: since when; of a removed file: still indexed. */
    leaseId: text(),
    leasedUntil: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.ragId, table.generation] }),
    index("rag_files_status").on(table.ragId, table.generation, table.status, table.path),
    index("rag_files_id").on(table.ragId, table.generation, table.fileId),
    index("rag_files_claimed")
      .on(table.ragId, table.generation, table.claimedUntil)
      .where(sql`claimed_until > 0`),
    index("rag_files_leaving")
      .on(table.leasedUntil)
      .where(sql`status in ('deleted', 'leaving') and leased_until > 0`),
  ],
);
