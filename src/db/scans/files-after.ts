import type { FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { KNOWN_COLUMNS, KNOWN_FILE, type KnownRow } from "./listing-store.ts";
import { readRows } from "../raw-sql.ts";

/** A source's files that are not deleted, or the pushed ones of them, in order of path. */
export async function filesAfter(
  db: Database,
  sourceId: FileSourceId,
  { after, limit, isPushed = false }: { after: string | null; limit: number; isPushed?: boolean },
): Promise<KnownRow[]> {
  return await readRows(
    db,
    KNOWN_FILE,
    `select ${KNOWN_COLUMNS} from files f
     where f.file_source_id = ?1 and f.path > ?2 and f.deleted_at is null
       and (?4 = 0 or f.source_state ->> '$.pushed')
     order by f.path limit ?3`,
    sourceId,
    after ?? "",
    limit,
    Number(isPushed),
  );
}
