import type { FileId, FileSourceId, RagId } from "../../core/ids.ts";
import { files, type fileSources } from "../schema/index.ts";
import { columnsOf, number, select } from "../select.ts";
import { execute, onlyRow, readRows, readValues, runBatch, sql, type Database } from "../sql.ts";
import { MESSAGE, OPEN, requeueSql, type PendTimes } from "./file-rows.ts";

type Content = { fileId: FileId; contentId: string };

/**
 * Records that a file's present content holds the picture whose text has this key. False: the file
 * was replaced or deleted, and nothing would ever delete the text.
 */
export async function noteImage(db: Database, { fileId, contentId }: Content, key: string) {
  const [, held] = await runBatch(db, [
    sql`insert into file_images (file_id, key) select id, ${key} from files
      where id = ${fileId} and content_id = ${contentId} and deleted_at is null
      on conflict do nothing`,
    sql`select 1 from file_images where file_id = ${fileId} and key = ${key}`,
  ]);
  return held.length > 0;
}

export type ImageState = Pick<
  typeof files.$inferSelect,
  "imagesUnread" | "imagesSkipped" | "imagesDueAt" | "imageTries"
>;

type ReadBy = { source: Pick<typeof fileSources.$inferSelect, "imageModel" | "pictures"> };

/**
 * Records which pictures of a file's present content wait, and until when: where the settings of
 * the source have changed since the file was claimed, they are due now.
 */
export const noteImageState = (
  db: Database,
  { fileId, contentId, source }: Content & ReadBy,
  { imagesUnread, imagesSkipped, imagesDueAt, imageTries }: ImageState,
  now: number,
) =>
  execute(db)`update files set images_unread = ${imagesUnread}, images_skipped = ${imagesSkipped},
      image_tries = ${imageTries}, images_due_at = case when exists (select 1 from file_sources s
        where s.id = files.file_source_id and s.image_model is not null
          and (s.image_model is not ${source.imageModel} or s.pictures > ${source.pictures})
          and (${imagesUnread} > 0 or (${imagesSkipped} > 0 and s.pictures)))
        then ${now} else ${imagesDueAt} end
    where id = ${fileId} and content_id = ${contentId}`;

/**
 * Makes a file due whose text is replaced by what another model, or a later try, has read: other
 * RAGs have indexed the text before, and their passages would no longer stand in it.
 */
export const noteReplacedText = (
  db: Database,
  { fileId, contentId, ragId }: Content & { ragId: RagId },
  now: number,
) =>
  execute(db)`update files set images_due_at = ${now}
    where id = ${fileId} and content_id = ${contentId} and exists (
      select 1 from rag_files x join rag_generations g on g.rag_id = x.rag_id
        and g.generation = x.generation and ${OPEN}
      where x.file_id = files.id and x.rag_id <> ${ragId} and x.status = 'indexed')`;

type ImageSource = { id: FileSourceId; pictures: boolean };

/** Files of a source with pictures to read. */
const isWaiting = ({ id, pictures }: ImageSource) =>
  sql`file_source_id = ${id} and images_unread + images_skipped > 0
    and (images_unread > 0 or ${pictures})`;

/** Makes the pictures of a source that wait due now. */
export const releaseImages = (db: Database, source: ImageSource, now: number) =>
  execute(db)`update files set images_due_at = ${now}, image_tries = 0 where ${isWaiting(source)}`;

/** Whether no worker has a file of `files`: one at work may have read it before it was due. */
const isAtRest = (now: number) =>
  sql`not exists (select 1 from rag_files x where x.file_id = files.id
    and x.status = 'processing' and x.leased_until > ${now})`;

/** Makes files pending whose pictures are due, to be read again whatever was read of them. */
export async function takeDueImages(db: Database, times: PendTimes, limit: number) {
  const ids = await readValues(db, columnsOf(files).id)`select id from files
    where images_due_at <= ${times.now}
    and ${isAtRest(times.now)} order by images_due_at limit ${limit}`;
  if (ids.length === 0) return [];
  const [messages] = await runBatch(db, [
    sql`${requeueSql(times)}, fingerprint = null
      where file_id in (select value from json_each(${ids})) and status in ('indexed', 'error')
        and exists (select 1 from rag_generations g where g.rag_id = rag_files.rag_id
          and g.generation = rag_files.generation and ${OPEN})
      returning ${MESSAGE}`,
    sql`update rag_files set fingerprint = null
      where file_id in (select value from json_each(${ids})) and status = 'pending'`,
    sql`update files set images_due_at = null
      where id in (select value from json_each(${ids})) and ${isAtRest(times.now)}`,
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
  onlyRow(
    await readRows(db)`select ${WAITING} from files where ${isWaiting({ id, pictures: true })}`,
  );
