import { sha256Hex } from "../../core/hash.ts";
import type { ReaderStore } from "../../ports/source-reader.ts";

const folderOf = async (path: string) => `pages/${await sha256Hex(path)}/`;

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
  const folder = await folderOf(path);
  await store.write(`${folder}${page.version}`, page.bytes);
  if (replaced !== "") await store.remove(`${folder}${replaced}`);
}

export async function readPage(
  store: ReaderStore,
  path: string,
  version: string,
): Promise<Uint8Array | null> {
  return version === "" ? null : await store.read(`${await folderOf(path)}${version}`);
}

/** The bytes of a version that the page no longer has. */
export async function forgetVersion(
  store: ReaderStore,
  path: string,
  version: string,
): Promise<void> {
  if (version !== "") await store.remove(`${await folderOf(path)}${version}`);
}

/** The bytes of a deleted page. One that is listed again meanwhile is fetched again. */
export async function forgetPage(store: ReaderStore, path: string): Promise<void> {
  await store.remove(await folderOf(path));
}
