import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

import type { FileId, FileSourceId } from "../../core/ids.ts";
import { owner } from "./columns.ts";
import { files } from "./sources.ts";

/**
 * Texts of pictures that files hold, by their keys in the bucket. With a file's content go its
 * rows, and with a text's last row the text, a day later where its file has another content: triggers
 * see to both. Created `without rowid`.
 */
export const fileImages = sqliteTable(
  "file_images",
  { fileId: owner<FileId>(() => files.id), key: text().notNull() },
  (table) => [
    primaryKey({ columns: [table.fileId, table.key] }),
    index("file_images_key").on(table.key),
  ],
);

/**
 * Stored content of a replaced or deleted file, to be deleted from the bucket: at once, and again
 * when no worker that still writes it can be left. Triggers on `files` add the rows. No foreign
 * keys: a row outlives its file.
 */
export const replacedContents = sqliteTable(
  "replaced_contents",
  {
    id: integer().primaryKey(),
    /** Empty for the text of a picture, whose key is the `path`. */
    fileSourceId: text().$type<FileSourceId>().notNull(),
    fileId: text().$type<FileId>().notNull(),
    path: text().notNull(),
    version: text().notNull(),
    /** Null when the file keeps its text: only its version has changed. */
    contentId: text(),
    /** When it is deleted next, ms; 0: at once, for the first time. */
    dueAt: integer().notNull().default(0),
  },
  (table) => [index("replaced_contents_due").on(table.dueAt)],
);
