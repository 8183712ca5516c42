import { z } from "zod";

import { webUrlIn } from "../../core/input/web-address.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { driveItem } from "./drive-items.ts";
import { pageOf } from "./graph-client.ts";
import type { DocumentSiteConfig } from "./sharepoint-config.ts";

const MAX_LIBRARIES = 500;
/** An id that Graph cannot read is a bad request. */
const ABSENT = [400, 404];

const site = z.object({ id: z.string().min(1) });
const drivePage = pageOf(z.object({ id: z.string().min(1), name: z.string().nullish() }));
const rootItem = driveItem.pick({ id: true, folder: true, package: true, root: true });

type NamedDrive = { id: string; name: string };

/**
 * A drive's own id is not asked for. `siteId`: the site whose libraries these are; null: the drive
 * stands alone. @throws SourceFailure `denied` that says what to do
 */
export async function nameDrives(client: ApiClient, config: DocumentSiteConfig) {
  const { driveId, library } = config;
  if (driveId !== undefined) return { siteId: null, drives: [{ id: driveId, name: driveId }] };
  const siteId = await findSite(client, config.siteId ?? "");
  const libraries = await listLibraries(client, siteId);
  if (library === undefined) return { siteId, drives: libraries };
  const match = libraries.find(({ name }) => name.toLowerCase() === library.toLowerCase());
  if (match !== undefined) return { siteId: null, drives: [match] };
  const names = libraries.map(({ name }) => name).join(", ");
  throw denied(`the site has no library ${library}; it has: ${names}`);
}

export async function listLibraries(client: ApiClient, siteId: string): Promise<NamedDrive[]> {
  const first = client.address(`sites/${siteId}/drives`, { $select: "id,name" });
  const allDrives = await client.all(drivePage, first, { absent: [404] });
  if (allDrives === null) throw denied("the site was removed");
  if (allDrives.length > MAX_LIBRARIES) {
    throw denied(`the site has more than ${MAX_LIBRARIES} libraries: name one of them`);
  }
  return allDrives.map(({ id, name }) => ({ id, name: name ?? id }));
}

async function findSite(client: ApiClient, siteId: string): Promise<string> {
  const address = client.address(`sites/${siteKey(siteId)}`, { $select: "id" });
  const siteItem = await client.find(site, address, { absent: ABSENT });
  if (siteItem !== null) return siteItem.id;
  throw denied(
    `there is no site ${siteId}: siteId is the site's address, such as https://contoso.sharepoint.com/sites/hr`,
  );
}

/** A site's id, or its address: https://learn.microsoft.com/graph/api/site-getbypath */
function siteKey(siteId: string): string {
  const url = webUrlIn(siteId);
  if (url === null) return encodeURIComponent(siteId);
  const path = url.pathname.replace(/\/$/, "");
  return path === "" ? url.hostname : `${url.hostname}:${path}`;
}

/** The id of the item that the files lie beneath. @throws SourceFailure `denied` with advice */
export async function findRoot(client: ApiClient, { id, name }: NamedDrive, rootFolderId?: string) {
  const item = rootFolderId === undefined ? "root" : `items/${encodeURIComponent(rootFolderId)}`;
  const address = client.address(`drives/${encodeURIComponent(id)}/${item}`, {
    $select: Object.keys(rootItem.shape).join(","),
  });
  const root = await client.find(rootItem, address, { absent: ABSENT });
  if (root === null) {
    throw denied(
      rootFolderId === undefined
        ? `there is no drive ${id}, or the app may not see it`
        : `the library ${name} has no folder ${rootFolderId}`,
    );
  }
  if (!root.folder && !root.root) {
    throw denied(`${rootFolderId ?? ""} is not a folder: rootFolderId must be the id of a folder`);
  }
  return root.id;
}

const denied = (message: string) => new SourceFailure("denied", `SharePoint: ${message}`);
