import { Parser } from "htmlparser2";

export type ListedObject = { key: string; size: number; etag: string; lastModified: string };

export type ObjectListing = { objects: ListedObject[]; nextToken: string | null };

/** A listing has four. What nests deeper is none, and the parser goes through all at each tag. */
const MAX_LEVELS = 100;

/**
 * Reads a ListObjectsV2 answer. Null when the text is no complete listing: one that was cut off
 * must not look like a bucket with fewer objects.
 */
export function parseListing(xml: string): ObjectListing | null {
  const objects: ListedObject[] = [];
  let fields = new Map<string, string>();
  const top = new Map<string, string>();
  let path: string[] = [];
  let text = "";
  let complete = false;
  const parser: Parser = new Parser(
    {
      onopentag(name) {
        path.push(name);
        text = "";
        if (path.length > MAX_LEVELS) parser.pause();
        if (name === "Contents") fields = new Map();
      },
      ontext(part) {
        text += part;
      },
      onclosetag(name, implied) {
        const parent = path.at(-2);
        if (parent === "Contents") fields.set(name, text);
        if (parent === "ListBucketResult") {
          if (name === "Contents") objects.push(objectOf(fields));
          else top.set(name, text);
        }
        if (path.length === 1) complete = name === "ListBucketResult" && !implied;
        path = path.slice(0, -1);
        text = "";
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  parser.end();
  if (!complete) return null;
  const encoded = top.get("EncodingType") === "url";
  return {
    objects: encoded ? objects.map((each) => ({ ...each, key: decodeKey(each.key) })) : objects,
    nextToken: top.get("IsTruncated") === "true" ? (top.get("NextContinuationToken") ?? "") : null,
  };
}

function objectOf(fields: Map<string, string>): ListedObject {
  return {
    key: fields.get("Key") ?? "",
    size: Number(fields.get("Size") ?? 0),
    etag: (fields.get("ETag") ?? "").replaceAll('"', ""),
    lastModified: fields.get("LastModified") ?? "",
  };
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
