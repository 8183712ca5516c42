import type { IndexScope } from "../../ports/rag-index.ts";
import { storedPath } from "../../sources/file-names.ts";
import { takenBy } from "../../sources/registry.ts";
import { pageAddress } from "../../sources/web/pages/page-url.ts";

/** The scope in its stored form, which compares with the stored paths of files. */
export function storedScope({ type, value }: IndexScope): IndexScope {
  if (type === "externalId") return { type, value };
  const url = /^https?:/i.test(value) ? URL.parse(value) : null;
  return { type, value: url === null ? storedPath(value) : pageAddress(url) };
}

const VALUE_MAX_LENGTH = 2_048;
// oxlint-disable-next-line no-control-regex -- these are what no path may hold
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Worded to follow the field's name; null when the value is valid. */
export function problemWithScope(provider: string, { type, value }: IndexScope): string | null {
  if (value === "") return "is required";
  if (value.length > VALUE_MAX_LENGTH) return `must have at most ${VALUE_MAX_LENGTH} characters`;
  if (CONTROL.test(value)) return "must not contain control characters";
  if (type === "externalId") return null;
  return takenBy(provider) === "addresses" ? problemWithUrl(value) : problemWithPath(value);
}

function problemWithUrl(value: string): string | null {
  const protocol = URL.parse(value)?.protocol;
  return protocol === "http:" || protocol === "https:" ? null : "must be an http or https URL";
}

function problemWithPath(value: string): string | null {
  if (value.startsWith("/")) return "must be relative, without a leading /";
  const segments = value.replace(/\/$/, "").split("/");
  if (segments.includes("")) return "must not have an empty segment";
  if (segments.includes(".") || segments.includes("..")) return "must not have a . or .. segment";
  return null;
}
