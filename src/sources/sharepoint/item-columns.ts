import { z } from "zod";

import type { ListedFile, ReaderStore } from "../../ports/source-reader.ts";
import { tagsOf, type DriveItem } from "./drive-items.ts";
import type { ApiClient } from "../api-client.ts";
import { readColumns, type Columns } from "./list-columns.ts";

/** Columns that were read before a page of the feed failed. */
const READ_COLUMNS = "columns.json";
const readItem = z.object({
  id: z.string(),
  eTag: z.string(),
  columns: z.union([z.literal("refused"), z.record(z.string(), z.unknown())]),
});
const readItems = z.object({ names: z.array(z.string()), items: z.array(readItem) });

type Reading = { client: ApiClient; store: ReaderStore; driveId: string; names: string[] };

/**
 * Columns of items by id, `refused` for an item that cannot be read now. When Graph fails half
 * way, the next attempt asks for those that are missing. @throws SourceFailure
 */
export async function columnsOf(
  { client, store, driveId, names }: Reading,
  items: DriveItem[],
  signal: AbortSignal,
): Promise<Map<string, Columns | "refused">> {
  const found = new Map<string, Columns | "refused">();
  if (names.length === 0 || items.length === 0) return found;
  const earlier = await readEarlier(store, names);
  for (const item of items) {
    const read = earlier.get(item.id);
    if (read !== undefined && read.eTag === tagsOf(item).eTag) found.set(item.id, read.columns);
  }
  const itemIds = items.flatMap(({ id }) => (found.has(id) ? [] : id));
  try {
    await readColumns(client, { driveId, itemIds, names }, found, signal);
  } catch (thrown) {
    await store.write(READ_COLUMNS, bytesOf(names, items, found));
    throw thrown;
  }
  if (earlier.size > 0) await store.remove(READ_COLUMNS);
  return found;
}

async function readEarlier(store: ReaderStore, names: string[]) {
  const bytes = await store.read(READ_COLUMNS);
  const text = bytes === null ? "null" : new TextDecoder().decode(bytes);
  const parsed = readItems.safeParse(JSON.parse(text));
  const isOfThese = parsed.success && parsed.data.names.join() === names.join();
  return new Map(isOfThese ? parsed.data.items.map((item) => [item.id, item] as const) : []);
}

function bytesOf(
  names: string[],
  items: DriveItem[],
  found: Map<string, Columns | "refused">,
): Uint8Array {
  const read = items.flatMap((item) => {
    const columns = found.get(item.id);
    const { eTag } = tagsOf(item);
    return columns === undefined || eTag === null ? [] : { id: item.id, eTag, columns };
  });
  return new TextEncoder().encode(JSON.stringify({ names, items: read }));
}

/** Whether the stored columns are those of the item, because its tag has not changed. */
export function hasColumns(
  known: ListedFile | undefined,
  item: DriveItem,
  names: string[],
): boolean {
  const { eTag, columns: stored } = known?.sourceState ?? {};
  return eTag === tagsOf(item).eTag && eTag !== null && stored === names.join();
}

export function storedColumns(known: ListedFile | undefined, names: string[]): Columns {
  const kept = Object.entries(known?.metadata ?? {}).filter(([name]) => names.includes(name));
  return Object.fromEntries(kept);
}
