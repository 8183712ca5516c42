import { z } from "zod";

import { mapParallel } from "../../core/work/parallel.ts";
import type { ApiClient } from "../api-client.ts";
import { earlierOf, isSame, type ReadPermissions } from "../stored-readers.ts";
import { kindOf, type DriveItem } from "./drive-items.ts";
import { pageOf } from "./graph-client.ts";
import { graphPermission, readPermissions } from "./graph-permission.ts";
import type { FollowedDrive, StoredDrives } from "./stored-drives.ts";

/*
 * https://learn.microsoft.com/graph/api/driveitem-list-permissions
 * https://learn.microsoft.com/graph/api/driveitem-delta#scanning-permissions-hierarchies
 */
/** A change feed needs this to mark items with permissions of their own. */
export const SHARING_PREFERENCES =
  "deltashowremovedasdeleted, deltatraversepermissiongaps, deltashowsharingchanges, hierarchicalsharing";
const ITEMS_AT_ONCE = 4;

const permissionPage = pageOf(graphPermission);

type Reading = { client: ApiClient; now: number; drives: StoredDrives; drive: FollowedDrive };

/**
 * Reads the permissions of items of a page that have some of their own, into `drive.sharing`.
 * Whether they changed for files that the page may not name; a drive without a link is new.
 */
export async function readSharing(
  reading: Reading,
  page: { items: DriveItem[]; asked: string[]; isFirst: boolean },
): Promise<boolean> {
  const { drive, drives } = reading;
  const { sharing } = drive;
  if (sharing === null) return false;
  for (const item of page.items) if (kindOf(item) === "deleted") delete sharing[item.id];
  const own = page.items.filter(
    (item) => kindOf(item) !== "deleted" && (item.shared || sharing[item.id] !== undefined),
  );
  const files = new Set(own.flatMap((item) => (kindOf(item) === "file" ? [item.id] : [])));
  const ids = new Set([...own.map(({ id }) => id), ...page.asked]);
  // A feed may keep silent about its root.
  if (page.isFirst) ids.add(drive.root);
  const changed = await mapParallel([...ids], ITEMS_AT_ONCE, async (id) => {
    const from = files.has(id) ? "file" : nameOf(drive, id);
    const { readers, expiresAt } = await readersOf(reading, id, from);
    drives.expiresAt = earlierOf(drives.expiresAt, expiresAt);
    const before = sharing[id];
    sharing[id] = readers;
    const isNew = before === undefined && drive.link === null;
    return !files.has(id) && !isNew && !isSame(readers, before);
  });
  return changed.includes(true);
}

/** Those of the nearest item above, or the file itself, with permissions of its own. */
export function readersFor({ sharing, root }: FollowedDrive, id: string, ancestors: string[]) {
  if (sharing === null) return undefined;
  const nearest = [...ancestors, id].findLast((each) => sharing[each] !== undefined) ?? root;
  return sharing[nearest] ?? { unreadable: "its permissions were not read yet" };
}

function nameOf({ root, name, folders }: FollowedDrive, id: string): string {
  if (id === root) return `library ${name}`;
  const folder = folders[id]?.name ?? "";
  return folder === "" ? "folder" : `folder ${folder}`;
}

async function readersOf(
  { client, now, drives: { domains }, drive: { id: driveId } }: Reading,
  id: string,
  from: string,
): Promise<ReadPermissions> {
  const path = `drives/${encodeURIComponent(driveId)}/items/${encodeURIComponent(id)}/permissions`;
  const listing = { absent: [403, 404] };
  const permissions = await client.all(permissionPage, client.address(path), listing);
  if (permissions === null) return { readers: { unreadable: REFUSED }, expiresAt: null };
  return readPermissions(permissions, { now, from, driveId, domains });
}

const REFUSED =
  "SharePoint does not tell the app who may read it: grant it Sites.FullControl.All, or the role fullcontrol on the site";

const organizations = z.object({
  value: z.array(z.object({ verifiedDomains: z.array(z.object({ name: z.string() })).nullish() })),
});

/** The tenant's domains; none where the app may not read them. */
export async function readDomains(client: ApiClient): Promise<string[]> {
  const address = client.address("organization", { $select: "verifiedDomains" });
  const organization = await client.find(organizations, address, { absent: [401, 403, 404] });
  return (
    organization?.value.flatMap((entry) => entry.verifiedDomains?.map(({ name }) => name) ?? []) ??
    []
  );
}
