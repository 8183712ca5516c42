import { messageOf } from "../../core/errors.ts";
import { SourceFailure, type SourceReader } from "../../ports/source-reader.ts";
import { DOCUMENT_LIMIT_BYTES } from "../../core/document-limit.ts";
import { tooLarge } from "../guarded-fetch.ts";
import { folderPrefix, listedFileFromObject } from "../listed-file-from-object.ts";
import { READERS, readersInMetadata } from "../object-storage/object-readers.ts";
import { bareMediaType } from "../bare-media-type.ts";

export type R2BucketConfig = { prefix?: string | undefined };

const DEFAULT_PAGE_SIZE = 1_000;

export type R2BucketOptions = {
  /** Keys a page, 1 to 1,000; R2 may return fewer because of the metadata. */
  pageSize?: number;
  /** Keys that are the service's own and no documents. */
  isOurs?: (key: string) => boolean;
  /** Whether to list who may read the objects. */
  readsPermissions?: boolean;
};

/** The bucket that is bound to the Worker. The cursor is R2's. */
export function r2BucketReader(
  bucket: R2Bucket,
  config: R2BucketConfig,
  options: R2BucketOptions = {},
): SourceReader {
  const { pageSize = DEFAULT_PAGE_SIZE, isOurs = () => false, readsPermissions = false } = options;
  const prefix = folderPrefix(config.prefix);
  return {
    async list(cursor, signal) {
      signal.throwIfAborted();
      const listed = await asked(() =>
        bucket.list({
          prefix,
          limit: pageSize,
          include: ["httpMetadata", "customMetadata"],
          ...(cursor === null ? {} : { cursor }),
        }),
      );
      const files = listed.objects.flatMap((object) => {
        if (isOurs(object.key)) return [];
        const { key, size, etag: version } = object;
        const mimeType = bareMediaType(object.httpMetadata?.contentType ?? null);
        const modifiedAt = object.uploaded.getTime();
        const file = listedFileFromObject(prefix, { key, size, version, mimeType, modifiedAt });
        if (file === null) return [];
        const metadata = { ...object.customMetadata };
        const readers = readsPermissions ? readersInMetadata(metadata[READERS]) : undefined;
        if (readsPermissions) delete metadata[READERS];
        return [{ ...file, metadata, ...(readers === undefined ? {} : { readers }) }];
      });
      const next = listed.truncated ? listed.cursor : null;
      return { files, deleted: [], entries: listed.objects.length, next };
    },

    async open(file, signal) {
      signal.throwIfAborted();
      if (file.size > DOCUMENT_LIMIT_BYTES) throw tooLarge(DOCUMENT_LIMIT_BYTES);
      const object = await asked(() => bucket.get(file.externalId ?? `${prefix}${file.path}`));
      if (object === null) return { outcome: "deleted" };
      const mimeType = object.httpMetadata?.contentType ?? null;
      return { outcome: "opened", body: object.body, size: object.size, mimeType };
    },
  };
}

async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new SourceFailure("down", `R2: ${messageOf(error)}`);
  }
}
