import { normalizeUrl, pageAddress } from "./web/pages/page-url.ts";

const WEB_ADDRESS = /^https?:/i;

/** The one form in which a path is stored: NFC and NFD of a name are one file. */
export function storedPath(path: string): string {
  return path.normalize("NFC");
}

/** What a path, web address or external id may be stored as: each once, likeliest first. */
export function storedFormsOf(name: string): string[] {
  const url = WEB_ADDRESS.test(name) ? URL.parse(name) : null;
  const forms = url === null ? [storedPath(name)] : [pageAddress(url), normalizeUrl(url).href];
  return [...new Set([name, ...forms])];
}
