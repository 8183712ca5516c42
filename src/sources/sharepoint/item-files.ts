import type { KnownFiles, ListedFile } from "../../ports/source-reader.ts";
import { FolderTree, segmentOf, type FolderPlace } from "../folder-tree.ts";
import { uniquePaths } from "../unique-paths.ts";
import {
  kindOf,
  metadataOf,
  mimeTypeOf,
  tagsOf,
  versionOf,
  type DriveItem,
} from "./drive-items.ts";
import type { GraphClient } from "./graph-client.ts";
import { readColumns } from "./list-columns.ts";
import type { FollowedDrive } from "./stored-drives.ts";

type Known = Pick<KnownFiles, "byPath" | "byExternalId">;
type Placed = { item: DriveItem; place: FolderPlace };
export type ItemFiles = {
  files: ListedFile[];
  /** Ids of items that are deleted, or lie elsewhere. */
  deleted: string[];
  skipped: number;
};

/** What a page of items means for the files of the source. @throws SourceFailure */
export async function itemFiles(
  items: DriveItem[],
  of: { client: GraphClient; drive: FollowedDrive; known: Known; columns: string[] },
  signal: AbortSignal,
): Promise<ItemFiles> {
  const { client, drive, known, columns } = of;
  const { inside, deleted, skipped } = sorted(items, drive);
  const ids = inside.map(({ item }) => item.id);
  const before = await known.byExternalId(ids);
  const knownById = new Map(before.map((file) => [file.externalId, file]));
  const paths = await uniquePaths(
    { byPath: known.byPath, byExternalId: async () => before },
    inside.map(({ item, place }) => ({
      id: item.id,
      path: `${place.path}${segmentOf(item.name ?? "")}`,
    })),
  );
  const asked = inside.filter(({ item }) => !hasColumns(knownById.get(item.id), item, columns));
  const itemIds = columns.length === 0 ? [] : asked.map(({ item }) => item.id);
  const found = await readColumns(client, { driveId: drive.id, itemIds, names: columns }, signal);
  const files = inside.map((placed) => {
    const { id } = placed.item;
    const file = knownById.get(id);
    const values = found.get(id) ?? (itemIds.includes(id) ? {} : keptColumns(file, columns));
    const facts = { path: paths.get(id) ?? "", columns: values, names: columns };
    return listedFile(placed, drive.id, file, facts);
  });
  return { files, deleted, skipped };
}

/** `skipped`: what lies beneath the root and has no bytes. Its folders are no loss. */
function sorted(items: DriveItem[], drive: FollowedDrive) {
  const base = { path: drive.base, ancestors: drive.base === "" ? [] : [drive.id] };
  const tree = new FolderTree(drive, base);
  const inside: Placed[] = [];
  const deleted: string[] = [];
  let skipped = 0;
  for (const item of items) {
    const kind = kindOf(item);
    const place = tree.placeOf(item.parentReference?.id ?? "");
    if (kind === "file" && place !== null) inside.push({ item, place });
    else if (kind === "file" || kind === "deleted") deleted.push(item.id);
    else if (kind === "other" && place !== null) skipped += 1;
  }
  return { inside, deleted, skipped };
}

/** Columns of an item whose tag has not changed are those that are stored. */
function hasColumns(known: ListedFile | undefined, item: DriveItem, columns: string[]): boolean {
  const { eTag, columns: stored } = known?.sourceState ?? {};
  return eTag === tagsOf(item).eTag && eTag !== null && stored === columns.join();
}

function keptColumns(known: ListedFile | undefined, columns: string[]): Record<string, unknown> {
  const kept = Object.entries(known?.metadata ?? {}).filter(([name]) => columns.includes(name));
  return Object.fromEntries(kept);
}

function listedFile(
  { item, place }: Placed,
  driveId: string,
  known: ListedFile | undefined,
  of: { path: string; columns: Record<string, unknown>; names: string[] },
): ListedFile {
  const { path, columns, names } = of;
  return {
    path,
    externalId: item.id,
    url: item.webUrl ?? null,
    name: item.name ?? "",
    size: item.size ?? 0,
    mimeType: mimeTypeOf(item),
    version: versionOf(item, known),
    metadata: metadataOf(item, { columns, ancestors: place.ancestors }),
    sourceState: {
      driveId,
      ...tagsOf(item),
      ...(names.length === 0 ? {} : { columns: names.join() }),
    },
  };
}
