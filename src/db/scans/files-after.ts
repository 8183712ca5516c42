import type { FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { readRows } from "../sql.ts";
import { KNOWN_FILE, type KnownRow } from "./listing-store.ts";

/** A source's files that are not deleted, or the pushed ones of them, in order of path. */
export const filesAfter = (
  db: Database,
  sourceId: FileSourceId,
  { after, limit, isPushed = false }: { after: string | null; limit: number; isPushed?: boolean },
): Promise<KnownRow[]> =>
  readRows(db, KNOWN_FILE)`select ${KNOWN_FILE} from files f
    where f.file_source_id = ${sourceId} and f.path > ${after ?? ""} and f.deleted_at is null
      and (not ${isPushed} or f.source_state ->> '$.pushed')
    order by f.path limit ${limit}`;
