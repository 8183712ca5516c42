import { z } from "zod";

import { SourceFailure } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { driveFile, FOLDER } from "./drive-files.ts";
import type { GoogleDriveConfig } from "./google-drive-config.ts";

const rootFolder = driveFile
  .pick({ id: true, name: true, mimeType: true, trashed: true })
  .extend({ driveId: z.string().optional() });
const sharedDrive = z.object({ id: z.string().min(1), name: z.string() });

/** What is read: a folder or a whole shared drive. `driveId` null: somebody's own drive. */
export type DriveRoot = { id: string; name: string; driveId: string | null };

/** One call. @throws SourceFailure `denied` that says what to share with whom */
export async function findRoot(
  client: ApiClient,
  { rootFolderId, sharedDriveId }: GoogleDriveConfig,
  account: string,
  signal: AbortSignal,
): Promise<DriveRoot> {
  return rootFolderId === undefined
    ? await findDrive(client, sharedDriveId ?? "", account, signal)
    : await findFolder(client, rootFolderId, account, signal);
}

async function findDrive(client: ApiClient, id: string, account: string, signal: AbortSignal) {
  const address = client.address(`drives/${encodeURIComponent(id)}`, { fields: "id,name" });
  const found = await client.find(sharedDrive, address, signal);
  if (found !== null) return { ...found, driveId: found.id };
  throw denied(`${account} sees no shared drive ${id}: add it as a viewer of the drive`);
}

async function findFolder(client: ApiClient, id: string, account: string, signal: AbortSignal) {
  const query = { fields: "id,name,mimeType,trashed,driveId", supportsAllDrives: true };
  const address = client.address(`files/${encodeURIComponent(id)}`, query);
  const found = await client.find(rootFolder, address, signal);
  if (found === null) {
    throw denied(`${account} sees no folder ${id}: share the folder with that address`);
  }
  const { name, mimeType, trashed, driveId } = found;
  if (mimeType !== FOLDER) throw denied(`${id} is no folder: rootFolderId names a folder`);
  if (trashed === true) throw denied(`the folder ${id} is in the bin`);
  return { id, name, driveId: driveId ?? null };
}

const denied = (message: string) => new SourceFailure("denied", `Google Drive: ${message}`);
