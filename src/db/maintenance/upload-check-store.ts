import type { FileId, FileSourceId } from "../../core/ids.ts";
import { execute, readRow, readRows, type Database } from "../sql.ts";
import { files, fileSources } from "../schema/index.ts";
import { columnsOf, pick, select, type Row } from "../select.ts";

const s = columnsOf(fileSources);
const DUE = select({ sourceId: s.id, after: s.uploadsAfter });
const NAMED = select(pick(columnsOf(files, "f"), "id", "version", "contentId"));

/** The source that has waited longest for its bucket to be compared, and how far that has come. */
export const dueUploadCheck = (db: Database, now: number): Promise<Row<typeof DUE> | null> =>
  readRow(db, DUE)`select ${DUE} from file_sources
    where uploads_due_at <= ${now} and removed_at is null order by uploads_due_at limit 1`;

/** Of these files those that are not deleted, with the version and text that they have. */
export const storedVersions = (db: Database, ids: FileId[]): Promise<Row<typeof NAMED>[]> =>
  readRows(db, NAMED)`select ${NAMED} from json_each(${ids}) wanted
    cross join files f on f.id = wanted.value where f.deleted_at is null`;

export const recordUploadCheck = (
  db: Database,
  sourceId: FileSourceId,
  { after, dueAt }: { after: string; dueAt: number },
) =>
  execute(db)`update file_sources set uploads_after = ${after}, uploads_due_at = ${dueAt}
    where id = ${sourceId}`;
