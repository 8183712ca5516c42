import { xmlRecords } from "../xml-records.ts";

export type ListedObject = { key: string; size: number; etag: string; lastModified: string };

type ObjectListing = { objects: ListedObject[]; nextToken: string | null };

/** Null when the text was cut off: it must not look like a bucket with fewer objects. */
export function parseListing(xml: string): ObjectListing | null {
  const read = xmlRecords(xml, new Set(["contents"]));
  if (read?.root !== "listbucketresult" || !read.isWhole) return null;
  const { top } = read;
  const isEncoded = top.get("encodingtype") === "url";
  const objects = read.records.map((record): ListedObject => {
    const fields = new Map(record.fields);
    const key = fields.get("key") ?? "";
    return {
      key: isEncoded ? decodeKey(key) : key,
      size: Number(fields.get("size") ?? 0),
      etag: (fields.get("etag") ?? "").replaceAll('"', ""),
      lastModified: fields.get("lastmodified") ?? "",
    };
  });
  const isTruncated = top.get("istruncated") === "true";
  return { objects, nextToken: isTruncated ? (top.get("nextcontinuationtoken") ?? "") : null };
}

/** `encoding-type=url` writes a space as `+`. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", " "));
  } catch {
    return key;
  }
}

/** `Code` of an error answer; empty when it has none. Codes are names, never secrets. */
export function errorCode(xml: string): string {
  return /<Code>\s*([A-Za-z0-9.]{1,64})\s*<\/Code>/.exec(xml)?.[1] ?? "";
}
