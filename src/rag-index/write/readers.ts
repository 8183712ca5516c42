import type { FileId } from "../../core/ids.ts";
import type { IndexAudience } from "../../ports/index-versions.ts";
import { run, valueOf, valuesOf } from "../tables.ts";
import { NO_REVISION } from "./files.ts";
import type { Verb, WriteContext } from "./write-context.ts";

/** The audience's number in this index. */
function numberOf(sql: SqlStorage, { id, principals }: IndexAudience): number {
  const known = valueOf<number>(sql)`SELECT audience FROM audiences WHERE id = ${id}`;
  if (known !== null) return known;
  const added = valueOf<number>(sql)`INSERT INTO audiences (id) VALUES (${id}) RETURNING audience`;
  run(sql)`INSERT OR IGNORE INTO audience_members (principal, audience)
    SELECT value, ${added} FROM json_each(${principals})`;
  return added ?? 0;
}

type Written = [fileId: FileId, audience: number, revision: number];

/** An audience of an older revision than the index knows changes nothing. */
function setAudiences({ sql, change }: WriteContext, written: Written[]): void {
  const files = valuesOf<number>(sql)`
    UPDATE files SET audience = given.value ->> 1, readers_revision = given.value ->> 2
    FROM json_each(${written}) given
    WHERE files.id = given.value ->> 0 AND readers_revision < given.value ->> 2 RETURNING file`;
  change.files.push(...files);
}

/**
 * Records who may read files, one row for each. A file that the index does not know yet keeps it
 * for its first version, which a job may write that read an older audience.
 */
export const writeReaders: Verb<"writeReaders"> = (context, { audiences, files }) => {
  const { sql } = context;
  const numbers = new Map(audiences.map((audience) => [audience.id, numberOf(sql, audience)]));
  const ids = files.map(({ fileId }) => fileId);
  run(sql)`INSERT OR IGNORE INTO files (id, revision, state)
    SELECT value, ${NO_REVISION}, 'staging' FROM json_each(${ids})`;
  const written = files.map(({ fileId, audience, revision }): Written => {
    return [fileId, numbers.get(audience) ?? 0, revision];
  });
  setAudiences(context, written);
};

/** The same for one file whose version becomes live. */
export function writeReadersOf(
  context: WriteContext,
  fileId: FileId,
  readers: (IndexAudience & { revision: number }) | undefined,
): void {
  if (readers === undefined) return;
  setAudiences(context, [[fileId, numberOf(context.sql, readers), readers.revision]]);
}
