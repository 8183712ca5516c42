import { timeIn } from "../../core/time.ts";
import type { ListedFile } from "../../ports/source-reader.ts";
import { folderTree, segmentOf, type FolderPlace } from "../folder-tree.ts";
import type { DriveOptions } from "../source-manifest.ts";
import { uniquePaths } from "../unique-paths.ts";
import {
  kindOf,
  metadataOf,
  mimeTypeOf,
  tagsOf,
  versionOf,
  type DriveItem,
} from "./drive-items.ts";
import { readersFor } from "./item-readers.ts";
import type { FollowedDrive } from "./stored-drives.ts";

type ItemPlace = { item: DriveItem; place: FolderPlace };
export type ItemFiles = Awaited<ReturnType<typeof itemFiles>>;

export async function itemFiles(
  items: DriveItem[],
  drive: FollowedDrive,
  knownFiles: DriveOptions["known"],
) {
  const { inside, deleted, problems } = classifyItems(items, drive);
  const ids = inside.map(({ item }) => item.id);
  const before = await knownFiles.byExternalId(ids);
  const knownById = new Map(before.map((file) => [file.externalId, file]));
  const paths = await uniquePaths(
    { byPath: knownFiles.byPath, byExternalId: async () => before },
    inside.map(({ item, place }) => ({
      id: item.id,
      path: pathOf(place, item),
    })),
  );
  const files = inside.map((item) => {
    const { id } = item.item;
    const file = listedFile(item, drive.id, knownById.get(id), paths.get(id) ?? "");
    const readers = readersFor(drive, id, item.place.ancestors);
    if (readers !== undefined) file.readers = readers;
    return file;
  });
  return { files, deleted, problems };
}

/** Folders are no loss, and what lies in a notebook is none of its own. */
function classifyItems(items: DriveItem[], drive: FollowedDrive) {
  const base = { path: drive.base, ancestors: drive.base === "" ? [] : [drive.id] };
  const tree = folderTree(drive, base);
  const inside: ItemPlace[] = [];
  /** Ids of items that are deleted, or lie elsewhere. */
  const deleted: string[] = [];
  /** Entries below the root that have no bytes, and why they are left out. */
  const problems: { path: string; message: string }[] = [];
  for (const item of items) {
    const kind = kindOf(item);
    const place = tree.placeOf(item.parentReference?.id ?? "");
    if (kind === "file" && place !== null) inside.push({ item, place });
    else if (kind === "file" || kind === "deleted") deleted.push(item.id);
    else if (kind === "other" && place !== null) {
      problems.push({ path: pathOf(place, item), message: reasonOf(item) });
    }
  }
  return { inside, deleted, problems };
}

const pathOf = ({ path }: FolderPlace, { name }: DriveItem) => `${path}${segmentOf(name ?? "")}`;

function reasonOf(item: DriveItem): string {
  if (item.remoteItem) return "shortcuts to other libraries are not followed";
  return "notebooks (OneNote) and other packages cannot be read";
}

function listedFile(
  { item, place }: ItemPlace,
  driveId: string,
  earlier: ListedFile | undefined,
  path: string,
): ListedFile {
  return {
    path,
    externalId: item.id,
    url: item.webUrl ?? null,
    name: item.name ?? "",
    size: item.size ?? 0,
    mimeType: mimeTypeOf(item),
    version: versionOf(item, earlier),
    metadata: metadataOf(item, place.ancestors),
    sourceState: { driveId, ...tagsOf(item) },
    modifiedAt: timeIn(item.lastModifiedDateTime ?? ""),
  };
}
