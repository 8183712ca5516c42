import { z } from "zod";

import { inParallel } from "../../core/work/parallel.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { advanced } from "../listing-advance.ts";
import { segmentOf } from "../folder-tree.ts";
import { driveItem } from "./drive-items.ts";
import type { ApiClient } from "../api-client.ts";
import type { DocumentSiteConfig } from "./sharepoint-config.ts";
import type { FollowedDrive } from "./stored-drives.ts";

const LIBRARIES_MAX = 500;
const DRIVES_AT_ONCE = 4;
/** An id that Graph cannot read is a bad request. */
const ABSENT = [400, 404];

const site = z.object({ id: z.string().min(1) });
const drive = z.object({ id: z.string().min(1), name: z.string().nullish() });
const driveList = z.object({ value: z.array(drive), "@odata.nextLink": z.string().optional() });
type DriveList = z.infer<typeof driveList>;
const rootItem = driveItem.pick({ id: true, folder: true, package: true, root: true });

export type NamedDrive = { id: string; name: string };
type Named = {
  /** The site whose libraries these are; null: the drive stands alone. */
  siteId: string | null;
  drives: NamedDrive[];
};

/**
 * The drives that a configuration names. A drive's own id is not asked for.
 * @throws SourceFailure `denied` that says what to do
 */
export async function nameDrives(
  client: ApiClient,
  config: DocumentSiteConfig,
  signal: AbortSignal,
): Promise<Named> {
  const { driveId, library } = config;
  if (driveId !== undefined) return { siteId: null, drives: [{ id: driveId, name: driveId }] };
  const siteId = await findSite(client, config.siteId ?? "", signal);
  const libraries = await listLibraries(client, siteId, signal);
  if (library === undefined) return { siteId, drives: libraries };
  const found = libraries.find(({ name }) => name.toLowerCase() === library.toLowerCase());
  if (found !== undefined) return { siteId: null, drives: [found] };
  const names = libraries.map(({ name }) => name).join(", ");
  throw denied(`the site has no library ${library}; it has: ${names}`);
}

/**
 * The drives ready to be read: each costs a call.
 * @throws SourceFailure `denied` that says what to do
 */
export async function openDrives(
  client: ApiClient,
  { siteId, drives }: Named,
  { rootFolderId }: DocumentSiteConfig,
  signal: AbortSignal,
): Promise<FollowedDrive[]> {
  if (siteId !== null) return await openLibraries(client, drives, signal);
  return await inParallel(drives, DRIVES_AT_ONCE, async (named) => {
    return await openDrive(client, named, rootFolderId, signal);
  });
}

/** Libraries of a site as drives whose files lie in a folder of the library's name. */
export async function openLibraries(
  client: ApiClient,
  libraries: NamedDrive[],
  signal: AbortSignal,
): Promise<FollowedDrive[]> {
  return await inParallel(libraries, DRIVES_AT_ONCE, async (library) => ({
    ...(await openDrive(client, library, undefined, signal)),
    base: `${segmentOf(library.name)}/`,
  }));
}

export async function listLibraries(
  client: ApiClient,
  siteId: string,
  signal: AbortSignal,
): Promise<NamedDrive[]> {
  const found: NamedDrive[] = [];
  let address: string | undefined = client.address(`sites/${siteId}/drives`, {
    $select: "id,name",
  });
  let advance: Awaited<ReturnType<typeof advanced>>;
  while (address !== undefined) {
    const list: DriveList | null = await client.find(driveList, address, signal);
    if (list === null) throw denied("the site was removed");
    found.push(...list.value.map(({ id, name }) => ({ id, name: name ?? id })));
    if (found.length > LIBRARIES_MAX) {
      throw denied(`the site has more than ${LIBRARIES_MAX} libraries: name one of them`);
    }
    address = list["@odata.nextLink"];
    const entries = list.value.length;
    advance = await advanced(advance, { next: address ?? null, entries });
  }
  return found;
}

async function findSite(client: ApiClient, siteId: string, signal: AbortSignal) {
  const address = client.address(`sites/${siteKey(siteId)}`, { $select: "id" });
  const found = await client.find(site, address, signal, { absent: ABSENT });
  if (found !== null) return found.id;
  throw denied(
    `there is no site ${siteId}: siteId is the site's address, such as https://contoso.sharepoint.com/sites/hr`,
  );
}

/**
 * How Graph names a site that is given by its id or its address.
 * https://learn.microsoft.com/graph/api/site-getbypath
 */
function siteKey(siteId: string): string {
  const url = URL.parse(siteId);
  if (url === null || !/^https?:$/.test(url.protocol)) return encodeURIComponent(siteId);
  const path = url.pathname.replace(/\/$/, "");
  return path === "" ? url.hostname : `${url.hostname}:${path}`;
}

async function openDrive(
  client: ApiClient,
  { id, name }: NamedDrive,
  rootFolderId: string | undefined,
  signal: AbortSignal,
): Promise<FollowedDrive> {
  const item = rootFolderId === undefined ? "root" : `items/${encodeURIComponent(rootFolderId)}`;
  const address = client.address(`drives/${encodeURIComponent(id)}/${item}`, {
    $select: Object.keys(rootItem.shape).join(","),
  });
  const found = await client.find(rootItem, address, signal, { absent: ABSENT });
  if (found === null) {
    throw denied(
      rootFolderId === undefined
        ? `there is no drive ${id}, or the app may not see it`
        : `the library ${name} has no folder ${rootFolderId}`,
    );
  }
  if (!found.folder && !found.root) {
    throw denied(`${rootFolderId ?? ""} is not a folder: rootFolderId must be the id of a folder`);
  }
  return { id, name, base: "", root: found.id, link: null, folders: {}, sharing: null };
}

const denied = (message: string) => new SourceFailure("denied", `SharePoint: ${message}`);
