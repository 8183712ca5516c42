import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { z } from "zod";

import { asId, type FileId, type FileSourceId } from "../../core/ids.ts";
import { jsonColumn, owner } from "./columns.ts";
import { fileSources } from "./sources.ts";

/** Who may read a file, and where each comes from. */
const audienceReaders = z.array(z.object({ principal: z.string(), from: z.string() }));

/** Sets of readers that files share, by a hash of them, whichever source they come from. */
export const audiences = sqliteTable("audiences", {
  id: text().primaryKey(),
  readers: jsonColumn(audienceReaders).notNull(),
  /** Why they could not be read: then there are none. */
  unreadable: text(),
});

/** The audiences of a principal. Created `without rowid`. */
export const audiencePrincipals = sqliteTable(
  "audience_principals",
  { principal: text().notNull(), audience: text().notNull() },
  (table) => [primaryKey({ columns: [table.principal, table.audience] })],
);

/** Files with a new audience that indexes may not know; deleted when every index does. */
export const readerChanges = sqliteTable(
  "reader_changes",
  {
    id: integer().primaryKey(),
    fileSourceId: owner<FileSourceId>(() => fileSources.id),
    fileIds: jsonColumn(z.array(z.string().transform((id) => asId<FileId>(id)))).notNull(),
    at: integer().notNull(),
  },
  (table) => [index("reader_changes_source").on(table.fileSourceId, table.at)],
);

/** Groups that may read files of a source, and when their members were read. */
export const syncedGroups = sqliteTable(
  "synced_groups",
  {
    fileSourceId: owner<FileSourceId>(() => fileSources.id),
    /** A principal: `group:…`. */
    name: text().notNull(),
    /** Why its members are not known; null: they are. */
    unknown: text(),
    syncedAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileSourceId, table.name] })],
);

/** Members of groups as a source's provider lists them, nested groups flattened. */
export const principalGroups = sqliteTable(
  "principal_groups",
  {
    fileSourceId: owner<FileSourceId>(() => fileSources.id),
    /** A principal: `user:…`. */
    member: text().notNull(),
    /** A principal: `group:…`. */
    inGroup: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.fileSourceId, table.member, table.inGroup] }),
    index("principal_groups_in").on(table.fileSourceId, table.inGroup),
  ],
);
