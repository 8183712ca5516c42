import type { FileId } from "../../core/ids.ts";
import type { IndexAudience, ReaderChanges } from "../../ports/index-versions.ts";
import { valueOf, valuesOf } from "../tables.ts";
import { NO_REVISION } from "./files.ts";
import type { WriteContext } from "./write-context.ts";

/** The audience's number in this index. */
function numberOf(sql: SqlStorage, { id, principals }: IndexAudience): number {
  const known = valueOf<number>(sql, "SELECT audience FROM audiences WHERE id = ?", id);
  if (known !== null) return known;
  const added = "INSERT INTO audiences (id) VALUES (?) RETURNING audience";
  const audience = valueOf<number>(sql, added, id) ?? 0;
  sql.exec(
    `INSERT OR IGNORE INTO audience_members (principal, audience)
      SELECT value, ? FROM json_each(?)`,
    audience,
    JSON.stringify(principals),
  );
  return audience;
}

type Written = [fileId: FileId, audience: number, revision: number];

/** An audience of an older revision than the index knows changes nothing. */
function setAudiences({ sql, change }: WriteContext, written: Written[]): void {
  const query = `UPDATE files SET audience = given.value ->> 1, readers_revision = given.value ->> 2
    FROM json_each(?) given
    WHERE files.id = given.value ->> 0 AND readers_revision < given.value ->> 2
    RETURNING file`;
  change.files.push(...valuesOf<number>(sql, query, JSON.stringify(written)));
}

/**
 * Records who may read files, one row for each. A file that the index does not know yet keeps it
 * for its first version, which a job may write that read an older audience.
 */
export function writeReaders(context: WriteContext, { audiences, files }: ReaderChanges): void {
  const { sql } = context;
  const numbers = new Map(audiences.map((audience) => [audience.id, numberOf(sql, audience)]));
  sql.exec(
    `INSERT OR IGNORE INTO files (id, revision, state)
      SELECT value, ?, 'staging' FROM json_each(?)`,
    NO_REVISION,
    JSON.stringify(files.map(({ fileId }) => fileId)),
  );
  const written = files.map(({ fileId, audience, revision }): Written => {
    return [fileId, numbers.get(audience) ?? 0, revision];
  });
  setAudiences(context, written);
}

/** The same for one file whose version becomes live. */
export function writeReadersOf(
  context: WriteContext,
  fileId: FileId,
  readers: (IndexAudience & { revision: number }) | undefined,
): void {
  if (readers === undefined) return;
  setAudiences(context, [[fileId, numberOf(context.sql, readers), readers.revision]]);
}
