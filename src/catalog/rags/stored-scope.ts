import type { IndexScope } from "../../ports/rag-index.ts";
import { storedPath } from "../../sources/file-names.ts";
import { pageAddress } from "../../sources/web/pages/page-url.ts";

/** The scope in its stored form, which compares with the stored paths of files. */
export function storedScope({ type, value }: IndexScope): IndexScope {
  if (type === "externalId") return { type, value };
  const url = /^https?:/i.test(value) ? URL.parse(value) : null;
  return { type, value: url === null ? storedPath(value) : pageAddress(url) };
}
