import type { FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { flag, row, text } from "../columns.ts";
import { readRows } from "../raw-sql.ts";
import { AFTER_ALL } from "../path-range.ts";

const ENTRY = row({ path: text, isFolder: flag });

/** What lies directly in a folder: a folder's path ends in "/", a file's does not. */
export type FolderEntry = { path: string; isFolder: boolean };

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
  const next = (from: string) => `(select min(f.path) from files f
    where f.file_source_id = ?1 and f.path > ${from} and f.path < ?3 and f.deleted_at is null)`;
  const rest = "substr(found, length(?2) + 1)";
  const entry = `case when instr(${rest}, '/') > 0
    then ?2 || substr(${rest}, 1, instr(${rest}, '/')) else found end`;
  const behind = `case when instr(${rest}, '/') > 0
    then ?2 || substr(${rest}, 1, instr(${rest}, '/')) || '${AFTER_ALL}' else found end`;
  return await readRows(
    db,
    ENTRY,
    `with recursive step(found) as (
       select ${next("?4")}
       union all
       select ${next(behind)} from step where found is not null
       limit ?5)
     select ${entry} as path, instr(${rest}, '/') > 0 as isFolder from step
     where found is not null`,
    sourceId,
    folder,
    folder + AFTER_ALL,
    after === null ? folder : after.replace(/\/$/, `/${AFTER_ALL}`),
    limit,
  );
}
