import { z } from "zod";

import type { FileSource } from "../../../catalog/file-sources/find-file-source.ts";
import { invalidField, invalid } from "../../../core/errors.ts";
import { NO_POINT_IN_TIME, principals, READERS_LIMIT } from "../../../core/input/input-fields.ts";
import { parseJson } from "../../../core/input/parse-json.ts";
import { timeIn } from "../../../core/time.ts";
import { mediaTypeByName, UNKNOWN_MEDIA_TYPE } from "../../../documents/media-type/media-types.ts";
import { storedPath } from "../../../sources/file-names.ts";
import { pushKind } from "../../../sources/registry.ts";

export const fileMetadata = z.record(z.string(), z.unknown());

const READERS = `must be a JSON list of at most ${READERS_LIMIT} of user: and an address, group: or domain: and a name, or everyone`;

/** A file as its headers say; null: no header, and it keeps what it has. @throws `invalid` */
export function readFileHeaders(header: (name: string) => string | null | undefined, path: string) {
  const read = <Value>(name: string, valueOf: (text: string) => Value, rule: string) => {
    const text = header(name);
    if (text == null) return null;
    const value = valueOf(text);
    if (value == null) throw invalidField(name, rule);
    return value;
  };
  const metadataOf = (text: string) => fileMetadata.safeParse(parseJson(text)).data;
  const readersOf = (text: string) => principals.safeParse(parseJson(text)).data;
  return {
    metadata: read("X-File-Metadata", metadataOf, "must be a JSON object"),
    mimeType: mediaTypeOf(header("Content-Type") ?? UNKNOWN_MEDIA_TYPE, path),
    modifiedAt: read("X-File-Modified", timeIn, NO_POINT_IN_TIME),
    readers: read("X-File-Readers", readersOf, READERS),
  };
}

/** Headers that ask for less than a new file (RFC 9110, §13.1 and §14.5), which are refused. */
const NOT_OBEYED = ["Content-Range", "If-Match", "If-None-Match", "If-Unmodified-Since"];

export function refusePartial(headers: Headers): void {
  const name = NOT_OBEYED.find((each) => headers.has(each));
  if (name !== undefined) throw invalidField(name, "is not supported: a PUT replaces a whole file");
  if (/^multipart\/form-data\b/i.test(headers.get("Content-Type") ?? "")) {
    throw invalidField(
      "Content-Type",
      "must be the file's: a PUT takes bytes, POST …/files a form",
    );
  }
}

const FILES = /^[^?#]*?\/file-sources\/[^/?#]+\/(?:files|text)\/([^?#]*)/;

/**
 * The file's path in `…/files/{path}` and `…/text/{path}` before a `tail`: each segment decoded by
 * itself, from the URL as it came, for the router's own decoding is not exact.
 * @throws QuarryError `invalid` when the percent-encoding is broken or the path begins with a slash.
 */
export function filePathOf(url: string, tail = ""): string {
  const [, place = ""] = FILES.exec(url) ?? [];
  const path = decodePath(place.slice(0, place.length - tail.length));
  if (path.startsWith("/")) throw invalidField("path", "must be relative, without a leading /");
  return storedPath(path);
}

/** A path whose segments are percent-encoded each. @throws QuarryError `invalid` */
export function decodePath(raw: string): string {
  try {
    return raw.split("/").map(decodeURIComponent).join("/");
  } catch {
    throw invalidField("path", "is not valid percent-encoded UTF-8");
  }
}

/** Types that clients send without knowing one: curl calls every body that it is given a form. */
const TELL_NOTHING = new Set([UNKNOWN_MEDIA_TYPE, "application/x-www-form-urlencoded"]);

/** The media type of a file from its `Content-Type`; from its name where that says nothing. */
const mediaTypeOf = (type: string, path: string) =>
  TELL_NOTHING.has(type) ? mediaTypeByName(path) : type;

export type SourceRow = FileSource["source"];

/** The source, if files can be pushed to it. @throws QuarryError `invalid`. */
export function requirePushed({ source }: FileSource) {
  if (pushKind(source.provider) === "files") return source;
  throw invalid("this source reads its own files: none can be pushed to it");
}
