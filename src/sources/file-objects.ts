import { asId, type FileId, type FileSourceId } from "../core/ids.ts";

/** Where the bytes and texts of files lie in the bucket. All of a source is below one prefix. */
export const sourcePrefix = (sourceId: FileSourceId) => `sources/${sourceId}/`;

export const filePrefix = (sourceId: FileSourceId, fileId: FileId) =>
  `${sourcePrefix(sourceId)}${fileId}/`;

/** An object that is written only to see whether there is room. */
export const TRIAL_KEY = "sources/room-trial";

type Of = { sourceId: FileSourceId; fileId: FileId };

/** Key of a pushed file's bytes: each write has its own key, so that none removes another's. */
export const bytesKey = ({ sourceId, fileId }: Of, version: string) =>
  `${filePrefix(sourceId, fileId)}bytes/${version}`;

/** No content id is used twice, so that deleting an old text never removes a current one. */
export const textKey = ({ sourceId, fileId }: Of, contentId: string) =>
  `${filePrefix(sourceId, fileId)}text/${contentId}`;

/** The file whose bytes or text lie at this key; null: it is none of these. */
export function fileOfKey(sourceId: FileSourceId, key: string): FileId | null {
  const [fileId = "", kind, name, ...more] = key.slice(sourcePrefix(sourceId).length).split("/");
  const isOfFile = (kind === "bytes" || kind === "text") && name !== undefined;
  return isOfFile && more.length === 0 ? asId<FileId>(fileId) : null;
}

const KEYS_PER_CALL = 1_000;

/** Removes everything below a prefix; at most `limit` objects. Whether nothing is left. */
export async function removeBelow(bucket: R2Bucket, prefix: string, limit = KEYS_PER_CALL) {
  const { objects, truncated } = await bucket.list({ prefix, limit });
  if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
  return !truncated;
}
