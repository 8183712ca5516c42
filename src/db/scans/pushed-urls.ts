import type { FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { KNOWN_COLUMNS, knownFrom, type KnownRow, type RawKnownRow } from "./listing-store.ts";
import { runOne, statement } from "../raw-sql.ts";

/** Files that someone pushed to a web source and that are not gone, by path, after this one. */
export async function pushedFiles(
  db: Database,
  sourceId: FileSourceId,
  after: string | null,
  limit: number,
): Promise<KnownRow[]> {
  const rows = await runOne<RawKnownRow>(
    db,
    statement(
      `select ${KNOWN_COLUMNS} from files f
       where f.file_source_id = ?1 and f.path > ?2 and f.deleted_at is null
         and f.source_state ->> '$.pushed'
       order by f.path limit ?3`,
      sourceId,
      after ?? "",
      limit,
    ),
  );
  return rows.map(knownFrom);
}
