import { mediaTypeByName, UNKNOWN_MEDIA_TYPE } from "../../../documents/media-type/media-types.ts";

/** What clients send that know no type: curl calls every body that it is given a form. */
const TELL_NOTHING = new Set([UNKNOWN_MEDIA_TYPE, "application/x-www-form-urlencoded"]);

/** The media type of a file from its `Content-Type`; from its name where that tells nothing. */
export function mediaTypeOf(contentType: string | undefined, path: string): string {
  const given = contentType ?? UNKNOWN_MEDIA_TYPE;
  return TELL_NOTHING.has(given) ? mediaTypeByName(path) : given;
}
