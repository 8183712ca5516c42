import { kindByName, mediaTypeByName } from "../../documents/media-type/media-types.ts";

/** Source code and settings are sent as text, whatever their registered types are. */
export function contentTypeOf(path: string): string {
  const isCode = kindByName(path) === "code" && /\.[^/]+$/.test(path);
  return isCode ? "text/plain" : mediaTypeByName(path);
}
