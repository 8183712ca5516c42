import { webUrlIn } from "../../core/input/web-address.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import { problemWithName, problemWithPath, storedPath } from "../../sources/file-names.ts";
import { pushKind } from "../../sources/registry.ts";
import { pageAddress } from "../../sources/web/pages/page-url.ts";

/** The scope in its stored form, which compares with the stored paths of files. */
export function storedScope({ type, value }: IndexScope): IndexScope {
  if (type === "externalId") return { type, value };
  const url = webUrlIn(value);
  return { type, value: url === null ? storedPath(value) : pageAddress(url) };
}

/** Worded to follow the field's name; null when the value is valid. */
export function problemWithScope(provider: string, { type, value }: IndexScope): string | null {
  const problem = problemWithName(value);
  if (problem !== null || type === "externalId") return problem;
  if (pushKind(provider) !== "addresses") return problemWithPath(value.replace(/(?<=.)\/$/, ""));
  return webUrlIn(value) === null ? "must be an http or https URL" : null;
}
