import { sha256Hex } from "../core/hash.ts";
import type { KnownFiles, ReaderStore } from "../ports/source-reader.ts";

const FOLDER = "pages/";
const FILES_AT_ONCE = 1_000;

export const pageKey = async (path: string, version: string) =>
  `${FOLDER}${await sha256Hex(path)}/${version}`;

/** Removes bytes of versions that no file has: a crawl kept them and died before they were recorded. */
export async function forgetOrphans(store: ReaderStore, knownFiles: KnownFiles): Promise<void> {
  const keptKeys = new Set<string>();
  let files: { path: string; version: string }[];
  let after: string | null = null;
  do {
    files = await knownFiles.all(after, FILES_AT_ONCE);
    for (const { path, version } of files) keptKeys.add(await pageKey(path, version));
    after = files.at(-1)?.path ?? null;
  } while (files.length === FILES_AT_ONCE);
  await store.retain(FOLDER, (key) => keptKeys.has(key));
}

/** The index job need not fetch again; a page that did not change still leads to its links. */
export async function keepPage(
  store: ReaderStore,
  path: string,
  page: { version: string; bytes: Uint8Array },
  replaced: string,
): Promise<void> {
  await store.write(await pageKey(path, page.version), page.bytes);
  if (replaced !== "" && replaced !== page.version)
    await store.remove(await pageKey(path, replaced));
}

export async function readPage(store: ReaderStore, path: string, version: string) {
  return version === "" ? null : await store.read(await pageKey(path, version));
}
