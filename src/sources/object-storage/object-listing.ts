import { z } from "zod";

import { timeIn } from "../../core/time.ts";
import { ITEM_COST, type CooperativeWork } from "../../core/work/cooperative.ts";
import type { KnownFiles, ListedFile, UnreadItem } from "../../ports/source-reader.ts";
import { listedFileFromObject } from "../listed-file-from-object.ts";
import { listedItems } from "../listed-items.ts";
import { xmlRecords } from "../xml-records.ts";

/** Begins a cursor that is the last key: servers of the first version of the listing give no token. */
export const MARKER = "marker=";

const OBJECTS_A_STEP = 1_000;

const text = z.string().default("");
const listedObject = z.object({
  key: z.string().min(1),
  size: z.coerce.number().int().nonnegative().default(0),
  etag: text.transform((tag) => tag.replaceAll('"', "")),
  lastmodified: text,
  storageclass: text,
  /** Listed for an object that is being restored or, with "false", is restored. */
  "restorestatus/isrestoreinprogress": text,
});
const listedObjects = listedItems(listedObject, "key");
type ListedObject = z.infer<typeof listedObject>;

type ObjectListing = {
  objects: ListedObject[];
  unread: UnreadItem[];
  nextToken: string | null;
};

/** Null when the text was cut off: it must not look like a bucket with fewer objects. */
export function* parseListing(xml: string): CooperativeWork<ObjectListing | null> {
  const listing = yield* xmlRecords(xml, new Set(["contents"]));
  if (listing?.root !== "listbucketresult" || !listing.isWhole) return null;
  const { top } = listing;
  const isEncoded = top.get("encodingtype") === "url";
  const objects: ListedObject[] = [];
  const unread: UnreadItem[] = [];
  for (let at = 0; at < listing.records.length; at += OBJECTS_A_STEP) {
    const records = listing.records.slice(at, at + OBJECTS_A_STEP).map(({ fields }) => {
      const record = Object.fromEntries(fields);
      record["key"] &&= isEncoded ? decodeKey(record["key"]) : record["key"];
      return record;
    });
    const { data } = listedObjects.safeParse(records);
    if (data === undefined) return null;
    objects.push(...data.items);
    unread.push(...data.unread);
    yield records.length * ITEM_COST;
  }
  const token = top.get("nextcontinuationtoken") ?? "";
  const lastKey = objects.at(-1)?.key;
  const marker = lastKey === undefined ? "" : `${MARKER}${lastKey}`;
  // Clients of AWS go on where there is a token: some servers say nothing else.
  const isTruncated = /^(?:true|1)$/i.test(top.get("istruncated") ?? String(token !== ""));
  return { objects, unread, nextToken: isTruncated ? token || marker : null };
}

/** `encoding-type=url` writes a space as `+`. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", " "));
  } catch {
    return key;
  }
}

const isAmazon = (endpoint: string) =>
  /\.amazonaws\.com(?:\.cn)?$/.test(new URL(endpoint).hostname);

/** Other servers refuse a header that they do not know. */
export const listingHeaders = (endpoint: string): Record<string, string> =>
  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
  isAmazon(endpoint) ? { "x-amz-optional-object-attributes": "RestoreStatus" } : {};

export const NOT_RESTORED = "the object is archived: restore it, and the next scan reads it";
const ARCHIVES = new Set(["GLACIER", "DEEP_ARCHIVE"]);

type Reading = {
  prefix: string;
  endpoint: string;
  /** Null: readers do not count. */
  earlierFiles: Pick<KnownFiles, "byExternalId"> | null;
};

/**
 * Only Amazon lists which objects are restored; elsewhere these classes may be read at once.
 * `archivedFiles`: those that were read before, whose readers may change all the same.
 */
export async function filesOf(
  { objects, unread }: ObjectListing,
  { prefix, endpoint, earlierFiles }: Reading,
) {
  const tellsRestored = isAmazon(endpoint);
  const isArchived = (each: ListedObject) =>
    tellsRestored &&
    ARCHIVES.has(each.storageclass) &&
    each["restorestatus/isrestoreinprogress"] !== "false";
  const filesAmong = (some: ListedObject[]) => some.flatMap((each) => fileOf(prefix, each));
  const files = filesAmong(objects.filter((each) => !isArchived(each)));
  const archived = new Map(
    filesAmong(objects.filter(isArchived)).map((file) => [file.externalId, file]),
  );
  const ids = [...archived.keys()].flatMap((id) => id ?? []);
  const archivedFiles =
    earlierFiles === null || ids.length === 0 ? [] : await earlierFiles.byExternalId(ids);
  const failure = { kind: "denied" as const, message: NOT_RESTORED };
  for (const file of archivedFiles) {
    const { modifiedAt = null } = archived.get(file.externalId) ?? {};
    Object.assign(file, { modifiedAt, failure });
    archived.delete(file.externalId);
  }
  const newItems = Array.from(archived.values(), ({ externalId: id, path }): UnreadItem => {
    return { id, path, message: NOT_RESTORED };
  });
  return { files, archivedFiles, unread: [...unread, ...newItems], entries: objects.length };
}

function fileOf(prefix: string, object: ListedObject): ListedFile[] {
  const { key, size, etag, lastmodified } = object;
  const version = etag === "" ? `${lastmodified}/${size}` : `${etag}/${size}`;
  const modifiedAt = timeIn(lastmodified);
  const file = listedFileFromObject(prefix, { key, size, version, modifiedAt });
  return file === null || !key.startsWith(prefix) ? [] : [file];
}
