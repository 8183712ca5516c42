import { sha256Hex } from "../core/hash.ts";
import type { ScanProgress } from "../db/scans/scan-store.ts";
import { SourceFailure } from "../ports/source-reader.ts";

/** Providers do send empty pages; a listing that sends more in a row has no end. */
const MAX_EMPTY_PAGES = 100;

type ListingAdvance = NonNullable<ScanProgress["advance"]>;

const AT_THE_START: ListingAdvance = { pages: 0, empty: 0, mark: "", markedAt: 0 };

/**
 * Notices that a listing does not end, whichever provider's it is: that a cursor returns (Brent's
 * algorithm, so that one cursor is remembered however long the listing), or that pages are empty.
 * @throws SourceFailure `our-limit`
 */
export async function advanceListing(
  before: ListingAdvance | undefined,
  { next, entries }: { next: string | null; entries: number },
): Promise<ListingAdvance | undefined> {
  if (next === null) return undefined;
  const { pages, empty, mark, markedAt } = before ?? AT_THE_START;
  const at = await sha256Hex(next);
  if (at === mark) throw endlessListing("the provider returned the same page again");
  const emptyNow = entries === 0 ? empty + 1 : 0;
  if (emptyNow >= MAX_EMPTY_PAGES) throw endlessListing(`${emptyNow} pages in a row were empty`);
  const isMarked = pages + 1 >= 2 * markedAt;
  const newest = isMarked ? { mark: at, markedAt: pages + 1 } : { mark, markedAt };
  return { pages: pages + 1, empty: emptyNow, ...newest };
}

const endlessListing = (why: string) =>
  new SourceFailure("our-limit", `the listing does not end: ${why}`);
