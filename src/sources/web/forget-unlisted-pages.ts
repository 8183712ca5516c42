import { z } from "zod";

import type { ReaderStore } from "../../ports/source-reader.ts";
import type { Crawl } from "./crawl-state.ts";
import { listedPaths } from "./crawl-store.ts";
import { forgetPage } from "./page-store.ts";

const KEY = "listed-pages";
const pathList = z.array(z.string());
/** Pages forgotten at the end of one crawl; the rest stays noted for the next. */
const FORGOTTEN_AT_ONCE = 200;

/** The bytes of pages that this crawl no longer found go; those of a partial crawl stay. */
export async function forgetUnlistedPages(store: ReaderStore, crawl: Crawl): Promise<void> {
  const bytes = await store.read(KEY);
  const before = bytes === null ? [] : pathList.parse(JSON.parse(new TextDecoder().decode(bytes)));
  const now = new Set(await listedPaths(store, crawl));
  const unlisted = before.filter((path) => !now.has(path));
  const forgotten = crawl.partial ? [] : unlisted.slice(0, FORGOTTEN_AT_ONCE);
  for (const path of forgotten) await forgetPage(store, path);
  const kept = [...now, ...unlisted.slice(forgotten.length)];
  await store.write(KEY, new TextEncoder().encode(JSON.stringify(kept)));
}
