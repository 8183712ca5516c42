import type { FileSourceId } from "../../core/ids.ts";
import type { Reads } from "../client.ts";
import { files } from "../schema/index.ts";
import { columnsOf, pick, select } from "../select.ts";
import { readRows } from "../sql.ts";

const METADATA = select(pick(columnsOf(files), "path", "mimeType", "metadata"));

/** Media types and metadata of some files of a source. */
export const readFileMetadata = (db: Reads, source: FileSourceId, paths: string[]) =>
  readRows(db, METADATA)`select ${METADATA} from files
    where file_source_id = ${source} and path in (select value from json_each(${paths}))`;
