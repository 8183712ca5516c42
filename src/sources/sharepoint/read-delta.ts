import { z } from "zod";

import { SourceFailure } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { folderTree, type Folder } from "../folder-tree.ts";
import { listedItem, listedItems } from "../listed-items.ts";
import { fieldsOf, kindOf, listedDriveItem, placedItem } from "./drive-items.ts";
import type { DriveItem, PlacedItem } from "./drive-items.ts";
import type { FollowedDrive } from "./stored-drives.ts";

/** https://learn.microsoft.com/graph/api/driveitem-delta */
const ITEMS_PER_PAGE = 500;
/** Each of them may cost a call. */
const ITEMS_PER_PAGE_WITH_READERS = 200;
/** The link is no longer taken: everything is to be listed. 404: the drive has gone. */
const EXPIRED = [400, 404, 410];

const link = z.string().optional();
const deltaPage = z
  .object({
    value: listedItems(listedDriveItem),
    "@odata.nextLink": link,
    "@odata.deltaLink": link,
  })
  // Without a link it is not the end: what it does not name would count as deleted.
  .refine((page) => page["@odata.nextLink"] ?? page["@odata.deltaLink"]);

/** A page of a drive's changes; the last one has a `deltaLink`. Null when the link has expired. */
export async function readDelta(
  client: ApiClient,
  { id, sharing }: FollowedDrive,
  link: string | null,
) {
  const withReaders = sharing !== null;
  const startAddress = () =>
    client.address(`drives/${encodeURIComponent(id)}/root/delta`, {
      $select: fieldsOf({ withReaders }),
      $top: withReaders ? ITEMS_PER_PAGE_WITH_READERS : ITEMS_PER_PAGE,
    });
  const absent = link === null ? [] : EXPIRED;
  const page = await client.find(deltaPage, link ?? startAddress(), { absent });
  if (page === null) return null;
  const { value, "@odata.nextLink": nextLink = null, "@odata.deltaLink": deltaLink = null } = page;
  // Each item once, as it was listed last.
  const items = [...new Map(value.items.map((item) => [item.id, item])).values()];
  return { items, unread: value.unread, nextLink, deltaLink };
}

/**
 * Takes the folders of a page over into the drive's. Whether a folder beneath the root was renamed,
 * moved or deleted, which moves files that no feed names. A folder that is new to the drive is
 * none of these: the feed names all that lies in it.
 */
export function applyFolders(drive: FollowedDrive, items: DriveItem[]): boolean {
  let moved = false;
  for (const item of items) {
    const kind = kindOf(item);
    if (kind === "deleted") moved = forgetFolder(drive, item.id) || moved;
    else if (kind !== "file" && item.id !== drive.root) moved = applyFolder(drive, item) || moved;
  }
  return moved;
}

/** Whether it was the root, without which nothing can be followed, or a folder beneath it. */
function forgetFolder(drive: FollowedDrive, id: string): boolean {
  if (id === drive.root) return true;
  if (drive.folders[id] === undefined) return false;
  const wasInside = isBeneath(drive, id);
  delete drive.folders[id];
  return wasInside;
}

/** Whether it was known by another name or place, and lies or lay beneath the root. */
function applyFolder(drive: FollowedDrive, item: DriveItem): boolean {
  const before = drive.folders[item.id];
  const after = placeOf(item);
  if (before?.name === after.name && before.parent === after.parent) return false;
  const wasInside = isBeneath(drive, item.id);
  drive.folders[item.id] = after;
  return before !== undefined && (wasInside || isBeneath(drive, item.id));
}

/** A notebook holds pages that are no files of ours; above the drive's root there is nothing. */
const placeOf = (item: PlacedItem) =>
  kindOf(item) === "folder"
    ? { name: item.name ?? "", parent: item.parentReference?.id ?? null }
    : { name: "", parent: null };

const isBeneath = (drive: FollowedDrive, id: string): boolean =>
  folderTree(drive).placeOf(id) !== null;

/** Files may be listed before the folders above them: these are requested. @returns their ids */
export async function findMissingFolders(
  client: ApiClient,
  drive: FollowedDrive,
  items: DriveItem[],
): Promise<string[]> {
  const ids: string[] = [];
  const checked = new Set([drive.root]);
  for (const item of items) {
    if (kindOf(item) !== "file") continue;
    let at: string | null = item.parentReference?.id ?? null;
    while (at !== null && !checked.has(at)) {
      checked.add(at);
      const storedFolder: Folder | undefined = drive.folders[at];
      const folder: Folder | null = storedFolder ?? (await findFolder(client, drive.id, at));
      if (folder === null) break;
      if (storedFolder === undefined) ids.push(at);
      drive.folders[at] = folder;
      at = folder.parent;
    }
  }
  return ids;
}

/** Null when it has gone, or cannot be seen. */
async function findFolder(client: ApiClient, driveId: string, id: string) {
  const path = `drives/${encodeURIComponent(driveId)}/items/${encodeURIComponent(id)}`;
  const address = client.address(path, { $select: fieldsOf({ withReaders: false }) });
  const answer = await client.find(listedItem(placedItem), address, { absent: [403, 404] });
  const [unread] = answer?.unread ?? [];
  if (unread !== undefined)
    throw new SourceFailure("denied", `SharePoint: folder ${unread.path}: ${unread.message}`);
  return answer?.items.map(placeOf)[0] ?? null;
}
