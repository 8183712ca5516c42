import { sha256Hex } from "../../core/hash.ts";
import type { ReaderStore } from "../../ports/source-reader.ts";

/** The key of a page's bytes of one version. */
export const pageKey = async (path: string, version: string) =>
  `pages/${await sha256Hex(path)}/${version}`;

/**
 * The bytes of each page as last fetched, so that the index job need not fetch again and a page
 * that did not change, or cannot be reached today, still leads on to its links.
 */
export async function keepPage(
  store: ReaderStore,
  path: string,
  page: { version: string; bytes: Uint8Array },
  replaced: string,
): Promise<void> {
  await store.write(await pageKey(path, page.version), page.bytes);
  if (replaced !== "") await store.remove(await pageKey(path, replaced));
}

export async function readPage(
  store: ReaderStore,
  path: string,
  version: string,
): Promise<Uint8Array | null> {
  return version === "" ? null : await store.read(await pageKey(path, version));
}
