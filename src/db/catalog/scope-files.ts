import type { FileSourceId } from "../../core/ids.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Database } from "../client.ts";
import { countUpTo } from "../page.ts";
import { AFTER_SLASH } from "../path-range.ts";
import { sql, type Sql } from "../sql.ts";

const filesOf = (sourceId: FileSourceId) =>
  sql`from files f where f.file_source_id = ${sourceId} and f.deleted_at is null`;

/** The number of a source's files inside a scope; counting stops at `max`. */
export const countScopeFiles = (
  db: Database,
  sourceId: FileSourceId,
  scope: IndexScope,
  max: number,
) => countUpTo(db, max, sql`${filesOf(sourceId)} and ${isInside(scope)}`);

/** The number of a source's files; counting stops at `max`. */
export const countSourceFiles = (db: Database, sourceId: FileSourceId, max: number) =>
  countUpTo(db, max, filesOf(sourceId));

/** A folder is a range of paths, so that the index can be used. */
function isInside({ type, value }: IndexScope): Sql {
  if (type === "externalId") {
    return sql`(f.external_id = ${value}
      or exists (select 1 from json_each(f.metadata, '$.ancestors') where value = ${value}))`;
  }
  if (!value.endsWith("/")) return sql`f.path = ${value}`;
  return sql`f.path >= ${value} and f.path < ${value.slice(0, -1) + AFTER_SLASH}`;
}
