import type { FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { KNOWN_COLUMNS, KNOWN_FILE, type KnownRow } from "./listing-store.ts";
import { readRows } from "../raw-sql.ts";

/** Files pushed to a web source and not deleted, ordered by path, after this one. */
export async function pushedFiles(
  db: Database,
  sourceId: FileSourceId,
  after: string | null,
  limit: number,
): Promise<KnownRow[]> {
  return await readRows(
    db,
    KNOWN_FILE,
    `select ${KNOWN_COLUMNS} from files f
     where f.file_source_id = ?1 and f.path > ?2 and f.deleted_at is null
       and f.source_state ->> '$.pushed'
     order by f.path limit ?3`,
    sourceId,
    after ?? "",
    limit,
  );
}
