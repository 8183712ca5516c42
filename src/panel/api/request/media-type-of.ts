import { mediaTypeByName, UNKNOWN_MEDIA_TYPE } from "../../../documents/media-type/media-types.ts";

/**
 * The media type of a file from its `Content-Type`; from its name where there is none, or the
 * unknown one, which clients send that know no type.
 */
export function mediaTypeOf(contentType: string | undefined, path: string): string {
  const given = contentType ?? UNKNOWN_MEDIA_TYPE;
  return given === UNKNOWN_MEDIA_TYPE ? mediaTypeByName(path) : given;
}
