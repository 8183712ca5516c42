import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { z } from "zod";

import type { FileId, FileSourceId } from "../../core/ids.ts";
import { choice, jsonColumn, jsonObject, owner } from "./columns.ts";

const rows = z.array(z.record(z.string(), z.unknown()));

/** An archive that was uploaded, and how far its import has come. */
export const archiveImports = sqliteTable("archive_imports", {
  id: text().primaryKey(),
  /** `settings`: sources and RAGs are visible, and the rest of the settings is still to be made. */
  state: choice("uploading", "checking", "checked", "writing", "settings", "done"),
  /** SHA-256 of the manifest, which names the hash of every other part. */
  manifestHash: text(),
  /** Always empty: the plan lies in the bucket. */
  plan: jsonColumn(jsonObject).notNull().default({}),
  /** The part of the archive that is checked or written next. */
  part: integer().notNull().default(0),
  /** Not used. */
  line: integer().notNull().default(0),
  /** Until when a call works on it, ms. */
  leasedUntil: integer().notNull().default(0),
  createdAt: integer().notNull(),
});

/** A file of an unfinished import, until it is visible. */
export const archiveFiles = sqliteTable(
  "archive_files",
  {
    importId: owner<string>(() => archiveImports.id),
    fileSourceId: text().$type<FileSourceId>().notNull(),
    path: text().notNull(),
    fileId: text().$type<FileId>().notNull(),
    /** Columns of its rows of `files` and `rag_files`. */
    file: jsonColumn(jsonObject).notNull(),
    rags: jsonColumn(rows).notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.fileSourceId, table.path] })],
);
