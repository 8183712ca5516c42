import type { FileSourceId } from "../core/ids.ts";
import type { ReaderStore } from "../ports/source-reader.ts";
import { removeBelow, sourcePrefix } from "./file-objects.ts";

const prefixOf = (sourceId: FileSourceId) => `${sourcePrefix(sourceId)}reader/`;

export const readerKey = (sourceId: FileSourceId, key: string) => `${prefixOf(sourceId)}${key}`;

/**
 * Stores a reader's objects between calls, below the source's prefix, so that they are removed
 * with the source.
 */
export function readerStore(bucket: R2Bucket, sourceId: FileSourceId): ReaderStore {
  const prefix = prefixOf(sourceId);
  return {
    async read(key) {
      const object = await bucket.get(`${prefix}${key}`);
      return object === null ? null : new Uint8Array(await object.arrayBuffer());
    },
    async write(key, bytes) {
      await bucket.put(`${prefix}${key}`, bytes);
    },
    async remove(below) {
      while (!(await removeBelow(bucket, `${prefix}${below}`)));
    },
    async retain(below, isKept) {
      let cursor: string | undefined;
      do {
        const listing = await bucket.list({
          prefix: `${prefix}${below}`,
          ...(cursor && { cursor }),
        });
        const keys = listing.objects.map(({ key }) => key);
        const orphans = keys.filter((key) => !isKept(key.slice(prefix.length)));
        if (orphans.length > 0) await bucket.delete(orphans);
        cursor = listing.truncated ? listing.cursor : undefined;
      } while (cursor !== undefined);
    },
  };
}
