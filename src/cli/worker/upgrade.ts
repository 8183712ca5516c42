import { z } from "zod";

import { INDEX_FORMAT } from "../../core/index-format.ts";
import { CommandFailure } from "../failure.ts";

/** Reads the version of a database: its indexes of other formats, and its last migration. */
export const VERSION_SQL = `select count(*) as indexes, coalesce(sum(indexed_files), 0) as files,
  coalesce(sum(number_vectors), 0) as passages, coalesce(max(format), 0) as format,
  (select name from d1_migrations order by id desc limit 1) as migration
  from rag_generations where state = 'live' and format <> ${INDEX_FORMAT}`;

const figures = z.object({
  indexes: z.int(),
  files: z.int(),
  passages: z.int(),
  format: z.int(),
  migration: z.string().nullable(),
});

/**
 * A sentence on what this version rebuilds in a database, from the row of `VERSION_SQL`; null:
 * nothing, or the database is new.
 * @throws CommandFailure for a database of a later version
 */
export function upgradeNotice(row: unknown, where: string, migrations: string[]) {
  const { data } = figures.safeParse(row);
  if (data === undefined) return null;
  const { indexes, files, passages, format, migration } = data;
  if (format > INDEX_FORMAT || (migration !== null && !migrations.includes(migration))) {
    throw new CommandFailure(
      `${where} was written by a later version of Quarry. Update this one, or use another.`,
    );
  }
  if (files === 0) return null;
  return (
    `This version rebuilds ${indexes} of the indexes in the background: ${files} files with ${passages} passages. ` +
    "The previous indexes answer meanwhile. Passages with the same text keep their vectors, the others are embedded again; the panel shows the progress of each RAG."
  );
}
