import type { FileSourceId } from "../../core/ids.ts";
import { readRows, sql, type Database, type Sql } from "../sql.ts";
import { flag, text, computed, select, type Row } from "../select.ts";
import { AFTER_ALL } from "../path-range.ts";

const ENTRY = select({ path: computed(text, "path"), isFolder: computed(flag, "isFolder") });

/** What lies directly in a folder: a folder's path ends in "/", a file's does not. */
export type FolderEntry = Row<typeof ENTRY>;

/**
 * Folders and files directly in a folder (`""`: the root; else with its trailing slash), in order
 * of path, behind `after`. Each step jumps over all that lies below a folder, so that a page reads
 * about as many rows as it has entries, whatever is below them.
 */
export async function listFolder(
  db: Database,
  slice: { sourceId: FileSourceId; folder: string; after: string | null; limit: number },
): Promise<FolderEntry[]> {
  const { sourceId, folder, after, limit } = slice;
  const next = (from: Sql) => sql`(select min(f.path) from files f where f.file_source_id =
    ${sourceId} and f.path > ${from} and f.path < ${folder + AFTER_ALL} and f.deleted_at is null)`;
  const rest = sql`substr(found, length(${folder}) + 1)`;
  const isFolder = sql`instr(${rest}, '/') > 0`;
  const below = sql`${folder} || substr(${rest}, 1, instr(${rest}, '/'))`;
  const start = after === null ? folder : after.replace(/\/$/, `/${AFTER_ALL}`);
  return await readRows(db, ENTRY)`with recursive step(found) as (
      select ${next(sql`${start}`)}
      union all
      select ${next(sql`case when ${isFolder} then ${below} || ${AFTER_ALL} else found end`)}
      from step where found is not null
      limit ${limit})
    select case when ${isFolder} then ${below} else found end as path, ${isFolder} as isFolder
    from step where found is not null`;
}
