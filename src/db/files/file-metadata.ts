import type { FileSourceId } from "../../core/ids.ts";
import type { Reads } from "../client.ts";
import { jsonObject, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { readRows } from "../raw-sql.ts";

const METADATA = row({ path: text, mimeType: text, metadata: jsonObject });

/** Media types and metadata of some files of a source. */
export async function readFileMetadata(
  db: Reads,
  source: FileSourceId,
  paths: string[],
): Promise<Row<typeof METADATA>[]> {
  return await readRows(
    db,
    METADATA,
    `select path, mime_type as mimeType, metadata from files
     where file_source_id = ?1 and path in (select value from json_each(?2))`,
    source,
    JSON.stringify(paths),
  );
}
