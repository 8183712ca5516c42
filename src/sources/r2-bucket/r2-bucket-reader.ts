import { DOCUMENT_LIMIT_BYTES } from "../../core/document-limit.ts";
import { messageOf } from "../../core/errors.ts";
import { missingFile, SourceFailure, type SourceReader } from "../../ports/source-reader.ts";
import { bareMediaType } from "../bare-media-type.ts";
import { decodeBody } from "../content-codings.ts";
import { limitBody, tooLarge } from "../guarded-fetch.ts";
import { folderPrefix, listedFileFromObject, withOwnPaths } from "../listed-file-from-object.ts";
import { READERS, readersInMetadata } from "../object-storage/object-readers.ts";
import type { SourceTools } from "../source-manifest.ts";

const DEFAULT_PAGE_SIZE = 1_000;

/** Everything of ours in the bound bucket lies below one prefix, and is no document. */
const isOurs = (key: string) => key.startsWith("sources/");

/** The bucket that is bound to the Worker. The cursor is R2's, which may return shorter pages. */
export function r2BucketReader(
  bucket: R2Bucket,
  config: { prefix?: string | undefined },
  options: Partial<Pick<SourceTools, "readsPermissions">> &
    Pick<SourceTools, "known"> & { pageSize?: number },
): SourceReader {
  const { pageSize = DEFAULT_PAGE_SIZE, readsPermissions = false, known: knownFiles } = options;
  const prefix = folderPrefix(config.prefix);
  return {
    async list(cursor, signal) {
      signal.throwIfAborted();
      const listing = await callBucket(() =>
        bucket.list({
          prefix,
          limit: pageSize,
          include: ["httpMetadata", "customMetadata"],
          ...(cursor === null ? {} : { cursor }),
        }),
      );
      const files = listing.objects.flatMap((object) => {
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
      const next = listing.truncated ? listing.cursor : null;
      return {
        files: await withOwnPaths(files, knownFiles),
        deleted: [],
        entries: listing.objects.length,
        next,
      };
    },

    async open(file, signal) {
      signal.throwIfAborted();
      if (file.size > DOCUMENT_LIMIT_BYTES) throw tooLarge(DOCUMENT_LIMIT_BYTES);
      const object = await callBucket(() => bucket.get(file.externalId ?? `${prefix}${file.path}`));
      if (object === null) throw missingFile("R2: 404");
      const { contentType: mimeType = null, contentEncoding = "" } = object.httpMetadata ?? {};
      const body = decodeBody(object.body, contentEncoding);
      if (body === object.body) return { body, size: object.size, mimeType };
      return { body: limitBody(body, DOCUMENT_LIMIT_BYTES), size: null, mimeType };
    },
  };
}

async function callBucket<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new SourceFailure("down", `R2: ${messageOf(error)}`);
  }
}
