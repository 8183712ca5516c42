import { MUST_BE_RELATIVE } from "../core/input/input-fields.ts";
import { webUrlIn } from "../core/input/web-address.ts";
import { normalForm } from "../core/normal-form.ts";
import { normalizeUrl, pageAddress } from "./web/pages/page-url.ts";

/** The one form in which a path is stored: in NFC, and without halves of characters. */
export const storedPath = (path: string) => normalForm(path.toWellFormed(), "NFC");

/** Forms in which a path, web address or external id may be stored: each once, likeliest first. */
export function storedFormsOf(name: string): string[] {
  const url = webUrlIn(name);
  const forms = url === null ? [storedPath(name)] : [pageAddress(url), normalizeUrl(url).href];
  return [...new Set([name, ...forms])];
}

export const MAX_NAME_LENGTH = 2_048;
// oxlint-disable-next-line no-control-regex -- these are what no path may hold
const CONTROL = /[\u0000-\u001f\u007f]/;
/** The pattern of a text that `CONTROL` does not find in. */
export const NAME_PATTERN = String.raw`^[^\x00-\x1f\x7f]*$`;

/**
 * Says what is wrong with a path, web address or external id, to follow a field's name; null:
 * nothing.
 */
export function problemWithName(name: string): string | null {
  if (name === "") return "is required";
  if (name.length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`;
  return CONTROL.test(name) ? "must not contain control characters" : null;
}

/** Says what is wrong with a path that is such a name. */
export function problemWithPath(path: string): string | null {
  if (path.startsWith("/")) return MUST_BE_RELATIVE;
  const segments = path.split("/");
  if (segments.includes("")) return "must not have an empty segment";
  if (segments.includes(".") || segments.includes("..")) return "must not have a . or .. segment";
  return null;
}
