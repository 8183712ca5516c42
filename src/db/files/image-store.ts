import type { FileId, FileSourceId } from "../../core/ids.ts";
import { execute, only, readRows, readValues, runBatch, sql, type Database } from "../sql.ts";
import { columnsOf, number, select } from "../select.ts";
import { files } from "../schema/index.ts";
import { MESSAGE, OPEN, pendAgainSql, type PendTimes } from "./file-rows.ts";

type Content = { fileId: FileId; contentId: string };

/** Records that a file's present content holds the picture whose text has this key. */
export const noteImage = (db: Database, { fileId, contentId }: Content, key: string) =>
  execute(db)`insert into file_images (file_id, key)
    select id, ${key} from files where id = ${fileId} and content_id = ${contentId}
    on conflict do nothing`;

export type ImageState = Pick<
  typeof files.$inferSelect,
  "imagesUnread" | "imagesSkipped" | "imagesDueAt" | "imageTries"
>;

/** Records which pictures of a file's present content wait, and until when. */
export const noteImageState = (
  db: Database,
  { fileId, contentId }: Content,
  { imagesUnread, imagesSkipped, imagesDueAt, imageTries }: ImageState,
) =>
  execute(db)`update files set images_unread = ${imagesUnread}, images_skipped = ${imagesSkipped},
      images_due_at = ${imagesDueAt}, image_tries = ${imageTries}
    where id = ${fileId} and content_id = ${contentId}`;

type Waiting = { id: FileSourceId; pictures: boolean };

/** Files of a source with pictures to read. */
const isWaiting = ({ id, pictures }: Waiting) =>
  sql`file_source_id = ${id} and images_unread + images_skipped > 0
    and (images_unread > 0 or ${pictures})`;

/** Makes the pictures of a source that wait due now. */
export const releaseImages = (db: Database, source: Waiting, now: number) =>
  execute(db)`update files set images_due_at = ${now}, image_tries = 0 where ${isWaiting(source)}`;

/** Makes files pending whose pictures are due, to be read again whatever was read of them. */
export async function takeDueImages(db: Database, times: PendTimes, limit: number) {
  const ids = await readValues(db, columnsOf(files).id)`select id from files
    where images_due_at <= ${times.now} order by images_due_at limit ${limit}`;
  if (ids.length === 0) return [];
  const [messages] = await runBatch(db, [
    sql`${pendAgainSql(times)}, fingerprint = null
      where file_id in (select value from json_each(${ids})) and status in ('indexed', 'error')
        and exists (select 1 from rag_generations g where g.rag_id = rag_files.rag_id
          and g.generation = rag_files.generation and ${OPEN})
      returning ${MESSAGE}`,
    sql`update files set images_due_at = null where id in (select value from json_each(${ids}))`,
  ]);
  return messages;
}

const WAITING = select({
  files: number("count(*)"),
  unread: number("coalesce(sum(images_unread), 0)"),
  skipped: number("coalesce(sum(images_skipped), 0)"),
});

/** Files of a source with pictures that wait for a model, or that its settings leave out. */
export const countWaitingImages = async (db: Database, id: FileSourceId) =>
  only(await readRows(db)`select ${WAITING} from files where ${isWaiting({ id, pictures: true })}`);
