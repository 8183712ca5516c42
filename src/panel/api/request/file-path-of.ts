import { invalidField } from "../../../core/errors.ts";
import { storedPath } from "../../../sources/file-names.ts";

const FILES = /^[^?#]*?\/file-sources\/[^/?#]+\/(?:files|text)\/([^?#]*)/;

/**
 * The file's path in `…/files/{path…}` and `…/text/{path…}`: each segment decoded by itself, so that an encoded slash,
 * a space or any character of Unicode arrives as it was meant. It is taken from the URL as it
 * came, for the router's own decoding is not exact.
 * @throws QuarryError `invalid` when the percent-encoding is broken or the path begins with a slash.
 */
export function filePathOf(url: string): string {
  const raw = FILES.exec(url)?.[1] ?? "";
  const path = decodedPath(raw);
  if (path.startsWith("/")) throw invalidField("path", "must be relative, without a leading /");
  return storedPath(path);
}

/** A path whose segments are percent-encoded each. @throws QuarryError `invalid` */
export function decodedPath(raw: string): string {
  try {
    return raw.split("/").map(decodeURIComponent).join("/");
  } catch {
    throw invalidField("path", "is not valid percent-encoded UTF-8");
  }
}
